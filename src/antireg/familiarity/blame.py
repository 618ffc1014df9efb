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

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from antireg.familiarity.columns import Columns, rarities
from antireg.familiarity.joining import Normalisation, Signalling
from antireg.familiarity.neighbours import FLOOR, Array
from antireg.familiarity.pairs import Pairs
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

BLOCK_NUMBERS = 2**16
"""Distances that are held at once: few enough to stay in the processor's cache."""


class Part(NamedTuple):
    """The references as one column has them.

    Attributes:
        features: Which are its own.
        turned: The references, counted from their mean, (features, references).
        squares: Their squared lengths, (references,).
    """

    features: slice
    turned: NDArray[np.float32]
    squares: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Blame:
    """Computes how much each column makes rows unfamiliar.

    Attributes:
        references: As the network sees them, (references, features).
        owners: Index of the column of each feature, ascending, (features,).
        low: Where values are cut, (features,).
        high: Where they are cut at the other end, (features,).
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
            kept,
            owners,
            low - width,
            high + width,
            Columns().init(signalling.reference) if memory is None else memory,
            floor=0.0,
            usual=np.zeros(n_columns + 1),
            near_scale=normal.scale.get("nearest", 1.0),
            middle=normal.middle.get("columns", 0.0),
            scale=normal.scale.get("columns", 1.0),
        )
        own = np.arange(min(len(kept), MOST_USUAL))
        apart = bare._nearest(kept[own], own if len(kept) > 1 else None)
        floor = FLOOR * float(np.median(apart[:, -1])) + 1e-12
        usual = np.median(np.log(apart + floor), axis=0)
        return replace(bare, floor=floor, usual=usual)

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

    @cached_property
    def pairs(self) -> Pairs:
        """What finds values that the references never have together."""
        return Pairs(self.references, self.owners)

    @cached_property
    def _centre(self) -> NDArray[np.float32]:
        """What rows and references are counted from, (features,)."""
        return np.asarray(self.references.mean(axis=0))

    @cached_property
    def _parts(self) -> list[Part]:
        """The references by each column, and last by all together."""
        known = self.references - self._centre
        turned = np.ascontiguousarray(known.T)
        n_columns = int(self.owners[-1]) + 1
        ends = np.searchsorted(self.owners, np.arange(n_columns + 1)).tolist()
        mine = [*map(slice, ends[:-1], ends[1:]), slice(0, ends[-1])]
        return [Part(j, turned[j], np.square(known[:, j]).sum(axis=1)) for j in mine]

    def _nearest(
        self, inputs: NDArray[np.float32], own: NDArray[np.intp] | None
    ) -> Array:
        """Return d_c of each column, and last that of all together."""
        n_known = len(self.references)
        step = max(1, BLOCK_NUMBERS // n_known)
        found = np.empty((len(inputs), len(self._parts)), np.float32)
        room = np.empty((2, min(step, len(inputs)), n_known), np.float32)
        for first in range(0, len(inputs), step):
            rows = slice(first, first + step)
            x = np.clip(inputs[rows], self.low, self.high) - self._centre
            self._block(x, None if own is None else own[rows], room, found[rows])
        return np.sqrt(np.maximum(found, 0), dtype=np.float64)

    def _block(
        self,
        x: NDArray[np.float32],
        own: NDArray[np.intp] | None,
        room: NDArray[np.float32],
        out: NDArray[np.float32],
    ) -> None:
        """Write the least squared distances without each column, and with all."""
        whole, apart = room[:, : len(x)]
        _squared_distances(x, self._parts[-1], whole)
        if own is not None:
            whole[np.arange(len(own)), own] = np.inf
        whole.min(axis=1, out=out[:, -1])
        for column, part in enumerate(self._parts[:-1]):
            _squared_distances(x[:, part.features], part, apart)
            np.subtract(whole, apart, out=apart)
            apart.min(axis=1, out=out[:, column])


def _squared_distances(
    x: NDArray[np.float32], part: Part, out: NDArray[np.float32]
) -> None:
    """Write how far rows are from references, squared, (rows, references)."""
    if len(part.turned) == 1:
        np.subtract(x, part.turned, out=out)
        np.square(out, out=out)
        return
    # By PyTorch: in every worker, NumPy would start threads that wait for each other.
    torch.matmul(
        torch.from_numpy(-2 * x),
        torch.from_numpy(part.turned),
        out=torch.from_numpy(out),
    )
    out += part.squares
    out += np.square(x).sum(axis=1)[:, None]


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
