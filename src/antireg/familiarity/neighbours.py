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

BLOCK_NUMBERS = 2**22
"""Distances that are held at once."""

FLOOR = 0.01
"""What is added to a distance before its logarithm is taken, as a part of the median
distance to the fifth neighbour: a row that is there twice is not infinitely familiar.
"""

FARTHEST = 1e15
"""Coordinates are cut here for the search, so that no square is infinite."""

FIFTH = 5
MOST_ASKED = 1000
"""References by which that median is found."""


@dataclass(frozen=True, eq=False)
class Space:
    """References in one space, and how many of the nearest are asked for.

    Neighbours are found by products in single precision, counted from the mean of the
    references, and their distances then are computed in double.

    Args:
        points: (references, columns).
        k: How many.
    """

    points: NDArray[np.floating]
    k: int

    @cached_property
    def _centre(self) -> Array:
        centre: Array = self.points.mean(axis=0, dtype=np.float64)
        return centre

    @cached_property
    def _turned(self) -> Tensor:
        """The references, (columns, references)."""
        return self._seen(self.points).T.contiguous()

    @cached_property
    def _squares(self) -> Tensor:
        return self._turned.square().sum(0)

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
        step = max(1, BLOCK_NUMBERS // max(len(self.points), k * rows.shape[1]))
        found = [
            self._block(
                rows[first : first + step],
                k,
                None if own is None else own[first : first + step],
            )
            for first in range(0, len(rows), step)
        ]
        distances, places = zip(*found, strict=True)
        return np.concatenate(distances), np.concatenate(places)

    def _block(
        self, rows: NDArray[np.floating], k: int, own: Places | None
    ) -> tuple[Array, Places]:
        # A row's own square is the same for all references: it changes no order.
        squares = torch.addmm(self._squares, self._seen(rows), self._turned, alpha=-2)
        if own is not None:
            squares[torch.arange(len(own)), torch.from_numpy(own)] = torch.inf
        if k == 1:
            places = squares.argmin(1, keepdim=True).numpy()
        else:
            places = squares.topk(k, dim=1, largest=False, sorted=False)[1].numpy()
        away = self.points[places].astype(np.float64) - rows[:, None]
        distances = np.sqrt(np.einsum("rkc,rkc->rk", away, away))
        order = np.argsort(distances, axis=1, kind="stable")
        return (
            np.take_along_axis(distances, order, axis=1),
            np.take_along_axis(places, order, axis=1),
        )

    def _seen(self, rows: NDArray[np.floating]) -> Tensor:
        away = np.clip(rows - self._centre, -FARTHEST, FARTHEST)
        return torch.from_numpy(away.astype(np.float32))
