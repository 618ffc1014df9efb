"""A penalty's gradient in closed form, for methods that would be slow without it.

No method needs it: autograd finds the gradient of any penalty. A method with a
`gradient` as below is trained by that instead, on a separate path.
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
        part: Where the stretch is among the member's weights.
        weights: Their values, (weights,).
        gradient: The gradient of the member's objective so far, (weights,).
        spare: Buffer to compute in, (weights,).
    """

    member: int
    part: slice
    weights: Tensor
    gradient: Tensor
    spare: Tensor


AddGradient = Callable[[Block, float], object]
"""Adds λ times the penalty's gradient to a block's gradient."""


@runtime_checkable
class HasGradient(Protocol):
    """A method that knows the gradient of its penalty."""

    def gradient(self, network: Stack, memory: Any) -> AddGradient:
        """Return a function that adds the penalty's gradient at the present weights.

        This is called at every step, and the function where autograd is off.

        Args:
            network: All members.
            memory: What the method's `init` returned.
        """


def closed_form(method: object) -> HasGradient | None:
    """Return the method if it knows its gradient; None leaves it to autograd."""
    return method if isinstance(method, HasGradient) else None
