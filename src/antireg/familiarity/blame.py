"""Which columns make a row unfamiliar: those without which it would be familiar.

Let d_c(x) be the distance of a row to the nearest reference, without the features of
column c, and a_c(x) the score of that column alone, as in the signal `columns`. Then

    u_c = max(log(d_c + φ) − m_c, 0) / s + max(max_{k ≠ c} a_k − m, 0) / t,

is how unfamiliar the row is without c: m_c is the median of log(d_c + φ) of references,
and s, m and t are those by which the signals are joined. The first term is at most that
of the row as a whole: no row is farther for being asked less. With u of the whole row,
the blame of c is u − u_c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from antireg.familiarity.columns import Columns, rarities
from antireg.familiarity.joining import Normalisation, Signalling
from antireg.familiarity.neighbours import FLOOR, Array
from antireg.familiarity.signal import Memory

MOST_PRODUCTS = 2**12
"""Comparisons of a row with references and columns, so that blame costs about as much
as the score."""

FEWEST, MOST = 64, 500
"""References that rows are compared with."""

MOST_USUAL = 200
"""References by which the medians are found."""

REACH = 2.0
"""Values are cut at so many widths of their range outside it: without a column, its
value would otherwise be lost in the rounding of the others."""

BLOCK_NUMBERS = 2**18


@dataclass(frozen=True, eq=False)
class Blame:
    """Computes how much each column makes rows unfamiliar.

    Attributes:
        references: As the network sees them, (references, features).
        owners: Index of the column of each feature, ascending, (features,).
        low: Where values are cut, (features,).
        high: See there.
        memory: Of the signal `columns`.
        floor: φ.
        usual: m_c of each column, and last of all together, (columns + 1,).
        near_scale: s.
        middle: m.
        scale: t.
    """

    references: NDArray[np.float32]
    owners: NDArray[np.intp]
    low: NDArray[np.float32]
    high: NDArray[np.float32]
    memory: Memory
    floor: float
    usual: Array
    near_scale: float
    middle: float
    scale: float

    @classmethod
    def learned(
        cls, signalling: Signalling, normal: Normalisation, owners: NDArray[np.intp]
    ) -> Blame:
        """Return the blame of columns for a model's signals.

        Args:
            signalling: Has the references.
            normal: By which its signals are joined.
            owners: Index of the column that each feature belongs to, (features,).
        """
        n_columns = int(owners.max()) + 1
        most = int(np.clip(MOST_PRODUCTS // n_columns, FEWEST, MOST))
        kept = signalling.reference.inputs[:most].astype(np.float32)
        memory = signalling.memories.get("columns")
        low, high = kept.min(axis=0), kept.max(axis=0)
        width = REACH * np.where(high > low, high - low, 1)
        bare = cls(
            *(kept, owners, low - width, high + width),
            Columns().init(signalling.reference) if memory is None else memory,
            *(0.0, np.zeros(n_columns + 1), normal.scale.get("nearest", 1.0)),
            *(normal.middle.get("columns", 0.0), normal.scale.get("columns", 1.0)),
        )
        own = np.arange(min(len(kept), MOST_USUAL))
        apart = bare._nearest(kept[own], own if len(kept) > 1 else None)
        floor = FLOOR * float(np.median(apart[:, -1])) + 1e-12
        usual = np.median(np.log(apart + floor), axis=0)
        return cls(**vars(bare) | {"floor": floor, "usual": usual})

    def __call__(self, inputs: NDArray[np.float32]) -> tuple[Array, Array]:
        """Return the blame of each column, and a_c, (rows, columns) each.

        Args:
            inputs: As the network sees them, (rows, features).
        """
        rare = self.rarity(inputs)
        apart = np.log(self._nearest(inputs, None) + self.floor)
        near = np.maximum(apart - self.usual, 0) / self.near_scale
        near = np.minimum(near, near[:, -1:])
        alone = np.maximum(_largest_others(rare) - self.middle, 0) / self.scale
        without = near + alone
        return np.asarray(without[:, -1:] - without[:, :-1]), rare

    def rarity(self, inputs: NDArray[np.float32]) -> Array:
        """Return a_c, how unusual the value of each column is by itself."""
        found = np.ones((len(inputs), int(self.owners[-1]) + 1))
        for column, rarity in zip(
            self.owners, rarities(inputs, self.memory), strict=True
        ):
            np.maximum(found[:, column], rarity, out=found[:, column])
        return np.log(found)

    def _features(self, column: int) -> slice:
        """Return which features belong to a column."""
        ends = np.searchsorted(self.owners, [column, column + 1])
        return slice(int(ends[0]), int(ends[1]))

    def _nearest(
        self, inputs: NDArray[np.float32], own: NDArray[np.intp] | None
    ) -> Array:
        """Return d_c of each column, and last that of all together."""
        step = max(1, BLOCK_NUMBERS // len(self.references))
        parts = [
            self._block(
                np.clip(inputs[first : first + step], self.low, self.high),
                None if own is None else own[first : first + step],
            )
            for first in range(0, len(inputs), step)
        ]
        return np.sqrt(np.maximum(np.concatenate(parts), 0), dtype=np.float64)

    def _block(
        self, x: NDArray[np.float32], own: NDArray[np.intp] | None
    ) -> NDArray[np.float32]:
        """Return the least squared distances without each column, and with all."""
        centre = self.references.mean(axis=0)
        x, known = x - centre, self.references - centre
        squares = np.square(known).sum(axis=1)
        whole = squares - 2 * product(x, known.T) + np.square(x).sum(axis=1)[:, None]
        if own is not None:
            whole[np.arange(len(own)), own] = np.inf
        found = np.empty((len(x), int(self.owners[-1]) + 2), np.float32)
        found[:, -1] = whole.min(axis=1)
        for column in range(found.shape[1] - 1):
            j = self._features(column)
            if j.stop - j.start == 1:
                apart = np.square(x[:, j] - known[:, j].T)
            else:
                inner = product(x[:, j], -2 * known[:, j].T)
                apart = inner + np.square(known[:, j]).sum(axis=1)
                apart += np.square(x[:, j]).sum(axis=1)[:, None]
            np.subtract(whole, apart, out=apart)
            apart.min(axis=1, out=found[:, column])
        return found


def product(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of matrices by PyTorch, on as many threads as it may use.

    NumPy would start threads of its own in every worker, which wait for each other.
    """
    found: NDArray[np.float32] = torch.matmul(
        torch.from_numpy(a), torch.from_numpy(b)
    ).numpy()
    return found


def _largest_others(values: Array) -> Array:
    """Return the largest of the other columns, and last of all, (rows, columns + 1)."""
    places = values.argmax(axis=1)
    rows = np.arange(len(values))
    most = values[rows, places]
    others = values.copy()
    others[rows, places] = 0.0
    found = np.repeat(most[:, None], values.shape[1] + 1, axis=1)
    found[rows, places] = others.max(axis=1)
    return found
