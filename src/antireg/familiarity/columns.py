"""How unusual the most unusual value of a row is in its own column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import Memory, Reference, Seen, Signal

MOST_VALUES = 1000
"""Most references that a column is compared with."""

ROWS_PER_NEIGHBOUR = 250
"""A value that occurs twice in this many rows is not unusual."""


class Columns(Signal):
    """The score of the most unusual column.

    d_j(x) is the distance of x_j to the k-th nearest value of column j among n
    references, k = 1 + n // 250. The score of a column is

        −log((1 + #{references with d_j as large}) / (n + 1)) + log max(d_j / D_j, 1),

    where D_j is the largest d_j of a reference. So rare values, values outside the
    range of training, and values in a gap of it all score high.
    """

    least_scale = 0.5
    for_doubt = False

    def init(self, reference: Reference) -> Memory:
        """Learn the values of each column, and the distances of references, sorted."""
        values = np.sort(reference.inputs[:MOST_VALUES].astype(np.float64), axis=0)
        # A reference's nearest value is its own, so take one neighbour more.
        own = _distances(values, values, neighbours(len(values)) + 1)
        return {"values": values, "own": np.sort(own, axis=0)}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shapes: one number per reference and column for both."""
        n_rows, n_columns = reference.inputs.shape
        shape = (min(n_rows, MOST_VALUES), n_columns)
        return {"values": shape, "own": shape}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return the largest score over columns, (rows,)."""
        values, own = memory["values"], memory["own"]
        n = len(values)
        found = _distances(rows.inputs, values, neighbours(n))
        largest = np.maximum(own[-1], 1e-3 * (values[-1] - values[0]) + 1e-12)
        worst = np.zeros(len(found))
        for j in range(found.shape[1]):
            # The slack treats distances as equal that differ only by rounding.
            as_large = n - np.searchsorted(own[:, j], found[:, j] * (1 - 1e-6))
            score = -np.log((1 + as_large) / (n + 1))
            score += np.log(np.maximum(found[:, j] / largest[j], 1))
            np.maximum(worst, score, out=worst)
        return worst


def neighbours(n_values: int) -> int:
    """Return k, which neighbour of a value counts."""
    return 1 + n_values // ROWS_PER_NEIGHBOUR


def _distances(rows: NDArray[np.floating], values: Array, k: int) -> Array:
    """Return the distance to the k-th nearest value of each column, shaped as rows."""
    n, distances = len(values), np.empty(rows.shape)
    k = min(k, n)
    for j in range(rows.shape[1]):
        known, x = values[:, j], rows[:, j].astype(np.float64)
        place = np.searchsorted(known, x)
        best = np.full(len(x), np.inf)
        for shift in range(k + 1):  # every window of k sorted values around x
            low, high = place - k + shift, place + shift - 1
            inside = (low >= 0) & (high < n)
            reach = np.maximum(
                np.abs(x - known[np.clip(low, 0, n - 1)]),
                np.abs(x - known[np.clip(high, 0, n - 1)]),
            )
            np.minimum(best, np.where(inside, reach, np.inf), out=best)
        distances[:, j] = best
    return distances
