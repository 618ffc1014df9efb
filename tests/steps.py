"""Hand-made training steps for the tests of methods."""

from __future__ import annotations

import torch
from torch import Tensor

from antireg.losses import Loss, SquaredError
from antireg.methods.base import Method, Step
from antireg.methods.closed_form import Block, closed_form
from antireg.networks import MLPStack, Stack, mlp
from antireg.rows.data import Batch


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
    return Step(network, Batch(x, y), outputs, loss or SquaredError(), rng)


def gradient_of(method: Method, network: Stack, memory: object = None) -> Tensor:
    """Return the closed form of a penalty's gradient, whole, (members, weights)."""
    known = closed_form(method)
    assert known is not None
    add = known.gradient(network, memory)
    weights = network.flat.detach()
    gradient, spare = torch.zeros_like(weights), torch.empty_like(weights)
    for member, (w, g, s) in enumerate(zip(weights, gradient, spare, strict=True)):
        half = len(w) // 2
        for part in (slice(half), slice(half, len(w))):
            add(Block(member, part, w[part], g[part], s[part]), 1.0)
    return gradient


def random_step(loss: Loss, n_outputs: int, seed: int = 0) -> Step:
    """Return a step of three small random members on eight shared rows."""
    network = mlp([3, 5, n_outputs], seeds=[seed, seed + 1, seed + 2])
    rng = torch.Generator().manual_seed(seed)
    return step_of(network, torch.randn(8, 3, generator=rng), loss=loss, seed=seed)
