"""How well a fitted model does on rows whose targets are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg import metrics
from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.base import Ensemble
from antireg.predictive.values import Array

COVERAGE = 0.9
LEVELS = np.arange(1, 20) / 20


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a model says of some rows, beside the truth.

    Attributes:
        scores: OOD score of each row, (rows,).
        flags: Which rows are flagged, (rows,).
        uncertainty: Standard deviation, or one less the largest probability, (rows,).
        error: Distance of mean and target, or whether the label is wrong, (rows,).
        calibration: Levels asked for and reached, (2, levels): share of targets under
            a quantile, or accuracy at a confidence.
        coverage: Coverage asked for and reached by central intervals, (2, levels).
        metrics: By name.
    """

    scores: Array
    flags: NDArray[np.bool_]
    uncertainty: Array
    error: Array
    calibration: Array
    coverage: Array | None
    metrics: dict[str, float]


def evaluate(
    model: Ensemble, X: Array, y: NDArray[Any], words: Sequence[str] = ()
) -> Evaluation:
    """Return how the model does on these rows.

    Args:
        model: Fitted, of one target.
        X: (rows, features).
        y: (rows,).
        words: What is strange in each row, (rows,), if known: it is flagged for it too.
    """
    outputs = model.outputs(X)
    scores = model.ood_score_of(outputs)
    flags = model.detector().flag(scores, words)
    shared = {"rows": float(len(X)), "flagged_share": float(flags.mean())}
    found = MEASURES[model.kind](model, outputs, y)
    found["metrics"] = shared | found["metrics"]
    return Evaluation(scores=scores, flags=flags, **found)


def detection_metrics(familiar: Evaluation, shifted: Evaluation) -> dict[str, float]:
    """Return how well scores tell shifted rows from familiar ones."""
    both = familiar.scores, shifted.scores
    return {
        "auroc": metrics.auroc(*both),
        "aupr": metrics.aupr(*both),
        "fpr95": metrics.fpr95(*both),
    }


def _regression(
    model: EnsembleRegressor, outputs: Array, y: NDArray[Any]
) -> dict[str, Any]:
    mixture = model.predictive_of(outputs)
    mean, std, target = mixture.mean, mixture.std, np.asarray(y, np.float64)[:, None]
    reached = mixture.cdf(target)[:, 0]
    factors = model.interval_factors_
    ends = [factors.interval(mixture, level) for level in LEVELS]
    inside = np.array([metrics.coverage(target, *both) for both in ends])
    under = np.array([(reached <= level).mean() for level in LEVELS])
    low, high = factors.interval(mixture, COVERAGE)
    spread = float(np.square(target - target.mean()).mean())
    rmse = metrics.rmse(target, mean)
    named = {
        "rmse": rmse,
        "r2": 1 - rmse**2 / spread if spread > 0 else 0.0,
        "mae": metrics.mae(target, mean),
        "nll": metrics.mixture_nll(
            target, mixture.means, mixture.variances, constant=True
        ),
        "crps": metrics.crps_mixture(target, mixture.means, mixture.variances),
        "coverage_90": metrics.coverage(target, low, high),
        "mean_interval_width": float((high - low).mean()),
        "calibration_error": float(np.abs(inside - LEVELS).mean()),
    }
    return {
        "uncertainty": std[:, 0],
        "error": np.abs(target - mean)[:, 0],
        "calibration": np.stack([LEVELS, under]),
        "coverage": np.stack([LEVELS, inside]),
        "metrics": named,
    }


def _classification(
    model: EnsembleClassifier, outputs: Array, y: NDArray[Any]
) -> dict[str, Any]:
    predictive = model.predictive_of(outputs)
    index = np.searchsorted(model.classes_, y)
    index = np.minimum(index, len(model.classes_) - 1)
    known = model.classes_[index] == y
    right = known & (predictive.label == index)
    confidence = predictive.mean.max(axis=1)
    named = {"accuracy": float(right.mean())}
    if known.all():
        named |= {
            "nll": metrics.class_nll(index, predictive.mean),
            "brier": metrics.brier(index, predictive.mean),
            "calibration_error": metrics.classification_ece(index, predictive.mean),
        }
    else:
        named["unknown_classes"] = float((~known).mean())
    bins = np.minimum((confidence * 10).astype(int), 9)
    filled = np.unique(bins)
    curve = [[v[bins == b].mean() for b in filled] for v in (confidence, right)]
    return {
        "uncertainty": 1 - confidence,
        "error": (~right).astype(np.float64),
        "calibration": np.array(curve),
        "coverage": None,
        "metrics": named,
    }


MEASURES: dict[str, Callable[..., dict[str, Any]]] = {
    "regressor": _regression,
    "classifier": _classification,
}
"""What measures each kind of estimator."""
