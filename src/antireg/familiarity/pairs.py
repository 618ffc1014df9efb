"""Values that are usual each by itself, but never seen together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.intp]
Bits = NDArray[np.uint64]

WINDOW = 0.05
"""Values of a column are alike if they differ by at most this share of its range."""

FEWEST_EXPECTED = 2.0
"""Rows that would have both values by chance, if columns had nothing to do with each
other: if they are fewer, that none has both says little."""

BLOCK_NUMBERS = 2**16

ONES = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1)
"""How many bits of a byte are set."""


class Alike(NamedTuple):
    """Which references have values near one, as one bit for each reference.

    Attributes:
        values: Of a feature, each once, ascending, (values,).
        below: The references with smaller ones than each, and last all, (values + 1,
            words of 64 bits).
        wide: How far values are alike.
    """

    values: NDArray[np.floating]
    below: Bits
    wide: float

    def __call__(self, x: NDArray[np.floating]) -> Bits:
        """Return the references alike to each value, (rows, words)."""
        first = np.searchsorted(self.values, x - self.wide)
        last = np.searchsorted(self.values, x + self.wide, side="right")
        return np.asarray(self.below[first] ^ self.below[last])


@dataclass(frozen=True, eq=False)
class Pairs:
    """Finds pairs of values that no reference has.

    Attributes:
        references: (references, features).
        owners: Index of the column of each feature, ascending, (features,).
    """

    references: NDArray[np.floating]
    owners: Places

    def unseen_partners(self, inputs: NDArray[np.floating], columns: Places) -> Places:
        """Return the column whose value is never with that of the first, (rows,).

        Of several it is the one of which most references were to be expected; −1 if
        there is none.

        Args:
            inputs: As the network sees them, (rows, features).
            columns: The first column of each row, then those to compare it with, all
                different, (rows, columns).
        """
        if not len(inputs) or columns.shape[1] < 2:
            return np.full(len(inputs), -1)
        words = -(-len(self.references) // 64)
        step = max(1, BLOCK_NUMBERS // (words * columns.shape[1]))
        parts = [
            self._block(inputs[first : first + step], columns[first : first + step])
            for first in range(0, len(inputs), step)
        ]
        return np.concatenate(parts)

    @cached_property
    def _alike(self) -> list[Alike]:
        """What finds references by each feature."""
        return [_alike(values) for values in self.references.T]

    def _block(self, inputs: NDArray[np.floating], columns: Places) -> Places:
        words = self._alike[0].below.shape[1]
        bits: Bits = np.full((columns.size, words), np.uint64(2**64 - 1))
        rows = np.repeat(np.arange(len(columns)), columns.shape[1])
        asked = columns.ravel()
        for column in np.unique(asked):
            cells = np.flatnonzero(asked == column)
            for j in np.flatnonzero(self.owners == column):
                bits[cells] &= self._alike[j](inputs[rows[cells], j])
        alike: Bits = bits.reshape(*columns.shape, words)
        both: Bits = np.bitwise_or.reduce(alike[:, 1:] & alike[:, :1], axis=2)
        never = both == 0
        found = np.full(len(columns), -1)
        some = np.flatnonzero(never.any(axis=1))
        single = ONES[alike[some].view(np.uint8)].sum(axis=2)
        expected = single[:, 1:] * single[:, :1] / len(self.references)
        expected = np.where(never[some], expected, 0.0)
        best = expected.argmax(axis=1)
        enough = expected[np.arange(len(some)), best] >= FEWEST_EXPECTED
        found[some] = np.where(enough, columns[some, best + 1], -1)
        return found


def _alike(values: NDArray[np.floating]) -> Alike:
    known, places = np.unique(values, return_inverse=True)
    rows = np.arange(len(values))
    mine = np.zeros((len(known) + 1, -(-len(values) // 64)), np.uint64)
    bits = np.left_shift(np.uint64(1), (rows % 64).astype(np.uint64))
    np.bitwise_or.at(mine, (places + 1, rows // 64), bits)
    wide = WINDOW * float(known[-1] - known[0]) + 1e-6
    return Alike(known, np.bitwise_or.accumulate(mine, axis=0), wide)
