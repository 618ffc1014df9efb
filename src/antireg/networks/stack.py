"""Many networks of one shape, run in one forward pass.

The weights of all members lie in one tensor, (members, weights): a method sees every
weight of a member as one row, and the optimiser makes one pass over all of them.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

import torch
from torch import Tensor

from antireg.networks.bins import Bins
from antireg.networks.layers import Layer

Viewer = Callable[[Tensor], tuple[Tensor, Tensor | None]]


class Stack(ABC):
    """Members of one shape whose weights are the rows of `flat`.

    Args:
        flat: All weights, (members, weights).
        shapes: Name and shape of each tensor of one member, in the order of `flat`.
    """

    bins: Bins | None = None
    """What columns become before they enter, if they are cut."""

    def __init__(self, flat: Tensor, shapes: dict[str, tuple[int, ...]]) -> None:
        """Keep the weights as one leaf, ready to be trained."""
        self.flat = flat.detach().requires_grad_()
        self.shapes = shapes

    @property
    def n_members(self) -> int:
        """Number of networks."""
        return self.flat.shape[0]

    def weights(self, flat: Tensor | None = None) -> dict[str, Tensor]:
        """Return every tensor by name, (members, ...) each.

        Args:
            flat: What they are views of, (members, weights); `self.flat` if None.
        """
        sizes = [math.prod(shape) for shape in self.shapes.values()]
        parts = (self.flat if flat is None else flat).split(sizes, dim=1)
        return {
            name: part.unflatten(1, shape) if shape else part.squeeze(1)
            for (name, shape), part in zip(self.shapes.items(), parts, strict=True)
        }

    def with_weights(self, flat: Tensor) -> Stack:
        """Return a stack of the same networks with a copy of other weights."""
        other = copy.copy(self)
        Stack.__init__(other, flat.detach().clone(), self.shapes)
        return other

    def part(self, members: range) -> Stack:
        """Return some of the members, with a copy of their weights."""
        return self.with_weights(self.flat[members.start : members.stop])

    def begin_epoch(self, number: int) -> None:
        """Prepare for an epoch of training, from 0, whatever was run before."""
        return

    def to(self, device: torch.device | str) -> Stack:
        """Return a stack of the same networks whose weights are on `device`."""
        return self.with_weights(self.flat.to(device))

    @abstractmethod
    def architecture(self) -> str:
        """Return what distinguishes these networks from others with equal weights."""

    def unused(self) -> Tensor | None:
        """Return which of the first weights must stay 0, (members, some), if any."""
        return None

    def frozen(self) -> list[Tensor]:
        """Return the tensors of the networks that are not trained."""
        return []

    def __call__(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs).

        Args:
            x: As in `apply`.
        """
        return self.apply(self.flat, x)

    @abstractmethod
    def apply(self, flat: Tensor, x: Tensor) -> Tensor:
        """Return the outputs of networks with these weights, (members, rows, outputs).

        They depend on nothing else, and can be differentiated by the weights; networks
        with noise draw it too (`antireg.networks.noisy`).

        Args:
            flat: (members, weights), for any number of members.
            x: Rows shared by all members, (rows, features), or rows of their own,
                (members, rows, features).
        """

    @abstractmethod
    def predictor(self) -> Callable[[Tensor], Tensor]:
        """Return a function from rows to outputs, without gradient.

        It may reuse its buffers, so every thread needs its own.
        """

    def viewer(self) -> Viewer:
        """Return what gives the outputs of rows and what enters the last layer.

        That is (rows, units), all members side by side, until the next pass; None if
        the network does not say. As with `predictor`, every thread needs one of its
        own. It is for many rows and weights that stay as they are, and may round
        otherwise than a predictor.
        """
        outputs_of = self.predictor()
        return lambda x: (outputs_of(x), None)

    @abstractmethod
    def layers_entered(self, x: Tensor) -> list[tuple[Layer, Tensor]]:
        """Return the layers with a kernel, and what they multiply by it.

        That is (members, vectors, inputs), or (1, ...) if all members have the same;
        several vectors of a row are the patches of a convolution.

        Args:
            x: Rows, (rows, features).
        """

    @abstractmethod
    def tape(self) -> Tape:
        """Return forward and backward passes that use the weights of the moment."""


class Tape(ABC):
    """Forward and backward passes, one after another, called outside autograd."""

    uses_autograd: ClassVar[bool] = False
    """Whether it uses autograd inside."""

    @abstractmethod
    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs)."""

    @abstractmethod
    def backward(self, gradient: Tensor, out: Tensor) -> None:
        """Write the gradient of the weights, given that of the last outputs.

        Args:
            gradient: (members, rows, outputs).
            out: (members, weights).
        """
