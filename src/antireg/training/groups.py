"""Which members train as one stack; this never depends on the number of workers.

On some processors and for some shapes, a product of five members rounds differently
from one of three. So every training stacks the same members: in one process, in
several, on a cluster, and when it is resumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from antireg.networks import Stack
from antireg.training.checkpoint import Checkpoint

LARGE_STEP = 2**22
"""If a member's step has at least this many weights times rows, few members train as
fast as many: then groups are small, so that workers can share them."""

FEW = 3
"""Most members of a group if steps are large."""

MANY = 20
"""Most members of a group if steps are small, and faster together."""


def groups(n_members: int, n_weights: int, batch_size: int) -> list[range]:
    """Return the members of each group, as even as possible, the larger groups first.

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
        network: These members before training.
        checkpoint: File to write them to and resume from, if any.
    """

    members: range
    network: Stack
    checkpoint: Checkpoint | None = None
