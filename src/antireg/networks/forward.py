"""Forward passes without gradient, whose rounding does not depend on the caller."""

from __future__ import annotations

import torch
from torch import Tensor

from antireg.losses import Loss
from antireg.networks import Stack
from antireg.networks.centred import Speaking
from antireg.process import flushed_denormals, own_modes
from antireg.rows.data import Data, Inputs

CHUNK_NUMBERS = 2**15
"""Numbers per member and layer of a forward pass: few enough to stay in the processor's
cache, which nearly halves the time. Other devices get 16 times as many. The number of
members does not matter."""

LANE = 16
"""This many rows of float32 take a multiple of 64 bytes, whatever their width: a chunk
of a large tensor is then aligned like one that is read from a file."""


def ensemble_loss(network: Stack, data: Data, loss: Loss) -> float:
    """Return the loss of the members as one predictor."""
    with own_modes(), flushed_denormals():
        pooled = loss.pool(forward(network, data.x))
        return loss(pooled, data.y, data.weight).item()


def evaluate(
    network: Stack, data: Data, loss: Loss, row_limit: float = torch.inf
) -> Tensor:
    """Return each member's mean loss, with a limit on each row's, (members,)."""
    return loss(forward(network, data.x), data.y, data.weight, row_limit)


@torch.no_grad()
def forward(network: Speaking, x: Inputs) -> Tensor:
    """Return all members' outputs, in chunks of bounded memory, without gradient.

    Args:
        network: The members, perhaps with a centre.
        x: (rows, features).

    Returns:
        (members, rows, outputs).
    """
    outputs_of = network.predictor()
    chunks = x.split(rows_at_once(network, x.shape[1]))
    return torch.cat([outputs_of(rows) for rows in chunks], dim=1)


def rows_at_once(network: Speaking, n_inputs: int) -> int:
    """Return how many rows a forward pass takes at a time."""
    widest = max(shape[-1] for shape in network.shapes.values() if shape)
    numbers = CHUNK_NUMBERS * (1 if network.flat.device.type == "cpu" else 16)
    # Inputs count less: all members share them, and only the first layer needs them.
    return max(1, numbers // max(widest, n_inputs // 8) // LANE) * LANE
