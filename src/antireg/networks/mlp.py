"""Fully connected members: batched matrix products with a hand-written backward pass.

Values are stored as (members, units, rows): products are fastest with the rows last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from antireg.networks.bins import Bins
from antireg.networks.layers import Layer
from antireg.networks.lookup import first_layer
from antireg.networks.stack import Stack, Tape, Viewer

NARROW = 16
"""With at most this many inputs, transposing them costs less than not doing so."""

WIDE = 1024
"""With at least this many inputs, the first product is faster with the rows first."""


class MLPStack(Stack):
    """Fully connected members, as batched matrix products with a backward pass."""

    bins: Bins | None = None  # of pickles that older versions made

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
        seeds: One per member, which alone determines its initial weights.
        bins: What columns become; as many inputs then enter the first layer.
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
    return MLPStack(torch.stack(members), shapes, activation, bins)


aten = torch.ops.aten
# name → (activation in place, gradient in place from that above and the activation)
ACTIVATIONS: dict[
    str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor], Tensor]]
] = {
    "relu": (
        torch.relu_,
        lambda g, a: aten.threshold_backward.grad_input(g, a, 0, grad_input=g),
    ),
    "leaky_relu": (
        lambda a: nn.functional.leaky_relu_(a, 0.01),
        lambda g, a: aten.leaky_relu_backward.grad_input(
            g, a, 0.01, True, grad_input=g
        ),
    ),
    "tanh": (
        torch.tanh_,
        lambda g, a: aten.tanh_backward.grad_input(g, a, grad_input=g),
    ),
    "sigmoid": (
        torch.sigmoid_,
        lambda g, a: aten.sigmoid_backward.grad_input(g, a, grad_input=g),
    ),
    "identity": (lambda a: a, lambda g, a: g),
}


class MLPTape(Tape):
    """Forward and backward passes of all members, in buffers reused at every step.

    Views are made once too: making them at every step would cost a small product.
    """

    def __init__(
        self,
        flat: Tensor,
        layers: Sequence[tuple[int, ...]],
        activation: str,
        bins: Bins | None = None,
    ) -> None:
        """View the weights as the kernels and biases of layers."""
        self.layers, self.bins = layers, bins
        self.weights = _as_layers(flat, layers)
        self.turned = [(kernel.mT, bias[:, :, None]) for kernel, bias in self.weights]
        self.activate, self.activate_backward = ACTIVATIONS[activation]
        self.entering: list[Tensor] = []
        self.out: Tensor | None = None
        self.into: list[tuple[Tensor, Tensor]] = []
        self.buffers: dict[tuple[str, int], list[Tensor]] = {}

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs)."""
        values = x.mT if self.bins is None else self.bins(x.mT)
        if x.dim() == 2:
            values = values.expand(self.weights[0][0].shape[0], *values.shape)
        if values.shape[-2] < NARROW:
            values = values.contiguous()
        up = self._buffers("up", values)
        last = up[-1]
        self.entering = [values, *up[:-1]]
        for layer, out in enumerate(up):
            kernel, bias = self.turned[layer]
            if self.layers[layer][0] < WIDE or out is last:
                torch.baddbmm(bias, kernel, values, out=out)
            else:
                rows_first = out.new_empty(out.mT.shape)
                torch.baddbmm(bias.mT, values.mT, kernel.mT, out=rows_first)
                out.copy_(rows_first.mT)
            values = out if out is last else self.activate(out)
        return values.mT.clone(memory_format=torch.contiguous_format)

    def after(self, values: Tensor) -> Tensor:
        """Return the outputs, given what leaves the first layer; see `Lookup`."""
        up = self._buffers("up", values)
        self.entering = []
        for (kernel, bias), out in zip(self.turned[1:], up[1:], strict=True):
            self.entering.append(self.activate(values))
            values = torch.baddbmm(bias, kernel, values, out=out)
        return values.mT.clone(memory_format=torch.contiguous_format)

    def backward(self, gradient: Tensor, out: Tensor) -> None:
        """Propagate the gradient of the last pass's outputs back to the weights."""
        if out is not self.out:
            self.out, self.into = out, _as_layers(out, self.layers)
        down = self._buffers("down", self.entering[0])
        rows_first, gradient = gradient, gradient.mT
        for layer in reversed(range(len(self.into))):
            entered = self.entering[layer]
            kernel, bias = self.into[layer]
            torch.bmm(entered, rows_first, out=kernel)
            torch.sum(gradient, 2, out=bias)
            if layer:
                below = down[layer - 1]
                torch.bmm(self.weights[layer][0], gradient, out=below)
                gradient = self.activate_backward(below, entered)
                rows_first = gradient.mT

    def input_gradient(self, gradient: Tensor) -> Tensor:
        """Return the gradient of the last pass's inputs, (members, rows, inputs)."""
        gradient = gradient.mT
        for layer in reversed(range(len(self.weights))):
            gradient = torch.bmm(self.weights[layer][0], gradient)
            if layer:
                gradient = self.activate_backward(gradient, self.entering[layer])
        if self.bins is not None:
            gradient = self.bins.gradient(self.entering[0], gradient)
        return gradient.mT

    def _buffers(self, use: str, values: Tensor) -> list[Tensor]:
        """Return buffers for the values of each layer, (..., units, rows)."""
        members, _, n_rows = values.shape
        if (use, n_rows) not in self.buffers:
            self.buffers[use, n_rows] = [
                values.new_empty(members, n_out, n_rows) for _, n_out in self.layers
            ]
        return self.buffers[use, n_rows]


def _as_layers(
    flat: Tensor, layers: Sequence[tuple[int, ...]]
) -> list[tuple[Tensor, Tensor]]:
    """Return views of each layer's kernel, (members, in, out), and bias."""
    views, start = [], 0
    for n_in, n_out in layers:
        end = start + n_in * n_out
        kernel = flat[:, start:end].view(-1, n_in, n_out)
        start = end + n_out
        views.append((kernel, flat[:, end:start]))
    return views


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
