"""The layers of a stack that multiply what enters them by a kernel.

Each is a matrix, (inputs, units): that of a convolution multiplies the patches of its
inputs. A bias is one more input that is always 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import pad

CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)


class Layer(NamedTuple):
    """Where the weights of a layer are in a stack.

    Attributes:
        kernel: Name of the kernel.
        bias: Name of the bias, if there is one.
        inputs_first: Whether the kernel is (inputs, units) rather than (units, ...).
    """

    kernel: str
    bias: str | None
    inputs_first: bool = False


def as_matrix(weights: dict[str, Tensor], layer: Layer) -> Tensor:
    """Return kernel and bias of a layer as one matrix, (members, inputs, units).

    Args:
        weights: By name, (members, ...) each.
        layer: Which.
    """
    kernel = weights[layer.kernel]
    matrix = kernel if layer.inputs_first else kernel.flatten(2).mT
    if layer.bias is None:
        return matrix
    return torch.cat([matrix, weights[layer.bias][:, None]], 1)


def as_weights(
    matrix: Tensor, layer: Layer, shapes: dict[str, tuple[int, ...]]
) -> dict[str, Tensor]:
    """Return a matrix as kernel and bias by name; what `as_matrix` was given.

    Args:
        matrix: (members, inputs, units).
        layer: Which.
        shapes: Of the tensors of one member, by name.
    """
    found = {}
    if layer.bias is not None:
        matrix, found[layer.bias] = matrix[:, :-1], matrix[:, -1]
    kernel = matrix if layer.inputs_first else matrix.mT
    found[layer.kernel] = kernel.reshape(-1, *shapes[layer.kernel])
    return found


def flattened(
    weights: dict[str, Tensor], shapes: dict[str, tuple[int, ...]], n_members: int
) -> Tensor:
    """Return tensors in the order of a stack, zero where there is none.

    Args:
        weights: Some of a stack's tensors by name, (members, ...) each.
        shapes: Of all tensors of one member, by name.
        n_members: How many members these are.

    Returns:
        (members, weights).
    """
    some = next(iter(weights.values()))
    parts = [
        weights[name] if name in weights else some.new_zeros(n_members, *shape)
        for name, shape in shapes.items()
    ]
    return torch.cat([part.reshape(n_members, -1) for part in parts], 1)


def layers_of(module: nn.Module) -> dict[str, nn.Module]:
    """Return the layers with a kernel that is trained, by name."""
    return {
        name: layer
        for name, layer in module.named_modules()
        if isinstance(layer, (nn.Linear, *CONVOLUTIONS)) and layer.weight.requires_grad
    }


def layer_named(name: str, shapes: dict[str, tuple[int, ...]]) -> Layer | None:
    """Return a module's layer; None if its kernel has another name, as tied ones do.

    Args:
        name: Of the layer.
        shapes: Of the tensors that are trained, by name.
    """
    prefix = f"{name}." if name else ""
    kernel, bias = f"{prefix}weight", f"{prefix}bias"
    if kernel not in shapes:
        return None
    return Layer(kernel, bias if bias in shapes else None)


def patches(layer: nn.Module, x: Tensor) -> Tensor:
    """Return what a layer multiplies by its kernel, (vectors, inputs).

    Args:
        layer: A linear layer, or a convolution.
        x: What enters it: (..., inputs), or (rows, channels, ...).
    """
    if not isinstance(layer, CONVOLUTIONS):
        return x.flatten(0, -2) if x.dim() > 1 else x[None]
    return _unfolded(layer, x)


def _unfolded(layer: Any, x: Tensor) -> Tensor:
    """Return every patch of a convolution; those of groups of channels in turn."""
    n_axes = len(layer.kernel_size)
    if x.dim() == n_axes + 1:
        x = x[None]
    mode = "constant" if layer.padding_mode == "zeros" else layer.padding_mode
    x = pad(x, _padding(layer), mode=mode)
    for axis in range(n_axes):
        step = layer.dilation[axis]
        reach = (layer.kernel_size[axis] - 1) * step + 1
        x = x.unfold(2 + axis, reach, layer.stride[axis])[..., ::step]
    # (rows, channels, positions…, offsets…): channels and offsets are the inputs.
    x = x.unflatten(1, (layer.groups, -1))
    positions, offsets = range(3, 3 + n_axes), range(3 + n_axes, 3 + 2 * n_axes)
    return (
        x.permute(0, *positions, 1, 2, *offsets).flatten(3 + n_axes - 1).flatten(0, -2)
    )


def _padding(layer: Any) -> list[int]:
    """Return what a convolution adds before and after each axis, the last first."""
    sides: list[int] = []
    for axis, size in reversed(list(enumerate(layer.kernel_size))):
        if layer.padding == "same":
            both = layer.dilation[axis] * (size - 1)
            sides += [both // 2, both - both // 2]
        else:
            sides += [0, 0] if layer.padding == "valid" else [layer.padding[axis]] * 2
    return sides


def entered_by(
    module: nn.Module, weights: dict[str, Tensor], x: Tensor
) -> dict[str, Tensor]:
    """Return what layers of one member multiply by their kernels, (vectors, inputs).

    Args:
        module: The member.
        weights: Its weights by name.
        x: Rows, (rows, features).
    """
    seen: dict[str, list[Tensor]] = {}

    def noting(name: str) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
        def note(layer: nn.Module, given: tuple[Tensor, ...]) -> None:
            seen.setdefault(name, []).append(patches(layer, given[0]))

        return note

    hooks = [
        layer.register_forward_pre_hook(noting(name))
        for name, layer in layers_of(module).items()
    ]
    try:
        functional_call(module, weights, (x,))
    finally:
        for hook in hooks:
            hook.remove()
    return {name: torch.cat(vectors) for name, vectors in seen.items()}
