"""Laplace (laplace-torch): the last layer of a trained network as a Gaussian."""

from __future__ import annotations

import torch
from benchmarks.leaderboard.method import Answer, Method, Say, classified, gaussian
from benchmarks.leaderboard.network import rows, tensors, trained
from benchmarks.leaderboard.task import Array, Known
from torch.utils.data import DataLoader, TensorDataset

HYPER_STEPS = 100
"""Steps for prior and noise, as in the regression example of its documentation."""


def fit(known: Known, seed: int) -> Say:
    """Fit the last layer by its default, and prior and noise by the evidence."""
    from laplace import Laplace  # noqa: PLC0415

    network, _ = trained(known, seed)
    loader = DataLoader(TensorDataset(*tensors(known)), batch_size=256)
    if known.n_classes:
        model = Laplace(network, "classification")
        model.fit(loader)
        model.optimize_prior_precision(method="marglik")
        return lambda x: classified(model(rows(x)).detach().numpy())
    model = Laplace(network, "regression")
    model.fit(loader)
    prior, noise = (torch.zeros(1, requires_grad=True) for _ in range(2))
    optimizer = torch.optim.Adam([prior, noise], lr=1e-1)
    for _ in range(HYPER_STEPS):
        optimizer.zero_grad()
        (-model.log_marginal_likelihood(prior.exp(), noise.exp())).backward()
        optimizer.step()

    def say(x: Array) -> Answer:
        mean, variance = (value.detach().numpy() for value in model(rows(x)))
        total = variance.ravel() + model.sigma_noise.item() ** 2
        return gaussian(mean.ravel(), total**0.5)

    return say


METHODS = {
    "laplace": Method(
        "Laplace (laplace-torch)",
        fit,
        2.5,
        "own defaults; network, rate, batch and stopping as ours; prior and noise by "
        "the evidence",
        classes=True,
        needs="laplace",
    )
}
