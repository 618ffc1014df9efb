"""Adam, with the penalty's gradient added on the way, block by block.

A pass over all weights for every operation would wait for memory most of the time. A
block of one member's weights stays in the processor's cache while all of it is done.
"""

from __future__ import annotations

import torch
from torch import Tensor

from antireg.methods.base import AddGradient, Block

BLOCK = 2**16
"""Weights of a block at most: five tensors of them fill a second-level cache."""


class Adam:
    """Adam on the weights of all members, in place.

    Blocks end where members do, so that a member is rounded alike in any company. Those
    of small members are stepped in one call, as many as the cache holds.

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
        self.groups: list[tuple[list[Block], list[list[Tensor]]]] = []
        room = 0
        for member in range(members):
            for start in range(0, size, BLOCK):
                part = slice(start, min(start + BLOCK, size))
                length = part.stop - start
                views = [tensor[member, part] for tensor in tensors]
                block = Block(member, part, views[0], views[1], spare[:length])
                if room < length:
                    self.groups.append(([], [[] for _ in tensors]))
                    room = BLOCK
                room -= length
                blocks, lists = self.groups[-1]
                blocks.append(block)
                for parts, view in zip(lists, views, strict=True):
                    parts.append(view)

    def step(self, control: list[float], add_gradient: AddGradient | None) -> None:
        """Take a step down `gradient`, which is used up.

        Args:
            control: λ of each member.
            add_gradient: Adds λ times the gradient of the penalty, where λ is not 0.
        """
        self.steps += 1
        # The last gradients to be written are still in the cache.
        for blocks, lists in reversed(self.groups):
            if add_gradient is not None:
                for block in blocks:
                    if control[block.member]:
                        add_gradient(block, control[block.member])
            weights, gradients, averages, squares = lists
            torch._fused_adam_(
                weights,
                gradients,
                averages,
                squares,
                [],
                [self.steps] * len(blocks),
                lr=self.lr,
                beta1=0.9,
                beta2=0.999,
                weight_decay=0.0,
                eps=1e-7,
                amsgrad=False,
                maximize=False,
            )
