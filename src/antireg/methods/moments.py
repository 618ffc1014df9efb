"""Second moments of what enters the layers of trained members, and what varies least.

A layer with inputs φ and second moments  S = E[φφᵀ]  on training rows may change its
weights by much in directions where S is small: there, its outputs hardly move.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from antireg.networks import Stack
from antireg.networks.layers import Layer, as_matrix
from antireg.rows.data import Batch, Batches, Data

MOST_ROWS = 20_000
"""Training rows that moments are taken of; of more, so many are taken evenly."""

MOST_VECTORS = 2**18
"""Of one layer: a convolution has many patches of each row."""

ROWS_AT_ONCE = 512

FLOOR = 1e-6
"""ε: second moments below this share of the largest count as the same."""

ROUNDING = 1e-12
"""Eigenvalues below this share of the largest are rounding."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What enters a layer, over rows; the first axis is 1 if members have the same.

    Attributes:
        layer: Which.
        second: E[φφᵀ], (members, inputs, inputs).
        mean: E[φ], (members, inputs).
    """

    layer: Layer
    second: Tensor
    mean: Tensor

    def scale(self, network: Stack) -> Tensor:
        """Return r, the standard deviation of what leaves the layer, (members,)."""
        matrix = as_matrix(network.weights(), self.layer).detach().double()
        centred = self.second - self.mean[:, :, None] * self.mean[:, None]
        return (matrix * (centred @ matrix)).sum(1).mean(1).clamp(min=0).sqrt()

    def units(self, network: Stack) -> int:
        """Return how many units the layer has."""
        shape = network.shapes[self.layer.kernel]
        return shape[-1] if self.layer.inputs_first else shape[0]

    @cached_property
    def principal(self) -> tuple[Tensor, Tensor]:
        """Eigenvalues, ascending, and eigenvectors, the columns of V."""
        values, vectors = torch.linalg.eigh(self.second)
        return values.clamp(min=0), vectors

    def unused(self, share: float) -> float:
        """Return how many of the directions, from 0 to 1, are hardly used.

        Args:
            share: Of the largest second moment, below which they are.
        """
        values, _ = self.principal
        return float((values < share * values[:, -1:]).double().mean())

    def inverse_root(self, floor: float) -> Tensor:
        """Return  (S + ε λ I)^{−½},  λ its largest eigenvalue, in the shape of S.

        It is symmetric, so it does not depend on which eigenvectors are found where
        several have the same eigenvalue, as of inputs that are never used.

        Args:
            floor: ε.
        """
        values, vectors = self.principal
        # A layer that nothing enters may vary as if it had inputs of size 1.
        most = torch.where(values[:, -1:] > 0, values[:, -1:], 1.0)
        roots = (values + max(floor, ROUNDING) * most).rsqrt()
        root: Tensor = (vectors * roots[:, None]) @ vectors.mT
        return root


def evenly(data: Data, most: int) -> Batch:
    """Return at most so many rows, evenly from all of them."""
    places = torch.linspace(0, len(data) - 1, min(most, len(data)), dtype=torch.float64)
    return Batches(data).take(places.round().long().to(data.y.device))


@torch.no_grad()
def moments_of(network: Stack, data: Data) -> list[Moments]:
    """Return the moments of every layer with a kernel, the first layer's first.

    Args:
        network: The members.
        data: Training rows.
    """
    sums: dict[Layer, tuple[Tensor, Tensor, int]] = {}
    for rows in evenly(data, MOST_ROWS).x.split(ROWS_AT_ONCE):
        for layer, entered in network.layers_entered(rows):
            zero = torch.zeros((), dtype=torch.float64, device=entered.device)
            second, mean, count = sums.get(layer, (zero, zero, 0))
            if count >= MOST_VECTORS:
                continue
            vectors = entered.double()
            if layer.bias is not None:
                vectors = torch.cat([vectors, torch.ones_like(vectors[..., :1])], 2)
            second = second + vectors.mT @ vectors
            mean = mean + vectors.sum(1)
            sums[layer] = second, mean, count + vectors.shape[1]
    if not sums:
        raise ValueError(
            "network must have linear layers or convolutions for draws around it, got "
            "none that is trained. Use another method."
        )
    return [
        Moments(layer, second / count, mean / count)
        for layer, (second, mean, count) in sums.items()
    ]
