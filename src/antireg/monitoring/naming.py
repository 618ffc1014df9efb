"""Which columns make rows unfamiliar, over the rows since a drift may have begun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.monitoring.betting import N_BETS
from antireg.predictive.values import Array

UNUSUAL = 0.1
"""P-value up to which a row is asked which column makes it unfamiliar."""

OFTEN = 0.2
"""Share of such rows that must name a column for it to be named."""

FAR = 9.0
"""Squared distance from the mean of training, in variances, of a value to be named."""

MOST_NAMED = 3
NOBODY = -1
"""In place of a column, for a row that names none."""

Counts = NDArray[np.int64]


class Naming:
    """Counts, for each bet, of the unusual rows that name each column.

    The last count is of those that name none.

    Args:
        model: What is monitored.
        encoding: How its columns become inputs; None if rows are arrays.
    """

    def __init__(self, model: Any, encoding: Any = None) -> None:
        """Find the names of the columns."""
        self.model, self.encoding = model, encoding
        self.names = _names(model, encoding)
        self.counts: Counts = np.zeros((N_BETS, len(self.names) + 1), np.int64)

    def places(self, X: Array, words: Sequence[str], p: Array) -> list[int | None]:
        """Return the column that each row names, None if it is not unusual, (rows,).

        Args:
            X: Inputs, (rows, features).
            words: What training never had in each row, or nothing at all.
            p: P-values, (rows,).
        """
        found: list[int | None] = [None] * len(X)
        unusual = np.flatnonzero(p <= UNUSUAL)
        if unusual.size:
            said = [words[row] for row in unusual.tolist()] if len(words) else []
            named = self._named(X[unusual], said)
            for row, place in zip(unusual.tolist(), named, strict=True):
                found[row] = place
        return found

    def add(self, place: int | None, start_anew: NDArray[np.bool_]) -> None:
        """Count one row, or forget all rows so far, for each bet, (bets,)."""
        if place is not None:
            self.counts[:, place] += 1
        self.counts[start_anew] = 0

    def columns(self, bet: int) -> tuple[str, ...]:
        """Return the columns that most rows name since a bet wins; none if few do."""
        counts = self.counts[bet]
        order = np.argsort(-counts[:-1], kind="stable")[:MOST_NAMED]
        least = max(1.0, OFTEN * counts.sum())
        return tuple(self.names[k] for k in order if counts[k] >= least)

    def _named(self, X: Array, words: Sequence[str]) -> list[int]:
        if self.encoding is None:
            return _farthest(self.model, X)
        # Imported where used: tables need an extra, arrays do not.
        from antireg.report.first_columns import first_columns  # noqa: PLC0415

        named = first_columns(self.model, self.encoding, X, words)
        return [self.names.index(name) if name else NOBODY for name in named]


def _farthest(model: Any, X: Array) -> list[int]:
    """Return the column of each row that is farthest from training, if it is far."""
    training = model.training_data_
    away = np.square(model.scaling_.scaled(X) - training.mean)
    # A column that never varied is far as soon as it differs; inputs are float32.
    variance = np.where(training.variance == 0, 1e-9, training.variance)
    terms = away / variance
    farthest = terms.argmax(axis=1)
    far = terms.max(axis=1) > FAR
    return [
        int(k) if is_far else NOBODY for k, is_far in zip(farthest, far, strict=True)
    ]


def _names(model: Any, encoding: Any) -> list[str]:
    if encoding is not None:
        return [column.name for column in encoding.columns]
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return [f"column {k}" for k in range(model.n_features_in_)]
    return [str(name) for name in names]
