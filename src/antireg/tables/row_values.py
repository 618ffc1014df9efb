"""All that a model says of rows, from one forward pass."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.base import Ensemble
from antireg.familiarity import detection

Array = NDArray[np.float64]


def score_rows(
    model: Ensemble, X: Array, *, coverage: float, limit: float
) -> dict[str, NDArray[Any]]:
    """Return named values, (rows,) each.

    A regressor gives mean, std, low and high, a classifier label and p(...) for each
    class; both give ood_score and flag.

    Args:
        model: Fitted, of one target.
        X: (rows, features).
        coverage: Probability of the interval between low and high.
        limit: The score above which a row is flagged.
    """
    said = model.said(X)
    values: dict[str, NDArray[Any]] = {}
    if isinstance(model, EnsembleRegressor):
        mixture = model.predictive_of(said.outputs, said.unfamiliar)
        low, high = model.interval_factors_.interval(mixture, coverage)
        named = {"mean": mixture.mean, "std": mixture.std, "low": low, "high": high}
        values |= {name: column[:, 0] for name, column in named.items()}
    elif isinstance(model, EnsembleClassifier):
        predictive = model.predictive_of(said.outputs, said.unfamiliar)
        values["label"] = model.classes_[predictive.label]
        for name, column in zip(model.classes_, predictive.mean.T, strict=True):
            values[f"p({name})"] = column
    values["ood_score"] = model.score_of(said)
    values["flag"] = detection.flag(values["ood_score"], limit)
    return values


def never_trained(model: Ensemble) -> NDArray[np.bool_]:
    """Return which inputs were 0 in all rows that the model trained on, (features,)."""
    trace = model.training_data_
    zero = model.scaling_.scaled(np.zeros((1, len(trace.mean))))[0]
    same = np.abs(zero - trace.mean) <= 1e-6 * (1 + np.abs(trace.mean))
    found: NDArray[np.bool_] = (trace.variance == 0) & same
    return found
