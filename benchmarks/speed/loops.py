"""Plain PyTorch: one member after the other, as tutorials write it, and leaner.

The tutorial's loop is that of PyTorch's own quickstart: a `TensorDataset`, a shuffling
`DataLoader`, `nn.Sequential`, `torch.optim.Adam` as it comes, and a pass over the
validation rows after every epoch. The lean loop does the same steps without what costs
most there: it indexes the rows itself and validates in one batch.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise

import torch
from benchmarks.speed.sizes import LR, THRESHOLD, Rows, Size
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from antireg.methods.dare_loss import EPSILON

Fit = Callable[[Tensor, Tensor], Tensor]


def tutorial(size: Size, data: Rows, validation: Rows) -> list[nn.Module]:
    """Train every member as the quickstart does, with DARE's penalty."""
    fit = _fit(size)
    loader = DataLoader(_dataset(size, data), size.batch_size, shuffle=True)
    validation_loader = DataLoader(_dataset(size, validation), size.batch_size)
    models = []
    for seed in range(size.members):
        torch.manual_seed(seed)
        model = _network(size)
        optimizer = torch.optim.Adam(model.parameters(), lr=LR)
        best = model.state_dict()
        for _ in range(size.epochs):
            model.train()
            for x, y in loader:
                loss = fit(model(x), y)
                if loss.item() <= THRESHOLD:
                    loss = loss + _penalty(model)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
            model.eval()
            with torch.no_grad():
                total = sum(fit(model(x), y).item() for x, y in validation_loader)
            if total / len(validation_loader) <= THRESHOLD:
                best = copy.deepcopy(model.state_dict())
        model.load_state_dict(best)
        models.append(model)
    return models


def lean(size: Size, data: Rows, validation: Rows) -> list[nn.Module]:
    """Train every member on rows taken by their numbers."""
    fit = _fit(size)
    all_x, all_y = _dataset(size, data).tensors
    held_x, held_y = _dataset(size, validation).tensors
    models = []
    for seed in range(size.members):
        torch.manual_seed(seed)
        model = _network(size)
        optimizer = torch.optim.Adam(model.parameters(), lr=LR)
        best = model.state_dict()
        for _ in range(size.epochs):
            for rows in torch.randperm(len(all_x)).split(size.batch_size):
                optimizer.zero_grad()
                loss = fit(model(all_x[rows]), all_y[rows])
                if loss.item() <= THRESHOLD:
                    loss = loss + _penalty(model)
                loss.backward()
                optimizer.step()
            with torch.no_grad():
                if fit(model(held_x), held_y).item() <= THRESHOLD:
                    best = copy.deepcopy(model.state_dict())
        model.load_state_dict(best)
        models.append(model)
    return models


@torch.no_grad()
def predict_by_loader(models: list[nn.Module], x: NDArray) -> NDArray:
    """Return the mean output, member by member from a `DataLoader`, (rows, outputs)."""
    loader = DataLoader(TensorDataset(torch.from_numpy(x)), batch_size=1024)
    said = [torch.cat([model(rows) for (rows,) in loader]) for model in models]
    return torch.stack(said).mean(0).numpy()


@torch.no_grad()
def predict_at_once(models: list[nn.Module], x: NDArray) -> NDArray:
    """Return the mean output, all rows in one pass per member, (rows, outputs)."""
    rows = torch.from_numpy(x)
    return torch.stack([model(rows) for model in models]).mean(0).numpy()


def _network(size: Size) -> nn.Sequential:
    layers: list[nn.Module] = []
    for n_in, n_out in pairwise(size.layers):
        layers += [nn.Linear(n_in, n_out), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def _penalty(model: nn.Module) -> Tensor:
    """Return minus the mean log squared weight."""
    weights = torch.cat([weight.flatten() for weight in model.parameters()])
    return -(weights.square() + EPSILON).log().mean()


def _dataset(size: Size, rows: Rows) -> TensorDataset:
    """Return rows with targets as DARE's losses take them, (rows, targets)."""
    y = torch.from_numpy(rows.y)
    if size.classes > 2:
        y = size.classes * nn.functional.one_hot(y, size.classes).float()
    return TensorDataset(torch.from_numpy(rows.x), y.float().view(len(y), -1))


def _fit(size: Size) -> Fit:
    """Return the loss of outputs and targets."""
    if size.classes:
        return nn.MSELoss()
    gaussian = nn.GaussianNLLLoss()
    return lambda said, y: gaussian(said[:, :1], y, said[:, 1:].exp())
