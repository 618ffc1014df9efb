"""Forward passes, without gradient, that round alike wherever they are made."""

from __future__ import annotations

import torch
from torch import Tensor

from antireg.losses import Loss
from antireg.networks import Stack
from antireg.process import flushed_denormals, own_modes
from antireg.rows.data import Data, Inputs

CHUNK_NUMBERS = 2**15
"""Numbers a member may hold per layer of a forward pass: few enough to stay in the
cache of a processor, which nearly halves the time. Another device gets 16 times as
many. The number of members does not count."""

LANE = 16
"""Rows of float32 that take a multiple of 64 bytes, however wide: a chunk of one
large tensor is then aligned as one that is read from a file."""


def ensemble_loss(network: Stack, data: Data, loss: Loss) -> float:
    """Return the loss of the members as one predictor."""
    with own_modes(), flushed_denormals():
        pooled = loss.pool(forward(network, data.x))
        return loss(pooled, data.y, data.weight).item()


def evaluate(
    network: Stack, data: Data, loss: Loss, row_limit: float = torch.inf
) -> Tensor:
    """Return each member's mean loss, a row costing so much at most, (members,)."""
    return loss(forward(network, data.x), data.y, data.weight, row_limit)


@torch.no_grad()
def forward(network: Stack, x: Inputs) -> Tensor:
    """Return all members' outputs, in chunks of bounded memory, without gradient.

    Args:
        network: The members.
        x: (rows, features).

    Returns:
        (members, rows, outputs).
    """
    outputs_of = network.predictor()
    chunks = x.split(rows_at_once(network, x.shape[1]))
    return torch.cat([outputs_of(rows) for rows in chunks], dim=1)


def rows_at_once(network: Stack, n_inputs: int) -> int:
    """Return how many rows a forward pass takes at a time."""
    widest = max(shape[-1] for shape in network.shapes.values() if shape)
    numbers = CHUNK_NUMBERS * (1 if network.flat.device.type == "cpu" else 16)
    # Inputs count less: all members share them, and the first layer is done with them.
    return max(1, numbers // max(widest, n_inputs // 8) // LANE) * LANE
