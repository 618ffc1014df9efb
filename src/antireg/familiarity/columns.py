"""How unusual the most unusual value of a row is in its own column."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import ALL_SCORES, Memory, Reference, Seen, Signal

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
    by_agreement = True

    def init(self, reference: Reference) -> Memory:
        """Learn the values of each column, and the distances of references, sorted."""
        known = reference.inputs if reference.values is None else reference.values
        values = np.sort(known[:MOST_VALUES].astype(np.float64), axis=0)
        # A reference's nearest value is its own, so take one neighbour more.
        k = neighbours(len(values)) + 1
        own = [_distances(column, column, k) for column in values.T.copy()]
        return {"values": values, "own": np.sort(np.stack(own, axis=1), axis=0)}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shapes: one number per reference and column for both."""
        n_rows, n_columns = reference.inputs.shape
        shape = (min(n_rows, MOST_VALUES), n_columns)
        return {"values": shape, "own": shape}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return the signal, (rows,)."""
        return self.score_above(rows, reference, memory, ALL_SCORES)

    def score_above(
        self, rows: Seen, reference: Reference, memory: Memory, least: float | Array
    ) -> Array:
        """Return the largest score over columns, (rows,)."""
        low, high = usual_range(memory, float(np.min(least)))
        usual = (rows.inputs >= low) & (rows.inputs <= high)
        worst = np.ones(len(usual))
        for j, column in enumerate(usual.T.copy()):
            if (odd := np.flatnonzero(~column)).size:
                rare = _rarity(rows.inputs[odd, j], memory, j)
                worst[odd] = np.maximum(worst[odd], rare)
        return np.asarray(np.log(worst))


def rarities(inputs: NDArray[np.floating], memory: Memory) -> Iterator[Array]:
    """Yield e to the score of each column, one after the other, (rows,)."""
    for j, x in enumerate(inputs.T):
        yield _rarity(x, memory, j)


def usual_range(memory: Memory, least: float) -> tuple[Array, Array]:
    """Return between which values of each column scores are at most `least`.

    Values outside may score as little. Both ends are (columns,); where no value is
    known to, the first is above the second.
    """
    values, own = memory["values"], memory["own"]
    n, k = len(values), min(neighbours(len(values)), len(values))
    if least < 0:
        return np.full(values.shape[1], np.inf), np.full(values.shape[1], -np.inf)
    # A value scores low enough if at most so many references have a lower distance.
    reach = own[min(int((n + 1) * -np.expm1(-least)), n - 1)]
    # Values in [low, high] are at most that far from the window of k values.
    low, high = values[k - 1 :] - reach, values[: n - k + 1] + reach
    middle = (n - k) // 2
    apart = low[1:] > high[:-1]
    apart |= (low > high)[1:] | (low > high)[:-1]
    end = np.ones((1, values.shape[1]), bool)
    up = np.concatenate([apart[middle:], end]).argmax(axis=0)
    down = np.concatenate([apart[:middle][::-1], end]).argmax(axis=0)
    column = np.arange(values.shape[1])
    return low[middle - down, column], high[middle + up, column]


def neighbours(n_values: int) -> int:
    """Return k, which neighbour of a value counts."""
    return 1 + n_values // ROWS_PER_NEIGHBOUR


def largest_distances(values: Array, own: Array) -> Array:
    """Return D_j, above 0 even of a column that never changes, (...).

    Args:
        values: Each column ascending, (values, ...).
        own: Distances of references, each column ascending, (values, ...).
    """
    reach = values[-1] - values[0]
    return np.asarray(np.maximum(own[-1], 1e-3 * reach + 1e-12))


def _rarity(x: NDArray[np.floating], memory: Memory, j: int) -> Array:
    """Return e to the score of values of a column, (rows,)."""
    values, own = memory["values"][:, j], memory["own"][:, j]
    n = len(values)
    away = _distances(x, values, neighbours(n))
    as_large = n - np.searchsorted(own, away * SLACK)
    beyond = np.maximum(away / largest_distances(values, own), 1)
    return np.asarray((n + 1) / (1 + as_large) * beyond)


def _distances(x: NDArray[np.floating], known: Array, k: int) -> Array:
    """Return the distance of values to the k-th nearest value of a column, (rows,).

    Args:
        x: (rows,).
        known: Ascending, (values,).
        k: Which; the last one if there are no more.
    """
    x, k = x.astype(np.float64), min(k, len(known))
    # Of all windows of k values, the nearest begins at the first whose begin is
    # no farther than the value that follows its end.
    begin = np.searchsorted((known[:-k] + known[k:]) / 2, x)
    return np.asarray(np.maximum(x - known[begin], known[begin + k - 1] - x))
