"""Make a UCI file from its table, with the splits the literature uses."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from antireg.disk.atomic import write_whole
from antireg.paper.data.files import npz
from antireg.paper.data.split import Array
from antireg.paper.data.uci_tables import NAMES
from antireg.paper.data.where import cache

Pair = tuple[Array, Array]


def build(name: str, x: Array, y: Array) -> Path:
    """Write `uci/<name>.npz` into the cache and return its path.

    Args:
        name: One of the names that `uci` loads.
        x: Features as published, (rows, features).
        y: Target, (rows,).
    """
    if name not in NAMES:
        raise ValueError(f"name must be one of {', '.join(NAMES)}, got {name!r}.")
    if x.ndim != 2 or y.shape != x.shape[:1]:
        raise ValueError(
            "x must be (rows, features) and y (rows,), got shapes "
            f"{x.shape} and {y.shape}."
        )
    arrays = {"X": x, "y": y}
    standard = standard_splits(len(x), 5 if name == "protein" else 20)
    for kind, pairs in (("standard", standard), ("gap", gap_splits(x))):
        for number, (train, test) in enumerate(pairs):
            arrays[f"{kind}_train_{number}"] = train.astype(np.int32)
            arrays[f"{kind}_test_{number}"] = test.astype(np.int32)
    path = cache() / "uci" / f"{name}.npz"
    write_whole(path, npz(**arrays))
    return path


def standard_splits(n_rows: int, n_splits: int) -> list[Pair]:
    """Return the published train and test rows, nine to one, of each split.

    References:
        Hernández-Lobato and Adams, "Probabilistic Backpropagation for Scalable
        Learning of Bayesian Neural Networks", ICML 2015.
    """
    rng = np.random.RandomState(1)  # their generator and seed, to get their rows
    orders = [rng.permutation(n_rows) for _ in range(n_splits)]
    n_train = round(0.9 * n_rows)
    return [(order[:n_train], order[n_train:]) for order in orders]


def gap_splits(x: Array) -> list[Pair]:
    """Return, for each feature, the outer thirds to train and the middle third to test.

    References:
        Foong et al., "'In-Between' Uncertainty in Bayesian Neural Networks", 2019.
    """
    n_outer = round(len(x) / 3)
    pairs = []
    for column in x.T:
        order = np.argsort(column, kind="stable")
        outer = np.concatenate([order[:n_outer], order[-n_outer:]])
        pairs.append((outer, order[n_outer:-n_outer]))
    return pairs
