"""What the examples of DARE share: some rows, a network, and its validation loss."""

import torch
from torch import nn
from torch.nn.functional import mse_loss
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = 2 * torch.rand(600, 1) - 1
y = torch.sin(3 * x) + 0.1 * torch.randn(600, 1)
x_train, y_train, x_valid, y_valid = x[:400], y[:400], x[400:], y[400:]
batches = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)


def network() -> nn.Module:
    """Return a network that is not trained."""
    return nn.Sequential(nn.Linear(1, 50), nn.ReLU(), nn.Linear(50, 1))


@torch.no_grad()
def valid_loss(net: nn.Module) -> float:
    """Return the loss on rows that networks are not trained on."""
    return mse_loss(net(x_valid), y_valid).item()
