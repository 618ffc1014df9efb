"""Which columns make rows unfamiliar, over the rows since a drift may have begun."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.monitoring.betting import N_BETS
from antireg.monitoring.blocks import blocks
from antireg.predictive.values import Array
from antireg.report.first_columns import first_columns

UNUSUAL = 0.1
"""P-value up to which a row is asked which column makes it unfamiliar."""

OFTEN = 0.2
"""Share of such rows that must name a column for it to be named."""

MOST_NAMED = 3
NOBODY = -1
"""In place of a column, for a row that names none."""

Counts = NDArray[np.int64]


class Naming:
    """Counts, for each bet, of the unusual rows that name each column.

    The last count is of those that name none.

    Args:
        model: What is monitored.
    """

    def __init__(self, model: Any) -> None:
        """Find the names of the columns."""
        self.model = model
        self.names = [column.name for column in model.columns().columns]
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
        """Return the column of each row, (rows,), whatever rows are beside it."""
        found: list[str] = []
        for places in blocks(len(X)):
            said = [words[place] for place in places.tolist()] if len(words) else []
            found += first_columns(self.model, X[places], said)
        named = found[: len(X)]
        return [self.names.index(name) if name else NOBODY for name in named]
