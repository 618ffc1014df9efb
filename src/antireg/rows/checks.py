"""Checks of what users pass in, before any training."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    column_or_1d,
    validate_data,
)

from antireg.rows.stored import Stored, stored_rows

Array = NDArray[np.float64]


def check_validation(given: Any) -> tuple[Any, Any, Any]:
    """Return inputs, targets and weights; weights are None if not given."""
    sized = isinstance(given, tuple | list)
    if not isinstance(given, tuple) or len(given) not in (2, 3):
        raise ValueError(
            "validation_data must be a tuple (X, y) or (X, y, sample_weight), got "
            f"{type(given).__name__}" + (f" of {len(given)}." if sized else ".")
        )
    return given[0], given[1], given[2] if len(given) == 3 else None


def check_weight(weight: Any, X: Array | Stored) -> Array | None:
    """Return the weights of the rows with a mean of 1, (rows,); None without any."""
    if weight is None:
        return None
    if np.isscalar(weight):
        weight = np.full(len(X), weight)
    checked: Array = check_array(
        weight, dtype=np.float64, ensure_2d=False, input_name="sample_weight"
    )
    if checked.shape != (len(X),):
        raise ValueError(
            f"sample_weight must be one number per row, ({len(X)},), got the shape "
            f"{checked.shape}."
        )
    if checked.min() < 0:
        raise ValueError(
            f"sample_weight must be 0 or more, got {checked.min():g}. "
            "Give rows that should not count a weight of 0."
        )
    if not checked.any():
        raise ValueError(
            "sample_weight must have at least one non-zero number, got only zeros. "
            "Leave it out to count all rows the same."
        )
    normed: Array = checked / checked.mean()
    return normed


def _is_gap(label: object) -> bool:
    """Return whether a label is None or not a number."""
    return label is None or (isinstance(label, float) and math.isnan(label))


def check_groups(groups: Any, X: Array | Stored) -> NDArray[Any] | None:
    """Return which rows belong together, as numbers, (rows,), if that is given."""
    if groups is None:
        return None
    if isinstance(groups, str):
        raise ValueError(
            f"groups must be one label per row, got {groups!r}. Pass the column itself."
        )
    named = column_or_1d(groups)
    if len(named) != len(X):
        raise ValueError(
            f"groups must be one label per row, ({len(X)},), got {len(named)}."
        )
    n_gaps = sum(map(_is_gap, named.tolist())) if named.dtype.kind in "fMO" else 0
    if n_gaps:
        raise ValueError(
            f"groups must have a label in every row, got {n_gaps:,} "
            f"row{'' if n_gaps == 1 else 's'} without one."
        )
    try:
        numbers: NDArray[Any] = np.unique(named, return_inverse=True)[1]
    except TypeError as error:
        raise ValueError(
            f"groups must be labels of one kind, got some that do not compare ({error})"
            ". Turn them into strings."
        ) from error
    return numbers


def check_amounts(y: Any) -> Any:
    """Return the targets of a regressor as they are; raise if some are words."""
    targets = np.asarray(y)
    for value in (
        targets.ravel() if targets.ndim and targets.dtype.kind in "OSU" else ()
    ):
        try:
            float(value)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"y must hold numbers for a regressor, got {value!s:.80}. For labels, "
                "use EnsembleClassifier or TrustedClassifier."
            ) from error
    return y


NO_TARGETS = object()


@contextmanager
def saying_what_to_do() -> Iterator[None]:
    """Let errors of scikit-learn on words and gaps name this library's way out."""
    try:
        yield
    except ValueError as error:
        said = str(error)
        if said.startswith("could not convert string to float"):
            word = said.partition(": ")[2]
            raise ValueError(f"X must hold numbers, got {word}. {ENCODE}") from None
        if said.startswith("Input X contains NaN"):
            raise ValueError(f"Input X contains NaN. {ENCODE}") from None
        raise


