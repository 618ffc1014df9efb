"""Whether a module has been trained, which a new ensemble would undo.

A module does not say so itself. It was trained if its weights have gradients, or if a
bias or the weights of a norm have left what its layer draws: linear layers,
convolutions and recurrent layers draw from an interval, norms start at 0 and 1. Kernels
do not count, since many modules draw theirs in another way when they are made; nor do
values that are all the same, or very few, which may be set by hand.
"""

from __future__ import annotations

import copy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.parameter import UninitializedParameter

from antireg.advice import warn_user
from antireg.networks.layers import CONVOLUTIONS
from antireg.process import drawing

FEWEST = 8
"""Values of a tensor that can tell."""

N_DRAWS, ROOM = 16, 0.5
"""How often a layer draws anew, and how much farther than that its values may be, as a
part of their range."""

TRANSPOSED = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
KERNELS = (nn.Linear, *CONVOLUTIONS, *TRANSPOSED)
EXACT = 1 + 1e-6


def warn_of_trained(network: Any) -> None:
    """Warn if a user's module is trained and not frozen: members start anew."""
    if isinstance(network, nn.Module) and is_trained(network):
        warn_user(
            "network is trained already, and its weights will be drawn anew for every "
            "member. To keep them use antireg.from_networks; to train only other "
            "layers, freeze these with requires_grad_(False).",
        )


def is_trained(module: nn.Module) -> bool:
    """Return whether weights that are not frozen have been trained."""
    return any(_has_moved(layer) for layer in module.modules())


def _has_moved(layer: nn.Module) -> bool:
    """Return whether a layer's own weights are none that it would draw."""
    own = {name: w for name, w in layer.named_parameters(recurse=False)}
    free = {
        name: w.detach()
        for name, w in own.items()
        if w.requires_grad and not isinstance(w, UninitializedParameter)
    }
    if any(own[name].grad is not None for name in free):
        return True
    told = {name: w for name, w in free.items() if _tells(w)}
    if not told or not hasattr(layer, "reset_parameters"):
        return False
    supports = _supports(layer, list(told))
    return any(
        bool((w.cpu() < supports[name][0]).any() or (w.cpu() > supports[name][1]).any())
        for name, w in told.items()
    )


def _tells(weight: Tensor) -> bool:
    """Return whether a tensor is a bias or the like, with values of its own."""
    few = weight.dim() != 1 or len(weight) < FEWEST
    return not few and bool((weight != weight[0]).any())


def _supports(layer: nn.Module, names: list[str]) -> dict[str, tuple[float, float]]:
    """Return the least and the most that a layer draws for its tensors."""
    known = getattr(type(layer), "reset_parameters", None) in OWN
    if known and isinstance(layer, KERNELS):
        n_inputs = layer.weight[0].numel()
        most = EXACT * n_inputs**-0.5
        return dict.fromkeys(names, (-most, most))
    if known and isinstance(layer, nn.RNNBase):
        most = EXACT * layer.hidden_size**-0.5
        return dict.fromkeys(names, (-most, most))
    other = copy.deepcopy(layer).cpu()
    draws: dict[str, list[Tensor]] = {name: [] for name in names}
    with drawing(0):
        for _ in range(N_DRAWS):
            other.reset_parameters()  # type: ignore[operator]
            for name in names:
                draws[name].append(other.get_parameter(name).detach().clone())
    return {name: _range(torch.stack(drawn)) for name, drawn in draws.items()}


def _range(drawn: Tensor) -> tuple[float, float]:
    low, high = float(drawn.min()), float(drawn.max())
    room = ROOM * (high - low)
    return low - room, high + room


OWN = {kind.reset_parameters for kind in (*KERNELS, nn.RNNBase)}
"""What draws from an interval that is known."""
