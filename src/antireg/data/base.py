"""Rows the trainer sees: inputs, targets and their weights, as tensors."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Data:
    """Inputs (..., rows, features), targets (..., rows, targets), weights (..., rows).

    Classes are one-hot targets; two classes may be one column of zeros and ones.
    No weights means that all rows count the same. Inputs may be `Stored`
    on disk, which looks like a tensor as far as it is looked at here.
    """

    x: Tensor
    y: Tensor
    weight: Tensor | None = None

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.x.shape[-2]

    def gather(self, rows: Tensor) -> Data:
        """Return the rows of these numbers.

        Args:
            rows: (members, rows) for each member's own, (rows,) for shared ones.
        """
        flat = rows.reshape(-1)
        weight = self.weight
        return Data(
            self.x.index_select(0, flat).view(*rows.shape, -1),
            self.y.index_select(0, flat).view(*rows.shape, -1),
            None if weight is None else weight.index_select(0, flat).view(rows.shape),
        )

    def to(self, device: torch.device) -> Data:
        """Return the rows on a device."""
        weight = self.weight
        return Data(
            self.x.to(device),
            self.y.to(device),
            None if weight is None else weight.to(device),
        )
