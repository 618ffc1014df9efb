"""Hand-made training steps for the tests of methods."""

from __future__ import annotations

import torch
from torch import Tensor

from antireg.data.base import Data
from antireg.losses import Loss, SquaredError
from antireg.methods.base import Step
from antireg.networks import MLPStack, Stack, mlp


def linear(flat: list[list[float]], n_inputs: int = 1) -> MLPStack:
    """Return members x·w + b with these weights, the kernel first, then the bias."""
    shapes = {"kernel0": (n_inputs, 1), "bias0": (1,)}
    return MLPStack(torch.tensor(flat), shapes, "identity")


def step_of(
    network: Stack,
    x: Tensor | None = None,
    outputs: Tensor | None = None,
    loss: Loss | None = None,
    seed: int = 0,
) -> Step:
    """Return a step of this network on shared rows of zeros, or on those given."""
    if x is None:
        x = torch.zeros(4, 1)
    y = torch.zeros(len(x), 1)
    outputs = network(x) if outputs is None else outputs
    rng = torch.Generator().manual_seed(seed)
    return Step(network, Data(x, y), outputs, loss or SquaredError(), rng)


def random_step(loss: Loss, n_outputs: int, seed: int = 0) -> Step:
    """Return a step of three small random members on eight shared rows."""
    network = mlp([3, 5, n_outputs], seeds=[seed, seed + 1, seed + 2])
    rng = torch.Generator().manual_seed(seed)
    return step_of(network, torch.randn(8, 3, generator=rng), loss=loss, seed=seed)
