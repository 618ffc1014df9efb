"""A plain network, for peers that start from one: as wide and deep as ours."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import torch
from benchmarks.leaderboard.task import Array, Known
from torch import Tensor, nn

HIDDEN = (100, 100, 100)
LR, BATCH, STEPS = 1e-3, 32, 5000
PATIENCE = 400
"""Steps without a better validation loss, after which training ends: as ours does."""


def tensors(known: Known) -> tuple[Tensor, Tensor]:
    """Return inputs and targets for PyTorch; numbers are (rows, 1)."""
    x = torch.tensor(known.x, dtype=torch.float32)
    if known.n_classes:
        return x, torch.tensor(known.y, dtype=torch.long)
    return x, torch.tensor(known.y, dtype=torch.float32)[:, None]


def rows(x: Array) -> Tensor:
    """Return inputs for PyTorch."""
    return torch.tensor(x, dtype=torch.float32)


def loss_of(known: Known) -> nn.Module:
    """Return the loss: squared errors, or cross-entropy for classes."""
    return nn.CrossEntropyLoss() if known.n_classes else nn.MSELoss()


def trained(known: Known, seed: int) -> tuple[nn.Module, float]:
    """Return the network of the best epoch, and its loss on a tenth of the rows.

    Args:
        known: Rows; a tenth of them chooses the epoch.
        seed: Of the network, the batches and that tenth.
    """
    torch.manual_seed(seed)
    x, y = tensors(known)
    order = torch.randperm(len(x))
    held_out, kept = order[: len(x) // 10], order[len(x) // 10 :]
    sizes = (x.shape[1], *HIDDEN, known.n_classes or 1)
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(sizes):
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
    network, loss = nn.Sequential(*layers[:-1]), loss_of(known)
    optimizer = torch.optim.Adam(network.parameters(), LR)
    best, best_loss, since, steps = network, np.inf, 0, 0
    while steps < STEPS and since < PATIENCE:
        for batch in kept[torch.randperm(len(kept))].split(BATCH):
            optimizer.zero_grad()
            loss(network(x[batch]), y[batch]).backward()
            optimizer.step()
            steps, since = steps + 1, since + 1
        with torch.no_grad():
            now = float(loss(network(x[held_out]), y[held_out]))
        if now < best_loss:
            best, best_loss, since = copy.deepcopy(network), now, 0
    return best, best_loss
