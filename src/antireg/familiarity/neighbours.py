"""The nearest of the references in one space: an exact search by blocked products."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Array = NDArray[np.float64]
Places = NDArray[np.intp]

BLOCK_NUMBERS = 2**19
"""Distances that are held at once: few enough to stay in the processor's cache."""

FLOOR = 0.01
"""What is added to a distance before its logarithm is taken, as a part of the median
distance to the fifth neighbour: a row that is there twice is not infinitely familiar.
"""

GROUP = 16
"""References that are searched together for several neighbours."""

FARTHEST = 1e15
"""Coordinates are cut here, so that no square is infinite."""

FIFTH = 5
MOST_ASKED = 1000
"""References by which that median is found."""


@dataclass(frozen=True, eq=False)
class Space:
    """References in one space, and how many of the nearest are asked for.

    Neighbours are found by products in single precision, counted from the mean of the
    references. Their distances are then those of the differences, so that a row that
    is there is at no distance.

    Where there are more columns than axes, the search is along the principal axes of
    the references, and what is found may be a little farther than the nearest. Its
    distance still is that of all columns.

    Args:
        points: (references, columns).
        k: How many.
        n_axes: Along how many the search goes at most.
    """

    points: NDArray[np.floating]
    k: int
    n_axes: int = 64

    @cached_property
    def centre(self) -> NDArray[np.float32]:
        """What all are counted from, (columns,)."""
        return np.asarray(self.points.mean(axis=0, dtype=np.float64), np.float32)

    @cached_property
    def kept(self) -> Tensor:
        """The references as they are compared, (references, columns)."""
        return self._seen(self.points)

    @cached_property
    def axes(self) -> Tensor | None:
        """What the search goes along, (columns, axes); None for all columns."""
        some = self.kept[:MOST_ASKED].double()
        if some.shape[1] <= self.n_axes:
            return None
        return principal_axes(some, self.n_axes).float()

    @cached_property
    def turned(self) -> Tensor:
        """The references, filled up to whole groups, (axes, references)."""
        turned = self._along(self.kept).T
        filled = torch.zeros(len(turned), self._n_groups * GROUP)
        filled[:, : turned.shape[1]] = turned
        return filled

    @cached_property
    def squares(self) -> Tensor:
        """Their squares; infinite where there is no reference, so that none is near."""
        squares = torch.full((self._n_groups * GROUP,), torch.inf)
        squares[: len(self.points)] = self.kept.square().sum(1)
        return squares

    @property
    def _n_groups(self) -> int:
        return -(-len(self.points) // GROUP)

    def near(self, rows: NDArray[np.floating]) -> tuple[Array, Places]:
        """Return the nearest distances, ascending, and whose they are, (rows, k) each.

        They are fewer than k if there are no more references.
        """
        return self._near(rows, self.k, None)

    def own(self, k: int, most: int | None = None) -> Array:
        """Return each reference's distances to its nearest others, (references, k).

        Args:
            k: How many.
            most: Of how many references; None for all.
        """
        points = self.points[:most]
        return self._near(points, k, np.arange(len(points)))[0]

    @cached_property
    def floor(self) -> float:
        """What is added to distances: see `FLOOR`."""
        if len(self.points) < 2:
            return 1.0
        fifth = self.own(FIFTH, MOST_ASKED)[:, -1]
        return FLOOR * float(np.median(fifth)) + 1e-12

    def _near(
        self, rows: NDArray[np.floating], k: int, own: Places | None
    ) -> tuple[Array, Places]:
        k = min(k, len(self.points) - (own is not None))
        numbers = max(self._n_groups * GROUP, k * rows.shape[1])
        step = max(1, BLOCK_NUMBERS // numbers)
        found = [
            self._block(
                self._seen(rows[first : first + step]),
                k,
                None if own is None else torch.from_numpy(own[first : first + step]),
            )
            for first in range(0, len(rows), step)
        ]
        distances, places = zip(*found, strict=True)
        return torch.cat(distances).double().numpy(), torch.cat(places).numpy()

    def _block(self, rows: Tensor, k: int, own: Tensor | None) -> tuple[Tensor, Tensor]:
        # A row's own square is the same for all references: it changes no order.
        along = self._along(rows)
        squares = torch.addmm(self.squares, along, self.turned, alpha=-2)
        if own is not None:
            squares[torch.arange(len(own)), own] = torch.inf
        places = _smallest(squares, k)
        away = self.kept[places] - rows[:, None]
        distances, order = away.square().sum(-1).sqrt().sort(dim=1, stable=True)
        return distances, places.gather(1, order)

    def _along(self, rows: Tensor) -> Tensor:
        return rows if self.axes is None else rows @ self.axes

    def _seen(self, rows: NDArray[np.floating]) -> Tensor:
        # Rows that are float32 stay so: this is a good part of the time.
        away = torch.from_numpy(rows - self.centre).float()
        return away.clamp_(-FARTHEST, FARTHEST)


def principal_axes(rows: Tensor, n_axes: int) -> Tensor:
    """Return the directions in which rows differ most, (columns, axes).

    Args:
        rows: Counted from their mean, (rows, columns).
        n_axes: How many; fewer if there are fewer rows.
    """
    if len(rows) >= rows.shape[1]:
        axes: Tensor = torch.linalg.eigh(rows.T @ rows)[1][:, -n_axes:]
    else:
        sizes, shares = torch.linalg.eigh(rows @ rows.T)
        largest = sizes[-n_axes:].clamp(min=1e-12 * float(sizes[-1]) + 1e-300)
        axes = rows.T @ (shares[:, -n_axes:] / largest.sqrt())
    return axes


def _smallest(values: Tensor, k: int) -> Tensor:
    """Return the places of the k smallest values of each row, (rows, k).

    Those of k groups with the smallest members are looked at alone: the others hold
    none of them.

    Args:
        values: (rows, whole groups).
        k: How many.
    """
    if k == 1:  # NumPy is several times faster here
        return torch.from_numpy(values.numpy().argmin(1)[:, None])
    n_groups = values.shape[1] // GROUP
    if n_groups <= k:
        return values.topk(k, dim=1, largest=False, sorted=False).indices
    smallest = values.view(len(values), GROUP, n_groups).amin(1)
    groups = smallest.topk(k, dim=1, largest=False, sorted=False).indices
    members = n_groups * torch.arange(GROUP)
    places = (groups[:, :, None] + members).flatten(1)
    near = values.gather(1, places)
    best = near.topk(k, dim=1, largest=False, sorted=False).indices
    return places.gather(1, best)
