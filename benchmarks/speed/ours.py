"""The library's own: whole calls of `fit` and `predict`, with DARE."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from benchmarks.speed.sizes import LR, THRESHOLD, Rows, Size

from antireg import DARE, EnsembleClassifier, EnsembleRegressor


def train(
    size: Size,
    data: Rows,
    validation: Rows,
    n_jobs: int | None = None,
    checkpoint: Path | None = None,
) -> Any:
    """Return the estimator, fitted."""
    estimator = EnsembleClassifier if size.classes else EnsembleRegressor
    model = estimator(
        DARE(THRESHOLD),
        n_members=size.members,
        hidden=size.hidden,
        epochs=size.epochs,
        patience=None,
        batch_size=size.batch_size,
        lr=LR,
        doubt=None,
        random_state=0,
        n_jobs=n_jobs,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a threshold that never binds
        held_out = tuple(validation)
        return model.fit(*data, validation_data=held_out, checkpoint=checkpoint)


def predict(model: Any, x: Any) -> Any:
    """Return the ensemble's prediction, (rows,)."""
    return model.predict(x)
