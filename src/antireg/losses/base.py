"""The interface of fit losses, and what they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor


class Loss(ABC):
    """A loss per row, and what the outputs it trains mean."""

    unit: ClassVar[float] = torch.inf
    """Is 1 for log-likelihoods: their differences matter, not their ratios."""

    gain: ClassVar[float] = 0.0
    """How much the sum over all validation rows must fall to be called better."""

    def __call__(
        self,
        outputs: Tensor,
        y: Tensor,
        weight: Tensor | None = None,
        limit: float = torch.inf,
    ) -> Tensor:
        """Return the mean loss of each member, weighted by row, (members,).

        Args:
            outputs: (members, rows, outputs).
            y: (rows, targets), or (members, rows, targets).
            weight: (rows,) or (members, rows), with a mean of 1 over all rows. Weights
                are not normalised within a batch: a row of weight 3 counts as three.
            limit: The most that a row may cost.
        """
        rows = self.rows(outputs, y)
        if limit < torch.inf:
            rows = rows.clamp(max=limit)
        return mean_loss(rows, weight)

    def with_gradient(
        self, outputs: Tensor, y: Tensor, weight: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return the mean loss of each member, (members,), and its gradient.

        The gradient is by the member's outputs, in their shape.
        """
        rows, gradient = self.rows_with_gradient(outputs, y)
        return mean_loss(rows, weight), averaged(gradient, weight)

    def rows_with_gradient(self, outputs: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return `rows` and `rows_gradient`, with the same rounding."""
        return self.rows(outputs, y), self.rows_gradient(outputs, y)

    @abstractmethod
    def n_outputs(self, n_targets: int) -> int:
        """Return how many outputs a network needs for this many target columns."""

    @abstractmethod
    def rows(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the loss of each row, (members, rows)."""

    @abstractmethod
    def rows_gradient(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the gradient of each row's loss by its outputs, in their shape."""

    @abstractmethod
    def point(self, outputs: Tensor) -> Tensor:
        """Return the prediction itself, without its noise, (members, rows, targets)."""

    @abstractmethod
    def pool(self, outputs: Tensor) -> Tensor:
        """Return the outputs of one network equal to the ensemble, (1, ...)."""

    @abstractmethod
    def constant(self, y: Tensor, weight: Tensor | None) -> Tensor:
        """Return the best outputs that are the same for all rows, (1, 1, outputs)."""


def mean_loss(rows: Tensor, weight: Tensor | None) -> Tensor:
    """Return the mean loss of each member, weighted by row, (members,)."""
    return (rows if weight is None else rows * weight).mean(1)


def averaged(gradient: Tensor, weight: Tensor | None) -> Tensor:
    """Return the gradient of a mean over rows, from that of each row, in place."""
    gradient.div_(gradient.shape[1])
    return gradient if weight is None else gradient.mul_(weight[..., None])


def average(values: Tensor, weight: Tensor | None) -> Tensor:
    """Return the mean over rows, in double precision, (columns,)."""
    values = values.double()
    return (values if weight is None else values * weight[:, None]).mean(0)
