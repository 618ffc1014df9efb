"""Passes through fully connected members: batched products, written out backwards too.

Values are stored as (members, units, rows): products are fastest with the rows last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from antireg.networks.bins import Bins
from antireg.networks.stack import Tape

NARROW = 16
"""With at most this many inputs, transposing them costs less than not doing so."""

WIDE = 1024
"""With at least this many inputs, the first product is faster with the rows first."""

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
