"""Networks that count as trained: random layers, and a last one by least squares."""

import numpy as np
import torch
from torch import Tensor, nn

N_UNITS = 40


def rows(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a table of two columns in [−1, 1] and a noisy target far from 0."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, 2))
    return X, 10 + 5 * np.sin(3 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n_rows)


def pictures(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return pictures (1, 6, 6) of noise, brighter on one of three stripes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 1, 6, 6))
    y = rng.integers(0, 3, n_rows)
    for stripe in range(3):
        X[y == stripe, 0, 2 * stripe : 2 * stripe + 2] += 0.7
    return X, y


def regression_network(seed: int, n_outputs: int = 1) -> nn.Sequential:
    """Return a network with batch norm for `rows`, in training mode.

    Further outputs are constant: the log-variance of the noise.
    """
    X, y = rows(500, 100 + seed)
    torch.manual_seed(seed)
    last = nn.Linear(N_UNITS, n_outputs)
    first = [nn.Linear(2, N_UNITS), nn.BatchNorm1d(N_UNITS), nn.ReLU()]
    network = nn.Sequential(*first, last)
    nn.init.uniform_(network[1].bias, -1.5, 1.5)
    solve_last(network, torch.tensor(X).float(), torch.tensor(y).float()[:, None])
    with torch.no_grad():
        last.weight[1:], last.bias[1:] = 0.0, 2 * np.log(0.3)
    return network


def picture_network(seed: int) -> nn.Sequential:
    """Return a convolution with batch norm for `pictures`, in training mode."""
    X, y = pictures(500, 100 + seed)
    torch.manual_seed(seed)
    first = [nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten()]
    network = nn.Sequential(*first, nn.Linear(8 * 16, 3))
    one_hot = nn.functional.one_hot(torch.tensor(y), 3).float()
    solve_last(network, torch.tensor(X).float(), 4 * one_hot)
    return network


@torch.no_grad()
def solve_last(network: nn.Sequential, x: Tensor, y: Tensor) -> None:
    """Fill running statistics, and set the last layer's first outputs."""
    *_, last = network
    for _ in range(50):
        network(x)
    network.eval()
    units = torch.cat([network[:-1](x), torch.ones(len(x), 1)], 1).double()
    square = units.T @ units + 0.1 * torch.eye(units.shape[1])
    found = torch.linalg.solve(square, units.T @ y.double()).float()
    last.weight[: y.shape[1]], last.bias[: y.shape[1]] = found[:-1].T, found[-1]
    network.train()
