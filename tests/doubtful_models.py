"""Small models that doubt, fitted once for all tests of a run."""

from functools import cache

import numpy as np

from antireg import EnsembleClassifier, EnsembleRegressor

SETTINGS = {
    "method": "deep_ensemble",
    "n_members": 3,
    "hidden": (16, 16),
    "epochs": 20,
    "lr": 1e-2,
    "random_state": 0,
    "doubt": "rehearsed",
}
FAR = np.full((2, 3), [[300.0], [-300.0]])


def curved(n_rows=600, seed=0):
    """Return inputs, and targets that no straight line goes on with."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, 50 + 10 * np.sin(2 * X[:, 0]) + 3 * X[:, 1] + rng.normal(size=n_rows)


def classes(n_rows=600, seed=0):
    X, y = curved(n_rows, seed)
    return X, np.array(["low", "middle", "high"])[(y > 45).astype(int) + (y > 60)]


@cache
def regressor(**changes):
    return EnsembleRegressor(**SETTINGS | changes).fit(*curved())


@cache
def classifier(**changes):
    return EnsembleClassifier(**SETTINGS | changes).fit(*classes())