ENCODE = (
    "Put antireg.TableEncoder() before the estimator in a Pipeline, which encodes "
    "words and gaps of a DataFrame, or leave out such columns or rows."
)


def check_rows(
    model: Any, X: Any, y: Any = NO_TARGETS, *, reset: bool, **rules: Any
) -> tuple[Any, Any]:
    """Return inputs and targets as arrays, or say what is wrong with them.

    A large memmap is checked piece by piece and stays on disk.

    Args:
        model: The estimator.
        X: Inputs; rows of several axes are flattened for a network of the user's own.
        y: Targets; left out to check inputs only. None is an error, as in scikit-learn.
        reset: Whether to learn the features from these rows or to require the old ones.
        **rules: For the targets, as in scikit-learn's `validate_data`.
    """
    with saying_what_to_do():
        return _checked(model, X, y, reset=reset, **rules)


def _checked(
    model: Any, X: Any, y: Any, *, reset: bool, **rules: Any
) -> tuple[Any, Any]:
    dtype = (np.float64, np.float32)
    X = _flattened(model, X, reset)
    stored = stored_rows(X)
    if stored is None and y is NO_TARGETS:
        return validate_data(model, X, reset=reset, dtype=dtype), None
    if stored is None:
        checked: tuple[Any, Any] = validate_data(
            model, X, y, reset=reset, dtype=dtype, **rules
        )
        return checked
    for rows in stored.chunks():  # an error says what is wrong, as for any array
        check_array(rows, dtype=dtype, estimator=model, input_name="X")
    validate_data(model, stored[:1], reset=reset)
    if y is not NO_TARGETS:
        y = validate_data(model, y=y, reset=False, **rules)
        check_consistent_length(stored, y)
    return stored, y


def _flattened(model: Any, X: Any, reset: bool) -> Any:
    """Return rows as (rows, columns); remember or require the axes of a row."""
    if getattr(X, "ndim", 2) <= 2 or getattr(model, "network", None) is None:
        return X
    shape = tuple(X.shape[1:])
    if reset:
        model.input_shape_ = shape
    elif shape != getattr(model, "input_shape_", None):
        known = getattr(model, "input_shape_", (model.n_features_in_,))
        raise ValueError(f"X must have rows of shape {known} as in fit, got {shape}.")
    return X.reshape(len(X), -1)


def logarithms(y: Array) -> Array:
    """Return log y, (rows, targets); raise if some is not above 0."""
    if y.min() <= 0:
        row = int(np.argmin(y.min(axis=1)))
        raise ValueError(
            'y must be above 0 for target_transform="log" (--log-target), got '
            f"{y.min():g} in row {row + 1:,}. Leave such rows or the transform out."
        )
    return np.log(y)


class Labelled(NamedTuple):
    """Rows as a user passes them: inputs, targets, perhaps weights and groups."""

    X: Array | Stored
    y: Any
    weight: Array | None
    groups: NDArray[Any] | None = None

    def where(self, chosen: NDArray[np.bool_]) -> Labelled:
        """Return the chosen rows."""
        weight = None if self.weight is None else self.weight[chosen]
        groups = None if self.groups is None else self.groups[chosen]
        return Labelled(self.X[chosen], self.y[chosen], weight, groups)

    def counted(self) -> Labelled:
        """Return the rows of weight > 0; if none is 0, all rows without a copy."""
        if self.weight is None or self.weight.all():
            return self
        return self.where(self.weight > 0)

    def places(self) -> NDArray[np.intp]:
        """Return the indices of the rows of weight > 0, (counted rows,)."""
        weight = np.ones(len(self.X)) if self.weight is None else self.weight
        return np.flatnonzero(weight)


LARGEST = 1e30
"""Settings must stay below this, well within the range of single precision."""


def shown(value: object) -> str:
    """Return a value as Python writes it, shortened to one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an object whose own repr fails
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:79]}…"
