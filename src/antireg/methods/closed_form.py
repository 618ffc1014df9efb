"""A penalty's gradient in closed form, for methods that would be slow without.

No method needs it: autograd finds the gradient of any penalty. A method that has a
`gradient` as below is trained by it instead, on a path of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

from torch import Tensor

from antireg.networks import Stack


class Block(NamedTuple):
    """A stretch of one member's weights, short enough for the processor's cache.

    Attributes:
        member: Number of the member.
        part: Place of the stretch among the member's weights.
        weights: What they are, (weights,).
        gradient: The gradient of the member's objective as far as known, (weights,).
        spare: Buffer to compute in, (weights,).
    """

    member: int
    part: slice
    weights: Tensor
    gradient: Tensor
    spare: Tensor


AddGradient = Callable[[Block, float], object]
"""Adds to a block's gradient that of the penalty, times λ."""


@runtime_checkable
class HasGradient(Protocol):
    """A method that knows the gradient of its penalty."""

    def gradient(self, network: Stack, memory: Any) -> AddGradient:
        """Return what adds the penalty's gradient, as of the weights now.

        It is asked for at every step, and called where autograd is off.

        Args:
            network: All members.
            memory: What the method's `init` returned.
        """


def closed_form(method: object) -> HasGradient | None:
    """Return the method if it knows its gradient; None leaves it to autograd."""
    return method if isinstance(method, HasGradient) else None
