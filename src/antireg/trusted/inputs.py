"""How a fitted model's rows become numbers that distances are taken between.

In a `Pipeline`, what enters the last step is compared: the model's own encoding of the
rows. Otherwise X itself is, with words encoded as `antireg fit` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from antireg.rows.scaling import Scaling, fit_input_scaling
from antireg.tables.encoder import TableEncoder
from antireg.tables.frames import is_frame
from antireg.trusted.frames import as_numbers, frame_encoder, taken

Array = NDArray[np.float64]

MOST_MOVED = 20_000
"""Rows that are asked about in all to find which columns matter."""

FEWEST_EACH, MOST_EACH = 20, 200
"""Rows for each column."""

BLOCK_NUMBERS = 2**22


@dataclass(frozen=True, eq=False)
class Inputs:
    """How one fitted model's rows become numbers.

    Attributes:
        first: The steps of a pipeline before the last.
        last: The model itself.
        encoding: Of a frame with words; None if there are none.
        owners: Which column each number comes from, (columns,); −1 for the last, which
            counts gaps where no training row had any, if the model takes gaps.
        gapped: Columns of which some training rows have no number.
        fill: What stands for a gap, (columns before gaps are marked,).
        scaling: To a standard deviation of 1.
    """

    first: tuple[Any, ...]
    last: Any
    encoding: TableEncoder | None
    owners: NDArray[np.intp]
    gapped: NDArray[np.intp]
    fill: Array
    scaling: Scaling

    @classmethod
    def learned(cls, model: Any, X: Any) -> Inputs:
        """Return how this model sees rows.

        Args:
            model: Fitted.
            X: Rows to learn from, as it takes them.
        """
        first, last = split(model)
        X = _through(first, X)
        values, encoding = as_numbers(X), None
        if values is None and is_frame(X):
            encoding = frame_encoder(X)
            values = encoding.transform(X)
        if values is None:
            raise ValueError(
                "X must be numbers or a data frame to take distances between rows, got "
                f"a {type(X).__name__} with other values. Give a frame, or a Pipeline "
                "whose first steps make numbers of it."
            )
        finite = np.isfinite(values)
        gapped = np.flatnonzero(~finite.all(axis=0))
        counts = np.maximum(finite.sum(axis=0), 1)
        fill = np.where(finite, values, 0.0).sum(axis=0) / counts
        own = np.arange(len(fill)) if encoding is None else encoding.encoding_.owners
        marks_gaps = [-1] if get_tags(last).input_tags.allow_nan else []
        owners = np.concatenate([own, own[gapped], marks_gaps]).astype(np.intp)
        bare = cls(first, last, encoding, owners, gapped, fill, Scaling(fill, fill))
        scaling = fit_input_scaling("standard", bare._marked(values))
        return cls(first, last, encoding, owners, gapped, fill, scaling)

    def entering(self, X: Any) -> Any:
        """Return rows as they enter the last step."""
        return _through(self.first, X)

    def numbers(self, entering: Any) -> NDArray[np.float32]:
        """Return rows that enter the last step as numbers, (rows, columns)."""
        own = self.encoding
        values = as_numbers(entering) if own is None else own.transform(entering)
        if values is None or values.shape[1] != len(self.fill):
            raise ValueError(
                "X must hold the kinds of columns that fit was given, got others. Give "
                "numbers where there were numbers."
            )
        return self.scaling.scaled(self._marked(values)).astype(np.float32)

    def _marked(self, values: Array) -> Array:
        """Return values with gaps filled, and columns that say where they were."""
        gaps = ~np.isfinite(values)
        marks = [gaps[:, self.gapped]]
        if self.owners[-1] < 0:
            never = np.delete(gaps, self.gapped, axis=1)
            marks.append(never.sum(axis=1, keepdims=True))
        return np.concatenate([np.where(gaps, self.fill, values), *marks], axis=1)


def split(model: Any) -> tuple[tuple[Any, ...], Any]:
    """Return the steps of a pipeline before the last, and the last.

    Args:
        model: Any; one that is no pipeline is its own last step.
    """
    first: tuple[Any, ...] = ()
    while isinstance(model, Pipeline):
        if len(model.steps) > 1:
            first += (model[:-1],)
        model = model.steps[-1][1]
    return first, model


def sensitivity(
    inputs: Inputs, answers: Callable[[Any], Array], entering: Any
) -> Array:
    """Return how much a model's answer moves with each number, (columns,).

    It is the root mean square change of the answer when a column takes the values of
    other rows, over that of the column.

    Args:
        inputs: How the model sees rows.
        answers: From rows that enter the last step to (rows, answers).
        entering: Such rows, in random order.
    """
    n_columns = entering.shape[1]
    n_each = int(np.clip(MOST_MOVED // max(n_columns, 1), FEWEST_EACH, MOST_EACH))
    rows = taken(entering, np.arange(min(n_each, entering.shape[0])))
    numbers, answer = inputs.numbers(rows), answers(rows)
    away = np.square(numbers - np.roll(numbers, 1, axis=0), dtype=np.float64)
    moved = np.zeros(n_columns)
    at_once = max(1, BLOCK_NUMBERS // (len(numbers) * n_columns))
    if is_frame(rows) or hasattr(rows, "toarray"):
        at_once = 1
    for begin in range(0, n_columns, at_once):
        columns = np.arange(begin, min(begin + at_once, n_columns))
        changed = answers(_moved(rows, columns)).reshape(len(columns), *answer.shape)
        moved[columns] = np.square(changed - answer).mean(axis=(1, 2))
    own = np.maximum(inputs.owners, 0)
    by_column = np.bincount(own, weights=away.mean(axis=0), minlength=n_columns)
    ratio = np.divide(moved, by_column, out=np.zeros(n_columns), where=by_column > 0)
    weights = np.sqrt(ratio)[own]
    # A gap where there never was one matters as much as any column.
    return np.where(inputs.owners < 0, weights.max(initial=0.0), weights)


def _moved(rows: Any, columns: NDArray[np.intp]) -> Any:
    """Return all rows once for each column, in which that column is another row's."""
    if is_frame(rows):
        (column,) = columns
        return _moved_in_frame(rows, rows.columns[column])
    if hasattr(rows, "toarray"):
        rows = rows.toarray()
    stacked = np.repeat(rows[None], len(columns), axis=0)
    for copy, column in zip(stacked, columns, strict=True):
        copy[:, column] = np.roll(rows[:, column], 1)
    return stacked.reshape(-1, rows.shape[1])


def _moved_in_frame(rows: Any, name: Any) -> Any:
    places = np.roll(np.arange(rows.shape[0]), 1)
    other = taken(rows, places)[name]
    if hasattr(rows, "with_columns"):
        return rows.with_columns(other)
    changed = rows.copy()
    changed[name] = other.array
    return changed


def _through(first: tuple[Any, ...], X: Any) -> Any:
    for steps in first:
        X = steps.transform(X)
    return X
