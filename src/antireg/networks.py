"""Many networks of one shape, run in one forward pass.

The weights of all members lie in one tensor, (members, weights): a method sees every
weight of a member as one row, and the optimiser makes one pass over all of them.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.func import functional_call, vmap

Factory = Callable[[int, int], nn.Module]


class Stack(ABC):
    """Members of one shape whose weights are the rows of `flat`.

    Args:
        flat: All weights, (members, weights).
        shapes: Name and shape of each tensor of one member, in the order of `flat`.
    """

    def __init__(self, flat: Tensor, shapes: dict[str, tuple[int, ...]]) -> None:
        """Keep the weights as one leaf, ready to be trained."""
        self.flat = flat.detach().requires_grad_()
        self.shapes = shapes

    @property
    def n_members(self) -> int:
        """Number of networks."""
        return self.flat.shape[0]

    def weights(self) -> dict[str, Tensor]:
        """Return every tensor by name as a view of `flat`, (members, ...) each."""
        sizes = [math.prod(shape) for shape in self.shapes.values()]
        parts = self.flat.split(sizes, dim=1)
        return {
            name: part.unflatten(1, shape) if shape else part.squeeze(1)
            for (name, shape), part in zip(self.shapes.items(), parts, strict=True)
        }

    def with_weights(self, flat: Tensor) -> Stack:
        """Return a stack of the same networks with a copy of other weights."""
        other = copy.copy(self)
        Stack.__init__(other, flat.detach().clone(), self.shapes)
        return other

    def to(self, device: torch.device | str) -> Stack:
        """Return a stack of the same networks whose weights are on `device`."""
        return self.with_weights(self.flat.to(device))

    @abstractmethod
    def __call__(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs).

        Args:
            x: Rows shared by all members, (rows, features), or rows of their own,
                (members, rows, features).
        """


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


class ModuleStack(Stack):
    """Members of any architecture, vectorised by `torch.func`."""

    def __init__(
        self, flat: Tensor, shapes: dict[str, tuple[int, ...]], module: nn.Module
    ) -> None:
        """Keep the weights and one module that gives them their meaning."""
        super().__init__(flat, shapes)
        self.module = module

    def __call__(self, x: Tensor) -> Tensor:
        """Return the outputs of every member, (members, rows, outputs)."""

        def one(weights: dict[str, Tensor], rows: Tensor) -> Tensor:
            return functional_call(self.module, weights, (rows,))  # type: ignore[no-any-return]

        rows_axis = 0 if x.dim() == 3 else None
        # Layers that behave otherwise in training (dropout) do so while gradients do.
        self.module.train(torch.is_grad_enabled())
        run = vmap(one, in_dims=(0, rows_axis), randomness="different")
        return run(self.weights(), x)


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


def modules(
    network: nn.Module | Factory,
    n_inputs: int,
    n_outputs: int,
    *,
    seeds: Sequence[int],
) -> ModuleStack:
    """Return members of the user's own architecture, one per seed.

    Args:
        network: A module, whose layers are drawn anew for every member by their
            `reset_parameters`, or a function of the numbers of inputs and outputs
            that returns a new module.
        n_inputs: Columns of the inputs.
        n_outputs: Columns the loss needs.
        seeds: One seed per member.
    """
    members = []
    for seed in seeds:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            if isinstance(network, nn.Module):
                member = _reset(copy.deepcopy(network))
            else:
                member = network(n_inputs, n_outputs)
        members.append(member.float().cpu())
    module = members[0]
    _check_module(module, n_inputs, n_outputs)
    shapes = {name: tuple(w.shape) for name, w in module.named_parameters()}
    flat = [torch.cat([w.detach().flatten() for w in m.parameters()]) for m in members]
    return ModuleStack(torch.stack(flat), shapes, module)


def _reset(module: nn.Module) -> nn.Module:
    """Draw the weights of every layer anew."""
    for layer in module.modules():
        if not any(True for _ in layer.parameters(recurse=False)):
            continue
        if not hasattr(layer, "reset_parameters"):
            raise ValueError(
                "network must be made of layers with reset_parameters so that members "
                f"start apart, got a {type(layer).__name__} without it. Pass a "
                "function (n_inputs, n_outputs) -> module instead."
            )
        layer.reset_parameters()  # type: ignore[operator]
    return module


def _check_module(module: nn.Module, n_inputs: int, n_outputs: int) -> None:
    """Refuse modules whose members could not be stacked or trained."""
    for layer in module.modules():
        if getattr(layer, "running_mean", None) is not None:
            raise ValueError(
                "network must not keep running statistics, got a "
                f"{type(layer).__name__}. Use LayerNorm or GroupNorm, or freeze the "
                "part that has it and pass its features as X."
            )
    if not any(w.requires_grad for w in module.parameters()):
        raise ValueError("network must have weights to train, got a module with none.")
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        outputs = module(torch.zeros(2, n_inputs))
    if tuple(outputs.shape) != (2, n_outputs):
        raise ValueError(
            f"network must return (rows, {n_outputs}) for inputs (rows, {n_inputs}), "
            f"got {tuple(outputs.shape)} for 2 rows. The loss sets the outputs: "
            "two per target for gaussian_nll, one per class for classes, one for two "
            "classes."
        )


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
