"""Rows the trainer sees: inputs, targets and their weights, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.rows.stored import Stored

Array = NDArray[np.float64]
Inputs = Tensor | Stored
"""Inputs in memory, or rows of a file that are read when they are needed."""

ALIGNMENT = 64
"""PyTorch's tensors start at a multiple of this many bytes."""


@dataclass(frozen=True)
class Data:
    """Inputs (..., rows, features), targets (..., rows, targets), weights (..., rows).

    Classes are one-hot targets; two classes may be one column of zeros and ones.
    No weights means that all rows count the same.
    """

    x: Inputs
    y: Tensor
    weight: Tensor | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.x.shape[-2]

    def to(self, device: torch.device) -> Data:
        """Return the rows on a device."""
        weight = self.weight
        return Data(
            self.x.to(device),
            self.y.to(device),
            None if weight is None else weight.to(device),
        )

    def aligned(self) -> Data:
        """Return the rows in memory that is aligned like PyTorch's own.

        The rounding of a product may depend on the alignment of its numbers, and those
        sent by another process are not aligned.
        """
        x = self.x
        if isinstance(x, Tensor) and x.data_ptr() % ALIGNMENT:
            x = x.clone()
        return Data(x, self.y, self.weight)


@dataclass(frozen=True)
class Batch(Data):
    """Rows of one step, all in memory."""

    x: Tensor


def rows_of(data: Data, chosen: NDArray[np.bool_]) -> Data:
    """Return some rows; those on disk stay there."""
    places = torch.from_numpy(chosen).to(data.y.device)
    weight = None if data.weight is None else data.weight[places]
    x = data.x[places] if isinstance(data.x, Tensor) else data.x[chosen]
    return Data(x, data.y[places], weight)


class Batches:
    """Batches of rows, each in the buffer of the one before.

    Allocating memory at every step takes longer than filling it.

    Args:
        data: All rows.
    """

    def __init__(self, data: Data) -> None:
        """Allocate the buffer when the first batch is taken."""
        self.data = data
        self.rooms: dict[torch.Size, tuple[Batch, list[Tensor]]] = {}

    def take(self, rows: Tensor) -> Batch:
        """Return the rows with these indices; they are valid until the next call.

        Args:
            rows: (members, rows) for each member's own, (rows,) for shared ones.
        """
        x, y, weight = self.data.x, self.data.y, self.data.weight
        parts = [x, y] if weight is None else [x, y, weight]
        if rows.shape not in self.rooms:
            rooms = [
                torch.empty(
                    *rows.shape,
                    *part.shape[1:],
                    dtype=torch.float32,
                    device=part.device,
                )
                for part in parts
            ]
            flat = [room.flatten(end_dim=rows.dim() - 1) for room in rooms]
            self.rooms[rows.shape] = Batch(*rooms), flat
        batch, flat = self.rooms[rows.shape]
        numbers = rows.flatten()
        for part, taken in zip(parts, flat, strict=True):
            if isinstance(part, Tensor):
                torch.index_select(part, 0, numbers, out=taken)
            else:
                part.read_into(taken, numbers)
        return batch


def targets_of(data: Data) -> Array:
    """Return targets as the network sees them, (rows, targets)."""
    return np.asarray(data.y.double().cpu().numpy())


def weights_of(data: Data) -> Array:
    """Return the weight of each row, (rows,)."""
    if data.weight is None:
        return np.ones(len(data))
    return np.asarray(data.weight.double().cpu().numpy())


def drawn(data: Data, places: NDArray[np.intp]) -> Batch:
    """Return the rows at these indices, in this order and in memory.

    Args:
        data: Rows, perhaps on disk.
        places: Their indices.
    """
    numbers = torch.from_numpy(np.asarray(places, dtype=np.int64))
    return Batches(data).take(numbers.to(data.y.device))
