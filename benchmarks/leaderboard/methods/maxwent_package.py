"""The package maxwent, by the authors of DARE: noise on a trained network's weights."""

from __future__ import annotations

import numpy as np
import torch
from benchmarks.leaderboard.method import Answer, Method, Say, classified, drawn
from benchmarks.leaderboard.network import BATCH, LR, loss_of, rows, tensors, trained
from benchmarks.leaderboard.task import Array, Known

DRAWS, EPOCHS = 50, 30


def fit(known: Known, seed: int) -> Say:
    """Grow the noise along the singular vectors of what enters each layer."""
    from maxwent.tch import MaxWEnt, set_maxwent_model  # noqa: PLC0415

    network, loss = trained(known, seed)
    model = MaxWEnt(set_maxwent_model(network))
    model.fit_svd(known.x)
    noises = [p for p in model.network.parameters() if p.requires_grad]
    model.compile(torch.optim.Adam(noises, LR), loss_of(known), [])
    _, y = tensors(known)
    data = torch.utils.data.TensorDataset(rows(known.x), y)
    model.fit(
        torch.utils.data.DataLoader(data, BATCH, shuffle=True),
        epochs=EPOCHS,
        verbose=0,
    )

    def say(x: Array) -> Answer:
        said = np.stack(
            [model.predict(x, batch_size=len(x), seed=k) for k in range(DRAWS)]
        )
        if known.n_classes:
            powers = np.exp(said - said.max(axis=2, keepdims=True))
            shares = powers / powers.sum(axis=2, keepdims=True)
            return classified(shares.mean(axis=0))
        # It says nothing of noise: that of rows held out from the network is added.
        return drawn(said[:, :, 0], np.full(said.shape[:2], loss))

    return say


METHODS = {
    "maxwent-package": Method(
        "maxwent (package)",
        fit,
        6,
        "network, rate, batch and stopping as ours; epochs and draws set by us, on "
        "nothing",
        classes=True,
        needs="maxwent.tch",
    )
}
