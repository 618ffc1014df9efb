"""Which members are stacked: the model alone decides, never the number of workers.

A product of five members may round otherwise than one of three, on some processors and
for some shapes. So every training stacks the same ones: in one process, in several, on
a cluster, and when it is resumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from antireg.networks import Stack
from antireg.training.checkpoint import Checkpoint

LARGE_STEP = 2**22
"""Weights times rows of a member's step from which on few members train as fast as
many: then groups are small, so that workers can share them."""

FEW = 3
"""Members of a group at most where steps are large."""

MANY = 20
"""Members of a group at most where steps are small, and company makes them faster."""


def groups(n_members: int, n_weights: int, batch_size: int) -> list[range]:
    """Return the members of each group, as even as can be, the larger groups first.

    Args:
        n_members: All of them.
        n_weights: Of each member.
        batch_size: Rows of a step, per member.
    """
    most = FEW if n_weights * batch_size >= LARGE_STEP else MANY
    n_groups = -(-n_members // most)
    size, larger = divmod(n_members, n_groups)
    ends = [size * k + min(k, larger) for k in range(n_groups + 1)]
    return [range(first, last) for first, last in pairwise(ends)]


@dataclass(frozen=True)
class Group:
    """Members that are trained as one stack.

    Attributes:
        members: Their numbers.
        network: They, as they start.
        checkpoint: Where they are written to as they go, and go on from, if anywhere.
    """

    members: range
    network: Stack
    checkpoint: Checkpoint | None = None
