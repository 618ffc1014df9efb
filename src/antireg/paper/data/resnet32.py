"""ResNet32 for CIFAR-10: 32×32 pictures in, ten class values or 64 features out."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from antireg.paper.data.catalogue import get
from antireg.paper.data.split import Array

N_FEATURES = 64
STAGES = ((16, 1), (32, 2), (64, 2))
N_BLOCKS = 5
MEAN = (0.485, 0.456, 0.406)
DEVIATION = (0.229, 0.224, 0.225)


class ResNet32(nn.Module):
    """The network of He et al. (2016), §4.2, with n = 5.

    References:
        He et al., "Deep Residual Learning for Image Recognition", CVPR 2016.
    """

    def __init__(self) -> None:
        """Build the layers with random weights, under the names of the public ones."""
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        stages = []
        n_inputs = 16
        for width, stride in STAGES:
            blocks = [Block(n_inputs, width, stride)]
            blocks += [Block(width, width, 1) for _ in range(N_BLOCKS - 1)]
            stages.append(nn.Sequential(*blocks))
            n_inputs = width
        self.layer1, self.layer2, self.layer3 = stages
        self.linear = nn.Linear(N_FEATURES, 10)

    def features(self, x: Tensor) -> Tensor:
        """Return the pooled features of prepared pictures, (rows, 64)."""
        x = self.bn1(self.conv1(x)).relu()
        pooled: Tensor = self.layer3(self.layer2(self.layer1(x))).mean((2, 3))
        return pooled

    def forward(self, x: Tensor) -> Tensor:
        """Return the class values of prepared pictures, (rows, 10)."""
        values: Tensor = self.linear(self.features(x))
        return values


class Block(nn.Module):
    """Two 3×3 convolutions, added to the input by a shortcut without weights."""

    def __init__(self, n_inputs: int, n_outputs: int, stride: int) -> None:
        """Build the layers."""
        super().__init__()
        self.stride = stride
        self.n_new = n_outputs - n_inputs
        self.conv1 = nn.Conv2d(n_inputs, n_outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(n_outputs)
        self.conv2 = nn.Conv2d(n_outputs, n_outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(n_outputs)

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output, (rows, outputs, height, width)."""
        out = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        # Every second pixel, and channels of zeros, half before and half after.
        kept = x[:, :, :: self.stride, :: self.stride]
        half = self.n_new // 2
        added: Tensor = out + pad(kept, (0, 0, 0, 0, half, half))
        return added.relu()


def prepare(pictures: Array) -> Tensor:
    """Return RGB bytes (rows, 32, 32, 3) for the network, (rows, 3, 32, 32).

    Scaled to [0, 1], then standardised by colour.
    """
    scaled = torch.from_numpy(np.ascontiguousarray(pictures)).float() / 255
    return ((scaled - torch.tensor(MEAN)) / torch.tensor(DEVIATION)).permute(0, 3, 1, 2)


def pretrained() -> ResNet32:
    """Return the network with the public weights, ready to extract features."""
    ((name, path),) = get("resnet32").items()
    if name.endswith(".npz"):
        with np.load(path) as file:
            state = {key: torch.from_numpy(file[key]) for key in file.files}
    else:
        content = torch.load(path, map_location="cpu", weights_only=True)
        state = {
            key.removeprefix("module."): value
            for key, value in content["state_dict"].items()
        }
    network = ResNet32()
    # The npz file leaves out the batch counters, which prediction does not use.
    counters = {
        key: value
        for key, value in network.state_dict().items()
        if key.endswith("num_batches_tracked")
    }
    network.load_state_dict(counters | state)
    return network.eval()
