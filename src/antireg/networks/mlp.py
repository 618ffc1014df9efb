"""Fully connected members."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from antireg.networks.bins import Bins
from antireg.networks.layers import Layer
from antireg.networks.lookup import first_layer
from antireg.networks.mlp_tape import MLPTape
from antireg.networks.stack import Stack, Viewer

FIRST_PLAIN = 0
"""From this member on, every second of several sees columns without their bins. Outside
the seen values it errs less, and otherwise than the others: docs/choices.md. Draws
around members see everything."""


class MLPStack(Stack):
    """Fully connected members, as batched matrix products with a backward pass."""

    def __init__(
        self,
        flat: Tensor,
        shapes: dict[str, tuple[int, ...]],
        activation: str,
        bins: Bins | None = None,
    ) -> None:
        """Keep the weights, the name of the activation and what columns become."""
        super().__init__(flat, shapes)
        self.layers = [shape for shape in shapes.values() if len(shape) == 2]
        self.activation, self.bins = activation, bins

    def architecture(self) -> str:
        """Return the sizes of the layers and the activation."""
        return f"{self.shapes} {self.activation}"

    def frozen(self) -> list[Tensor]:
        """Return the bins of columns."""
        return [] if self.bins is None else self.bins.tensors

    def unused(self) -> Tensor | None:
        """Return the weights of bins that a member does not see."""
        if self.bins is None:
            return None
        kernel = self.weights()["kernel0"].detach()
        unseen = (kernel == 0).all(dim=2, keepdim=True).expand_as(kernel)
        return unseen.flatten(1) if bool(unseen.any()) else None

    def apply(self, flat: Tensor, x: Tensor) -> Tensor:
        """Return outputs of these weights, (members, rows, outputs)."""
        if torch.is_grad_enabled() and flat.requires_grad:
            return _MLP.apply(flat, x, self)  # type: ignore[no-any-return, no-untyped-call]
        return self._tape(flat).forward(x)

    def predictor(self) -> Callable[[Tensor], Tensor]:
        """Return a forward pass that reuses its buffers."""
        return self.tape().forward

    def viewer(self) -> Viewer:
        """Return a pass that tells what enters the last layer, if any is hidden."""
        tape = self.tape()
        first = first_layer(self, self.bins, *tape.weights[0])

        def view(x: Tensor) -> tuple[Tensor, Tensor | None]:
            outputs = tape.forward(x) if first is None else tape.after(first(x))
            if len(self.layers) == 1:
                return outputs, None
            return outputs, tape.entering[-1].flatten(0, 1).T

        return view

    def tape(self) -> MLPTape:
        """Return forward and backward passes that share their buffers."""
        return self._tape(self.flat)

    def _tape(self, flat: Tensor) -> MLPTape:
        bins = None if self.bins is None else self.bins.to(flat.device)
        return MLPTape(flat.detach(), self.layers, self.activation, bins)

    def layers_entered(self, x: Tensor) -> list[tuple[Layer, Tensor]]:
        """Return all layers, and what enters them."""
        inputs, *hidden = self.activations(x)
        return [
            (Layer(f"kernel{number}", f"bias{number}", inputs_first=True), entered)
            for number, entered in enumerate([inputs[:1], *hidden])
        ]

    def activations(self, x: Tensor) -> list[Tensor]:
        """Return what enters each layer, the inputs first, (members, rows, units)."""
        tape = self.tape()
        tape.forward(x)
        return [values.transpose(1, 2) for values in tape.entering]


def mlp(
    sizes: Sequence[int],
    activation: str = "relu",
    *,
    seeds: Sequence[int],
    bins: Bins | None = None,
) -> MLPStack:
    """Return fully connected members, one per seed.

    Kernels are Glorot-uniform, biases zero, the output linear.

    Args:
        sizes: Units of each layer, inputs first, outputs last.
        activation: A key of `ACTIVATIONS`, applied after every hidden layer.
        seeds: One per member, which determines its initial weights.
        bins: What columns become; as many inputs then enter the first layer. Of several
            members, every second from `FIRST_PLAIN` on has weights of 0 for bins.
    """
    sizes = sizes if bins is None else [len(bins), *sizes[1:]]
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
            drawn = torch.rand(n_in * n_out, generator=rng, dtype=torch.float32)
            parts += [drawn * (2 * limit) - limit, drawn.new_zeros(n_out)]
        members.append(torch.cat(parts))
    flat = torch.stack(members)
    if bins is not None and len(seeds) > 1:
        kernel = flat[:, : sizes[0] * sizes[1]].view(-1, sizes[0], sizes[1])
        kernel[FIRST_PLAIN::2, bins.is_bin] = 0.0
    return MLPStack(flat, shapes, activation, bins)


class _MLP(torch.autograd.Function):
    """The pass as one operation of autograd, with the gradient in one tensor."""

    @staticmethod
    def forward(ctx: Any, flat: Tensor, x: Tensor, stack: MLPStack) -> Tensor:
        ctx.flat, ctx.tape, ctx.own_rows = flat, stack._tape(flat), x.dim() == 3
        return ctx.tape.forward(x)  # type: ignore[no-any-return]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        into_weights = into_inputs = None
        if ctx.needs_input_grad[0]:
            into_weights = torch.empty_like(ctx.flat)
            ctx.tape.backward(gradient, into_weights)
        if ctx.needs_input_grad[1]:
            into_inputs = ctx.tape.input_gradient(gradient)
            into_inputs = into_inputs if ctx.own_rows else into_inputs.sum(0)
        return into_weights, into_inputs, None
