"""Fashion-MNIST by the features of a small convolutional network with batch norm.

The paper says that DARE fails on convolutions and on batch norm, so the network is
trained as usual and then frozen; ensembles are heads on what its blocks say.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn
from tqdm import tqdm

from antireg.disk.atomic import write_whole
from antireg.paper.data.files import npz
from antireg.paper.data.images import fashion_mnist
from antireg.paper.data.split import Array, Rows, Split
from antireg.paper.data.where import cache

SIDE = 28
CHANNELS = (1, 16, 32, 64)
N_UNITS = 64
N_ROWS_PER_BATCH = 500
HIGHEST_LR = 0.01


class Convolutions(nn.Module):
    """Three blocks of convolution, batch norm and pooling, and a hidden layer."""

    def __init__(self, n_classes: int = 10) -> None:
        """Draw the weights."""
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.Conv2d(n_in, n_out, 3, padding=1, bias=False),
                nn.BatchNorm2d(n_out),
                nn.ReLU(),
                nn.MaxPool2d(2),
            )
            for n_in, n_out in pairwise(CHANNELS)
        )
        self.hidden = nn.Linear(CHANNELS[-1] * 9, N_UNITS)
        self.last = nn.Linear(N_UNITS, n_classes)

    def forward(self, x: Tensor) -> Tensor:
        """Return logits, (rows, classes), of pixels from 0 to 255, (rows, 784)."""
        return self.last(self._views(x)[-1])  # type: ignore[no-any-return]

    def features(self, x: Tensor) -> Tensor:
        """Return the mean of each channel of each block, and the hidden layer.

        Args:
            x: Pixels from 0 to 255, (rows, 784).

        Returns:
            (rows, 112 + 64).
        """
        *pictures, hidden = self._views(x)
        means = [values.mean((2, 3)) for values in pictures]
        return torch.cat([*means, hidden], 1)

    def _views(self, x: Tensor) -> list[Tensor]:
        """Return what each block and the hidden layer make of pixels."""
        values, seen = x.view(-1, 1, SIDE, SIDE) / 255 - 0.5, []
        for block in self.blocks:
            values = block(values)
            seen.append(values)
        return [*seen, self.hidden(values.flatten(1)).relu()]


def train(
    rows: Rows, seed: int = 0, n_epochs: int = 6, batch_size: int = 128
) -> Convolutions:
    """Return a network trained by Adam with one cycle of its learning rate.

    Args:
        rows: Pixels from 0 to 255, (rows, 784), and their classes.
        seed: Fixes the initial weights and the order of the rows.
        n_epochs: Passes over the rows.
        batch_size: Rows per step.
    """
    rng = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = Convolutions()
    x, y = torch.as_tensor(rows.x), torch.as_tensor(rows.y)
    n_steps = n_epochs * -(-len(x) // batch_size)
    optimiser = torch.optim.Adam(network.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, HIGHEST_LR, total_steps=n_steps
    )
    fit_loss = nn.CrossEntropyLoss()
    for _ in tqdm(range(n_epochs), "convolutions", unit="epoch", disable=None):
        for batch in torch.randperm(len(x), generator=rng).split(batch_size):
            loss = fit_loss(network(x[batch]), y[batch])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return network.eval()


def fashion_features(seed: int = 0) -> Split:
    """Return `fashion_mnist` by the features of a network trained on its rows.

    The network is trained once for each seed, and kept in the cache. It has not seen
    the validation rows.

    Args:
        seed: Of the split and of the network.
    """
    split = fashion_mnist(seed)
    network = kept_network(split, seed)

    def seen(rows: Rows) -> Rows:
        return Rows(_features(network, rows.x), rows.y)

    return replace(
        split,
        name="fashion_features",
        train=seen(split.train),
        validation=seen(split.validation),
        test=seen(split.test),
        ood={name: seen(rows) for name, rows in split.ood.items()},
    )


def kept_network(split: Split, seed: int) -> Convolutions:
    """Return the network of a seed, from the cache if it was trained before.

    Args:
        split: Of that seed.
        seed: Of the network.
    """
    path = cache() / "fashion-mnist" / f"conv-{seed}.npz"
    if not path.exists():
        found = train(split.train, seed).state_dict()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, npz(**{name: w.numpy() for name, w in found.items()}))
    network = Convolutions()
    with np.load(path) as file:
        state = {name: torch.from_numpy(file[name]) for name in file.files}
    network.load_state_dict(state)
    return network.eval()


@torch.inference_mode()
def _features(network: Convolutions, pixels: Array) -> Array:
    parts = torch.as_tensor(pixels).split(N_ROWS_PER_BATCH)
    return torch.cat([network.features(part) for part in parts]).numpy()
