"""Little tables and settings that fit in a blink, for the tests of the estimators."""

import numpy as np
import pytest

SMALL = {
    "n_members": 2,
    "hidden": (16,),
    "epochs": 30,
    "lr": 1e-2,
    "random_state": 0,
    "doubt": None,
}
QUICK = {**SMALL, "epochs": 3}

unfinished_is_fine = pytest.mark.filterwarnings(
    "ignore:(DARE|WaterFilling|MaxWEnt):sklearn.exceptions.ConvergenceWarning"
)


def table(n_rows: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3))
    return X, 10 + 3 * X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=n_rows)


def labelled(n_rows: int = 150, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % n_classes
    centres = 4 * rng.normal(size=(n_classes, 3))
    return centres[y] + rng.normal(size=(n_rows, 3)), np.array(["a", "b", "c"])[y]
