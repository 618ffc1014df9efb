"""scikit-learn: one `MLPClassifier` or `MLPRegressor` per member."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from benchmarks.speed.sizes import LR, Rows, Size
from sklearn.neural_network import MLPClassifier, MLPRegressor


def train(size: Size, data: Rows, validation: Rows) -> list[Any]:
    """Train every member for all epochs; without penalty, validation or choice."""
    estimator = MLPClassifier if size.classes else MLPRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it has not converged
        return [
            estimator(
                hidden_layer_sizes=size.hidden,
                solver="adam",
                alpha=0.0,
                batch_size=size.batch_size,
                learning_rate_init=LR,
                max_iter=size.epochs,
                n_iter_no_change=size.epochs + 1,
                random_state=seed,
            ).fit(*data)
            for seed in range(size.members)
        ]


def predict(models: list[Any], x: Any) -> Any:
    """Return the mean prediction."""
    if hasattr(models[0], "predict_proba"):
        return np.mean([model.predict_proba(x) for model in models], axis=0)
    return np.mean([model.predict(x) for model in models], axis=0)
