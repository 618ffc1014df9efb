"""CIFAR-10, CIFAR-100 and SVHN by the features of ResNet32, as one file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from antireg.disk.atomic import write_whole
from antireg.paper.data.files import npz
from antireg.paper.data.images import load_images
from antireg.paper.data.resnet32 import ResNet32, prepare, pretrained
from antireg.paper.data.split import Array

N_ROWS_PER_BATCH = 250
PARTS = (
    ("cifar10", "train"),
    ("cifar10", "test"),
    ("cifar100", "test"),
    ("svhn", "test"),
)


def extract(folder: Path) -> None:
    """Write `cifar/resnet32_features.npz` into the folder, from the pictures.

    Args:
        folder: A data folder.
    """
    pictures = {f"{name}_{part}": load_images(name, part) for name, part in PARTS}
    network = pretrained()
    arrays = {
        name: features(network, rows.x, name).astype(np.float16)
        for name, rows in pictures.items()
    }
    for name in ("cifar10_train", "cifar10_test"):
        labels = pictures[name].y
        assert labels is not None
        arrays[f"{name}_labels"] = labels.astype(np.uint8)
    write_whole(folder / "cifar" / "resnet32_features.npz", npz(**arrays))


def features(network: ResNet32, pictures: Array, title: str = "features") -> Array:
    """Return the features of pictures, given in bytes, (rows, 64), batch by batch."""
    blocks = []
    with (
        torch.inference_mode(),
        tqdm(desc=title, total=len(pictures), unit="picture", disable=None) as bar,
    ):
        for start in range(0, len(pictures), N_ROWS_PER_BATCH):
            batch = pictures[start : start + N_ROWS_PER_BATCH]
            blocks.append(network.features(prepare(batch)).numpy())
            bar.update(len(batch))
    return np.concatenate(blocks)
