"""Members whose weights are drawn anew at every step, around weights that stay.

    W = W̄ + V (φ ⊙ z),    φ = e^s,

for each layer that is drawn: W̄ is frozen, V are directions of its inputs and s is what
is trained. The noise z, of mean 0 and variance 1, is drawn from a seed per member.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from antireg.networks.layers import Layer, as_weights, flattened
from antireg.networks.modules import ModuleTape
from antireg.networks.stack import Stack

CHECKS = 8
"""Draws that rows are divided among where weights are only looked at."""

NOISES: dict[str, Callable[[tuple[int, ...], torch.Generator], Tensor]] = {
    "normal": lambda shape, rng: torch.randn(shape, generator=rng, dtype=torch.float32),
    "uniform": lambda shape, rng: (
        math.sqrt(12) * (torch.rand(shape, generator=rng, dtype=torch.float32) - 0.5)
    ),
}
"""Numbers of mean 0 and variance 1."""


class Directions(NamedTuple):
    """Along which the kernel of a layer varies.

    Attributes:
        layer: Which.
        basis: V, (members, inputs, inputs), or (1, ...) if members have the same; None
            for the identity.
        n_inputs: Rows of its matrix.
        n_units: Columns of its matrix.
    """

    layer: Layer
    basis: Tensor | None
    n_inputs: int
    n_units: int


class NoisyStack(Stack):
    """Members with noise on their weights; `flat` is the logarithm of its size.

    Args:
        flat: s of all layers, one after another, (members, scales).
        base: The members without noise.
        directions: Of each layer that varies.
        seeds: One per member, which alone determines its noise.
        noise: A key of `NOISES`.
    """

    def __init__(
        self,
        flat: Tensor,
        base: Stack,
        directions: Sequence[Directions],
        seeds: Sequence[int],
        noise: str,
    ) -> None:
        """Draw as in the first epoch."""
        shapes: dict[str, tuple[int, ...]] = {
            one.layer.kernel: (one.n_inputs, one.n_units) for one in directions
        }
        super().__init__(flat, shapes)
        self.base, self.directions = base, directions
        self.seeds, self.noise = seeds, noise
        self.begin_epoch(0)

    def begin_epoch(self, number: int) -> None:
        """Draw what this epoch draws, whatever was drawn before."""
        self.rngs = [_generator(seed, number) for seed in self.seeds]

    def part(self, members: range) -> NoisyStack:
        """Return some of the members."""
        some = slice(members.start, members.stop)
        directions = [
            one
            if one.basis is None or len(one.basis) == 1
            else one._replace(basis=one.basis[some])
            for one in self.directions
        ]
        flat, seeds = self.flat[some].detach().clone(), self.seeds[some]
        return NoisyStack(flat, self.base.part(members), directions, seeds, self.noise)

    def architecture(self) -> str:
        """Return that of the members, and the kind of noise."""
        return f"{self.base.architecture()} with {self.noise} noise on {self.shapes}"

    def frozen(self) -> list[Tensor]:
        """Return the weights that the noise is around, and what they have frozen."""
        return [self.base.flat, *self.base.frozen()]

    def apply(self, flat: Tensor, x: Tensor) -> Tensor:
        """Return outputs of draws with these sizes, (members, rows, outputs)."""
        return self.base.apply(self.drawn(flat, self.rngs), x)

    def drawn(self, flat: Tensor, rngs: Sequence[torch.Generator]) -> Tensor:
        """Return one draw of every member's weights, (members, weights).

        Args:
            flat: s, (members, scales).
            rngs: Of each member.
        """
        scales, moved = self.weights(flat), dict[str, Tensor]()
        for one in self.directions:
            shape = (one.n_inputs, one.n_units)
            noise = torch.stack([NOISES[self.noise](shape, rng) for rng in rngs])
            matrix = scales[one.layer.kernel].exp() * noise.to(flat.device)
            if one.basis is not None:
                matrix = one.basis @ matrix
            moved |= as_weights(matrix, one.layer, self.base.shapes)
        around = self.base.flat.detach()
        return around + flattened(moved, self.base.shapes, len(around))

    def draws(self, number: int, many: int) -> Tensor:
        """Return several draws of every member, a member's in a row.

        Args:
            number: Of the epoch whose noise it is.
            many: How many of each.

        Returns:
            (members · many, weights).
        """
        rngs = [_generator(seed, number) for seed in self.seeds]
        each = [self.drawn(self.flat.detach(), rngs) for _ in range(many)]
        return torch.stack(each, 1).flatten(0, 1)

    def predictor(self) -> Callable[[Tensor], Tensor]:
        """Return a pass in which rows take turns with a few draws, always the same."""
        each = [
            self.base.with_weights(weights).predictor()
            for weights in self.draws(-1, CHECKS).unflatten(0, (-1, CHECKS)).unbind(1)
        ]

        def outputs_of(x: Tensor) -> Tensor:
            rows = torch.arange(len(x), device=x.device)
            parts = [rows[first::CHECKS] for first in range(min(CHECKS, len(x)))]
            found = [each[k](x[part]) for k, part in enumerate(parts)]
            return torch.cat(found, 1)[:, torch.cat(parts).argsort()]

        return outputs_of

    def layers_entered(self, x: Tensor) -> list[tuple[Layer, Tensor]]:
        """Return those of the members without noise."""
        return self.base.layers_entered(x)

    def tape(self) -> ModuleTape:
        """Return passes by autograd, each with noise of its own."""
        return ModuleTape(self)


def _generator(seed: int, number: int) -> torch.Generator:
    """Return a generator for a member and an epoch; below 0 is for no training."""
    mixed = np.random.SeedSequence([seed, number + 2]).generate_state(1)
    return torch.Generator().manual_seed(int(mixed[0]))
