"""Fully connected members: batched matrix products with a backward of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from antireg.networks.stack import Stack


class MLPStack(Stack):
    """Fully connected members, as batched matrix products with their own backward."""

    def __init__(
        self, flat: Tensor, shapes: dict[str, tuple[int, ...]], activation: str
    ) -> None:
        """Keep the weights and the name of the activation."""
        super().__init__(flat, shapes)
        self.layers = [shape for shape in shapes.values() if len(shape) == 2]
        self.activation = activation

    def __call__(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs)."""
        return _MLP.apply(self.flat, x, self.layers, self.activation)  # type: ignore[no-any-return, no-untyped-call]

    def activations(self, x: Tensor) -> list[Tensor]:
        """Return what enters each layer, the inputs first, (members, rows, units)."""
        return _forward(self.flat.detach(), x, self.layers, self.activation)[0]


def mlp(
    sizes: Sequence[int], activation: str = "relu", *, seeds: Sequence[int]
) -> MLPStack:
    """Return fully connected members, one per seed.

    Kernels are Glorot-uniform, biases zero, the output linear.

    Args:
        sizes: Units of each layer, inputs first, outputs last.
        activation: A key of `ACTIVATIONS`, applied after every hidden layer.
        seeds: One seed per member; a member's start depends on its own seed alone.
    """
    shapes: dict[str, tuple[int, ...]] = {}
    for layer, (n_in, n_out) in enumerate(pairwise(sizes)):
        shapes[f"kernel{layer}"] = (n_in, n_out)
        shapes[f"bias{layer}"] = (n_out,)
    members = []
    for seed in seeds:
        rng = torch.Generator().manual_seed(seed)
        parts = []
        for n_in, n_out in pairwise(sizes):
            limit = math.sqrt(6 / (n_in + n_out))
            kernel = torch.rand(n_in * n_out, generator=rng) * (2 * limit) - limit
            parts += [kernel, torch.zeros(n_out)]
        members.append(torch.cat(parts))
    return MLPStack(torch.stack(members), shapes, activation)


aten = torch.ops.aten

# name → (activation in place, gradient from the gradient above and the activation)
ACTIVATIONS: dict[
    str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor], Tensor]]
] = {
    "relu": (torch.relu_, lambda g, a: aten.threshold_backward(g, a, 0)),
    "leaky_relu": (
        lambda a: nn.functional.leaky_relu_(a, 0.01),
        lambda g, a: aten.leaky_relu_backward(g, a, 0.01, True),
    ),
    "tanh": (torch.tanh_, lambda g, a: aten.tanh_backward(g, a)),
    "sigmoid": (torch.sigmoid_, lambda g, a: aten.sigmoid_backward(g, a)),
    "identity": (lambda a: a, lambda g, a: g),
}


def _forward(
    flat: Tensor, x: Tensor, layers: Sequence[tuple[int, ...]], activation: str
) -> tuple[list[Tensor], list[Tensor], Tensor]:
    """Return what enters each layer, its kernels, and the outputs."""
    members = flat.shape[0]
    entering, kernels, start = [], [], 0
    act = ACTIVATIONS[activation][0]
    values = x if x.dim() == 3 else x.expand(members, *x.shape)
    for layer, (n_in, n_out) in enumerate(layers):
        end = start + n_in * n_out
        kernel = flat[:, start:end].view(members, n_in, n_out)
        bias = flat[:, end : end + n_out].view(members, 1, n_out)
        start = end + n_out
        entering.append(values)
        kernels.append(kernel)
        values = torch.baddbmm(bias, values, kernel)
        if layer < len(layers) - 1:
            values = act(values)
    return entering, kernels, values


class _MLP(torch.autograd.Function):
    """Forward and backward of all members, the gradient written in one tensor."""

    @staticmethod
    def forward(
        ctx: Any,
        flat: Tensor,
        x: Tensor,
        layers: Sequence[tuple[int, ...]],
        activation: str,
    ) -> Tensor:
        entering, kernels, outputs = _forward(flat, x, layers, activation)
        ctx.save_for_backward(flat, *entering, *kernels)
        ctx.layers, ctx.activation = layers, activation
        return outputs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        flat, *saved = ctx.saved_tensors
        entering, kernels = saved[: len(ctx.layers)], saved[len(ctx.layers) :]
        into_weights = torch.empty_like(flat)
        members, start = flat.shape
        for layer in reversed(range(len(ctx.layers))):
            n_in, n_out = ctx.layers[layer]
            end = start
            start -= n_in * n_out + n_out
            kernel = into_weights[:, start : end - n_out].view(members, n_in, n_out)
            torch.bmm(entering[layer].transpose(1, 2), gradient, out=kernel)
            torch.sum(gradient, 1, out=into_weights[:, end - n_out : end])
            if layer:
                gradient = torch.bmm(gradient, kernels[layer].transpose(1, 2))
                gradient = ACTIVATIONS[ctx.activation][1](gradient, entering[layer])
        return into_weights, None, None, None
