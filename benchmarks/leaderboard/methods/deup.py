"""DEUP (package deup): boosting, and a second one that predicts its squared errors."""

from __future__ import annotations

import numpy as np
from benchmarks.leaderboard.method import Answer, Method, Say, gaussian
from benchmarks.leaderboard.task import Array, Known


def fit(known: Known, seed: int) -> Say:
    """Fit boosting by its defaults, and its errors on folds."""
    from deup import DEUPRegressor  # noqa: PLC0415

    model = DEUPRegressor(random_state=seed).fit(known.x, known.y)

    def say(x: Array) -> Answer:
        mean, error = model.predict(x, return_uncertainty=True)
        return gaussian(mean, np.sqrt(np.maximum(error, 1e-6)), error)

    return say


METHODS = {"deup": Method("DEUP", fit, 2, needs="deup")}
