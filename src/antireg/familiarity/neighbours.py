"""The nearest of the references in one space: an exact search by blocked products."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.familiarity.smallest import GROUP, Places, smallest

Array = NDArray[np.float64]

BLOCK_NUMBERS = 2**19
"""Distances that are held at once: few enough to stay in the processor's cache."""

FLOOR = 0.01
"""What is added to a distance before its logarithm is taken, as a part of the median
distance to the fifth neighbour: a row that is there twice is not infinitely familiar.
"""

FARTHEST = 1e15
"""Coordinates are cut here, so that no square is infinite."""

MORE_AXES = 8
"""How many are found beyond those asked for, so that these are exact sooner."""

ITERATIONS = 6
"""Each makes what is left of other directions smaller by the ratio of variances."""

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
        filled = torch.zeros(len(turned), self._width)
        filled[:, : turned.shape[1]] = turned
        return filled

    @cached_property
    def squares(self) -> Tensor:
        """Their squares; infinite where there is no reference, so that none is near."""
        squares = torch.full((self._width,), torch.inf)
        squares[: len(self.points)] = self.kept.square().sum(1)
        return squares

    @property
    def _width(self) -> int:
        """The number of references, filled up to whole groups."""
        return -(-len(self.points) // GROUP) * GROUP

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

    def nearest_of(self, rows: NDArray[np.floating], places: Places) -> Array:
        """Return the distance to the nearest of some references, (rows,).

        Args:
            rows: (rows, columns).
            places: Which to compare each row with, (rows, some).
        """
        seen = self._seen(rows)
        squares = [
            (self.kept[torch.from_numpy(place)] - seen).square().sum(1)
            for place in places.T.copy()
        ]
        nearest = torch.stack(squares).amin(0)
        return nearest.sqrt().double().numpy()

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
        seen = self._seen(rows)
        places = torch.from_numpy(self._places(self._along(seen), k, own))
        step = max(1, BLOCK_NUMBERS // (k * rows.shape[1]))
        parts = zip(seen.split(step), places.split(step), strict=True)
        distances = torch.cat([self._distances(*part) for part in parts])
        if k > 1:
            distances, order = distances.sort(dim=1, stable=True)
            places = places.gather(1, order)
        return distances.double().numpy(), places.numpy()

    def _places(self, along: Tensor, k: int, own: Places | None) -> Places:
        """Return which references are nearest along the axes, in any order, (rows, k).

        A row's own square is the same for all references, and so changes no order.
        """
        step = max(1, BLOCK_NUMBERS // self._width)
        buffer = torch.empty(min(step, len(along)), self._width)
        found = np.empty((len(along), k), np.intp)
        for first in range(0, len(along), step):
            some = along[first : first + step]
            squares = buffer[: len(some)]
            torch.addmm(self.squares, some, self.turned, alpha=-2, out=squares)
            values = squares.numpy()
            if own is not None:
                values[np.arange(len(some)), own[first : first + step]] = np.inf
            found[first : first + step] = smallest(values, k)
        return found

    def _distances(self, rows: Tensor, places: Tensor) -> Tensor:
        """Return the distances to these references, (rows, k)."""
        away = self.kept.index_select(0, places.flatten())
        away = away.view(*places.shape, -1).sub_(rows[:, None]).square_()
        return away.sum(-1).sqrt_()

    def _along(self, rows: Tensor) -> Tensor:
        return rows if self.axes is None else rows @ self.axes

    def _seen(self, rows: NDArray[np.floating]) -> Tensor:
        # Rows that are float32 stay so: this is a good part of the time.
        away = torch.from_numpy(rows - self.centre).float()
        return away.clamp_(-FARTHEST, FARTHEST)


def principal_axes(rows: Tensor, n_axes: int) -> Tensor:
    """Return the directions in which rows differ most, nearly, (columns, axes).

    Found by subspace iteration from the first rows, a tenth of the time of all
    eigenvectors: what is left out differs from the best by rounding, or hardly varies
    more or less than what is kept.

    Args:
        rows: Counted from their mean, in random order, (rows, columns).
        n_axes: How many; fewer if there are fewer rows.
    """
    axes = rows[: n_axes + MORE_AXES].T
    for _ in range(ITERATIONS):
        axes = torch.linalg.qr(rows.T @ (rows @ axes))[0]
    turns = torch.linalg.svd(rows @ axes, full_matrices=False)[2]
    found: Tensor = axes @ turns[:n_axes].T
    return found
