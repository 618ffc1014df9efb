"""A Gaussian process with a length for all columns and noise, by scikit-learn."""

from __future__ import annotations

import numpy as np
from benchmarks.leaderboard.method import Answer, Method, Say, gaussian
from benchmarks.leaderboard.task import Array, Known
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

MOST_ROWS = 1000
"""Its cost grows with their cube."""


def fit(known: Known, seed: int) -> Say:
    """Fit lengths and noise by the marginal likelihood."""
    some = np.random.default_rng(seed).permutation(len(known.y))[:MOST_ROWS]
    length = RBF(np.sqrt(known.x.shape[1]), (1e-2, 1e4))
    kernel = ConstantKernel() * length + WhiteKernel()
    model = GaussianProcessRegressor(kernel, random_state=seed)
    model.fit(known.x[some], known.y[some])

    def say(x: Array) -> Answer:
        return gaussian(*model.predict(x, return_std=True))

    return say


METHODS = {
    "gaussian-process": Method(
        "Gaussian process",
        fit,
        8,
        "kernel set by us, on nothing: RBF with one length for all columns, and noise; "
        f"{MOST_ROWS} rows at most; length and noise by the marginal likelihood",
    )
}
