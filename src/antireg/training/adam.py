"""Adam, with the penalty's gradient added block by block.

A pass over all weights for every operation would mostly wait for memory. A block of one
member's weights stays in the processor's cache until all its operations are done.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from antireg.methods.closed_form import AddGradient, Block

BLOCK = 2**16
"""Most weights of a block: five tensors of this size fill a second-level cache."""

FIRST_DECAY, SECOND_DECAY, EPSILON = 0.9, 0.999, 1e-7

Lists = tuple[list[Tensor], list[Tensor], list[Tensor], list[Tensor]]
"""Weights, gradients, averages and squares: one tensor per block in each list."""


class Adam:
    """Adam on the weights of all members, in place.

    A block never spans two members, because each has its own λ. Small members are
    stepped together in one call, as many as fit in the cache.

    Args:
        weights: (members, weights).
        lr: Step size.
    """

    def __init__(self, weights: Tensor, lr: float) -> None:
        """Start with averages of zero."""
        self.gradient = torch.zeros_like(weights)
        self.average = torch.zeros_like(weights)
        self.square = torch.zeros_like(weights)
        self.steps = torch.zeros((), dtype=torch.float32, device=weights.device)
        self.lr = lr
        members, size = weights.shape
        spare = weights.new_empty(min(size, BLOCK))
        tensors = (weights, self.gradient, self.average, self.square)
        self.groups: list[tuple[list[Block], Lists]] = []
        room = 0
        for member in range(members):
            for start in range(0, size, BLOCK):
                part = slice(start, min(start + BLOCK, size))
                length = part.stop - start
                views = [tensor[member, part] for tensor in tensors]
                block = Block(member, part, views[0], views[1], spare[:length])
                if room < length:
                    self.groups.append(([], ([], [], [], [])))
                    room = BLOCK
                room -= length
                blocks, lists = self.groups[-1]
                blocks.append(block)
                for parts, view in zip(lists, views, strict=True):
                    parts.append(view)

    def step(self, control: list[float], add_gradient: AddGradient | None) -> None:
        """Take a step against `gradient`, which is overwritten.

        Args:
            control: λ of each member.
            add_gradient: Adds λ times the gradient of the penalty, where λ is not 0.
        """
        self.steps += 1
        # The gradients that were written last are still in the cache.
        for blocks, lists in reversed(self.groups):
            if add_gradient is not None:
                for block in blocks:
                    if control[block.member]:
                        add_gradient(block, control[block.member])
            adam(lists, self.steps, self.lr)


def fused_adam(lists: Lists, steps: Tensor, lr: float) -> None:
    """Take a step in one pass over memory, by a private operation of PyTorch.

    It is what `torch.optim.Adam(fused=True)` calls.
    """
    torch._fused_adam_(
        *lists,
        [],
        [steps] * len(lists[0]),
        lr=lr,
        beta1=FIRST_DECAY,
        beta2=SECOND_DECAY,
        weight_decay=0.0,
        eps=EPSILON,
        amsgrad=False,
        maximize=False,
    )


def plain_adam(lists: Lists, steps: Tensor, lr: float) -> None:
    """Take the same step up to rounding, by public operations."""
    n_steps = steps.item()
    rate = lr / (1 - FIRST_DECAY**n_steps)
    scale = (1 - SECOND_DECAY**n_steps) ** 0.5
    for weight, gradient, average, square in zip(*lists, strict=True):
        average.lerp_(gradient, 1 - FIRST_DECAY)
        square.mul_(SECOND_DECAY).addcmul_(gradient, gradient, value=1 - SECOND_DECAY)
        weight.addcdiv_(average, square.sqrt().div_(scale).add_(EPSILON), value=-rate)


def _works(step: Callable[[Lists, Tensor, float], None]) -> bool:
    """Return whether a step can be called as we call it, in this PyTorch."""
    one, two, three, four = torch.ones(4, 1, dtype=torch.float32)
    try:
        step(([one], [two], [three], [four]), torch.ones((), dtype=torch.float32), 0.5)
    except (AttributeError, TypeError, RuntimeError, NotImplementedError):
        return False
    return True


adam = fused_adam if _works(fused_adam) else plain_adam
"""The step in use: the private operation if it works as expected."""
