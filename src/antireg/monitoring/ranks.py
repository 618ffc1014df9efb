"""How unusual a score is among all scores seen so far: conformal p-values.

If validation rows and new rows come from one distribution, in any order alike, the
p-value of each new row is uniform between 0 and 1 and independent of those before it,
however few the validation rows were. That is exact only if each new row is added to
the rows that the next is compared with, so this is done.

Scores are rounded to 256 steps for each power of two, the same for all rows. So a
stream of any length is remembered as counts of some thousand rounded scores.

References:
    Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random World", 2005.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from antireg.predictive.values import Array

DROPPED_BITS = 44
"""Of the 52 bits after a score's leading one; the other eight are compared."""


class Ranks:
    """Counts of rounded scores, ascending.

    Args:
        keys: Ascending.
        counts: How many scores have each.
    """

    def __init__(self, keys: list[int], counts: NDArray[np.int64]) -> None:
        """Start, or resume."""
        self.keys, self.counts = keys, counts
        self.total = int(counts.sum())

    @classmethod
    def of(cls, keys: NDArray[np.int64]) -> Ranks:
        """Return the counts of keys in any order."""
        found, counts = np.unique(keys, return_counts=True)
        return cls(found.tolist(), counts.astype(np.int64))

    def p_value(self, key: int, share: float) -> float:
        """Return the p-value of one more score, and add it.

        It is  (scores above + share · scores as high) / all scores,  each count with
        the new score in it.

        Args:
            key: Of the score.
            share: Between 0 and 1, drawn at random: scores as high count for that much.
        """
        place = bisect_left(self.keys, key)
        if place == len(self.keys) or self.keys[place] != key:
            self.keys.insert(place, key)
            self.counts = np.insert(self.counts, place, 0)
        self.counts[place] += 1
        self.total += 1
        above = int(self.counts[place + 1 :].sum())
        return (above + share * int(self.counts[place])) / self.total


def keys_of(scores: Array) -> NDArray[np.int64]:
    """Return whole numbers in the order of the scores, equal for nearly equal ones."""
    bits = np.ascontiguousarray(scores, dtype=np.float64).view(np.int64)
    size = (bits & np.int64(2**63 - 1)) >> DROPPED_BITS
    return np.where(bits < 0, -size, size)
