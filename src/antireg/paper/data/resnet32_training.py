"""Train ResNet32 on CIFAR-10 from scratch, for those who have a GPU and an hour."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import pad
from tqdm import tqdm

from antireg.disk.atomic import write_whole
from antireg.paper.data.files import npz
from antireg.paper.data.images import load_images
from antireg.paper.data.resnet32 import ResNet32, prepare
from antireg.paper.data.split import Rows
from antireg.paper.data.where import cache

SHIFT = 4


def main(seed: int = 0) -> Path:
    """Train on all training pictures and write the weights into the cache.

    Features extracted afterwards are those of this network.
    """
    network = train(load_images("cifar10", "train"), seed)
    path = cache() / "cifar" / "resnet32_weights.npz"
    state = {
        name: weight.cpu().numpy() for name, weight in network.state_dict().items()
    }
    write_whole(path, npz(**state))
    return path


def train(
    rows: Rows, seed: int = 0, n_epochs: int = 200, batch_size: int = 128
) -> ResNet32:
    """Return a network trained by the recipe of He et al. (2016), §4.2.

    Args:
        rows: Pictures in bytes, (rows, 32, 32, 3), and their classes.
        seed: Fixes the initial weights, the order of the rows and their shifts.
        n_epochs: The learning rate drops to a tenth after half of them, and again
            after three quarters.
        batch_size: Rows per step.
    """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rng = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = ResNet32().to(device)
    x, y = prepare(rows.x).to(device), torch.as_tensor(rows.y).to(device)
    optimiser = torch.optim.SGD(
        network.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4
    )
    falls = [n_epochs // 2, 3 * n_epochs // 4]
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimiser, falls)
    fit_loss = nn.CrossEntropyLoss()
    for _ in tqdm(range(n_epochs), "ResNet32", unit="epoch", disable=None):
        for batch in torch.randperm(len(x), generator=rng).split(batch_size):
            loss = fit_loss(network(shifted(x[batch.to(device)], rng)), y[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        schedule.step()
    return network.eval()


def shifted(x: Tensor, rng: torch.Generator) -> Tensor:
    """Return pictures shifted by up to four pixels and mirrored at random, like x."""
    n_rows, _, side, _ = x.shape
    moves = torch.randint(2 * SHIFT + 1, (2, n_rows, 1), generator=rng)
    down, right = moves + torch.arange(side)
    mirror = torch.rand((n_rows, 1), generator=rng) < 0.5
    right = torch.where(mirror, right.flip(1), right)
    wide = pad(x, (SHIFT,) * 4).permute(0, 2, 3, 1)
    row = torch.arange(n_rows)[:, None, None]
    return wide[row, down[:, :, None], right[:, None, :]].permute(0, 3, 1, 2)
