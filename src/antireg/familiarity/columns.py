"""How unusual the most unusual value of a row is in its own column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import Memory, Reference, Seen, Signal

MOST_VALUES = 1000
"""Most references that a column is compared with."""

ROWS_PER_NEIGHBOUR = 250
"""A value that occurs twice in this many rows is not unusual."""

SLACK = 1 - 1e-6
"""It treats distances as equal that differ only by rounding."""


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
        known = reference.inputs if reference.values is None else reference.values
        values = np.sort(known[:MOST_VALUES].astype(np.float64), axis=0)
        # A reference's nearest value is its own, so take one neighbour more.
        own = list(_distances(values, values, neighbours(len(values)) + 1))
        return {"values": values, "own": np.sort(np.stack(own, axis=1), axis=0)}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shapes: one number per reference and column for both."""
        n_rows, n_columns = reference.inputs.shape
        shape = (min(n_rows, MOST_VALUES), n_columns)
        return {"values": shape, "own": shape}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return the largest score over columns, (rows,)."""
        worst = np.ones(rows.inputs.shape[0])
        for rarity in rarities(rows.inputs, memory):
            np.maximum(worst, rarity, out=worst)
        return np.asarray(np.log(worst))


def rarities(inputs: NDArray[np.floating], memory: Memory) -> Iterator[Array]:
    """Yield e to the score of each column, one after the other, (rows,)."""
    values, own = memory["values"], memory["own"]
    n, largest = len(values), largest_distances(values, own)
    for j, away in enumerate(_distances(inputs, values, neighbours(n))):
        as_large = n - np.searchsorted(own[:, j], away * SLACK)
        yield (n + 1) / (1 + as_large) * np.maximum(away / largest[j], 1)


def neighbours(n_values: int) -> int:
    """Return k, which neighbour of a value counts."""
    return 1 + n_values // ROWS_PER_NEIGHBOUR


def largest_distances(values: Array, own: Array) -> Array:
    """Return D_j, above 0 even of a column that never changes, (columns,).

    Args:
        values: Each column ascending, (values, columns).
        own: Distances of references, each column ascending, (values, columns).
    """
    reach = values[-1] - values[0]
    return np.asarray(np.maximum(own[-1], 1e-3 * reach + 1e-12))


def _distances(rows: NDArray[np.floating], values: Array, k: int) -> Iterator[Array]:
    """Yield the distance of rows to the k-th nearest value, column by column, (rows,).

    Args:
        rows: (rows, columns).
        values: Each column ascending, (values, columns).
        k: Which; the last one if there are no more.
    """
    k = min(k, len(values))
    for x, known in zip(rows.T.astype(np.float64), values.T.copy(), strict=True):
        # Of all windows of k values, the nearest begins at the first whose begin is
        # no farther than the value that follows its end.
        begin = np.searchsorted((known[:-k] + known[k:]) / 2, x)
        yield np.maximum(x - known[begin], known[begin + k - 1] - x)
