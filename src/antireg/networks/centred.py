"""Members beside another ensemble, the centre, which says where their mean belongs.

Outputs are those of the members, then those of the centre, along the first axis.
`antireg.predictive.pooling` says what they mean together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from antireg.networks.stack import Stack, Viewer


class Speaking(Protocol):
    """What gives the outputs of rows: a `Stack`, with or without a centre."""

    @property
    def flat(self) -> Tensor:
        """The weights of the members, (members, weights)."""

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each tensor of one member."""

    def predictor(self) -> Callable[[Tensor], Tensor]:
        """Return a function from rows to outputs, one for each thread."""

    def viewer(self) -> Viewer:
        """Return what gives outputs and hidden units, one for each thread."""


@dataclass(frozen=True, eq=False)
class Centred:
    """Members and their centre, if they have one.

    Attributes:
        members: The networks of the ensemble.
        centre: As many of the same shape, which fit the same rows.
    """

    members: Stack
    centre: Stack | None = None

    @property
    def flat(self) -> Tensor:
        """The weights of the members, (members, weights)."""
        return self.members.flat

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each tensor of one member."""
        return self.members.shapes

    def predictor(self) -> Callable[[Tensor], Tensor]:
        """Return a function from rows to the outputs of members and centre."""
        said_by = self.members.predictor()
        if self.centre is None:
            return said_by
        said_beside = self.centre.predictor()
        return lambda x: torch.cat([said_by(x), said_beside(x)])

    def viewer(self) -> Viewer:
        """Return what gives both outputs, and the hidden units of the members."""
        view = self.members.viewer()
        if self.centre is None:
            return view
        view_beside = self.centre.viewer()

        def both(x: Tensor) -> tuple[Tensor, Tensor | None]:
            outputs, hidden = view(x)
            return torch.cat([outputs, view_beside(x)[0]]), hidden

        return both
