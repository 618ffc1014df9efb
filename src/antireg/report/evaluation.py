"""Measures a fitted model on rows whose targets are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg import metrics
from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.doubting import Said
from antireg.predictive import GaussianMixture, LogNormalMixture
from antireg.predictive.values import Array
from antireg.tables.encoder import Encoded

COVERAGE = 0.9
LEVELS = np.arange(1, 20) / 20


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A model's predictions for some rows, compared with the targets.

    Of rows without targets there are only scores, flags and their metrics; all else is
    empty.

    Attributes:
        scores: OOD score of each row, (rows,).
        flags: Which rows are flagged, (rows,).
        uncertainty: Standard deviation, or 1 − the largest probability, (rows,).
        error: Distance of mean and target, or 1 where the label is wrong, (rows,).
        calibration: Nominal and observed levels, (2, levels): quantiles and the share
            of targets below them, or confidence and accuracy.
        coverage: Nominal and observed coverage of central intervals, (2, levels); None
            for classes.
        metrics: By name.
        doubt: How much of each answer is "I do not know", (rows,); None without doubt.
        right: Whether the target is in the 90 % interval, or the label is right,
            (rows,); None without targets.
    """

    scores: Array
    flags: NDArray[np.bool_]
    uncertainty: Array
    error: Array
    calibration: Array
    coverage: Array | None
    metrics: dict[str, float]
    doubt: Array | None = None
    right: NDArray[np.bool_] | None = None


def measure(
    model: Any,
    X: Array | Encoded,
    y: NDArray[Any] | None,
    words: Sequence[str] = (),
) -> Evaluation:
    """Return how good the model is on these rows.

    Args:
        model: Fitted, with one target.
        X: (rows, features), or what `model.entering` returned.
        y: (rows,), or None if targets are not known.
        words: What each row holds that training never saw, (rows,), "" if nothing;
            such rows are flagged too.
    """
    said = model.said(X if isinstance(X, Encoded) else Encoded(X))
    scores = model.score_of(said)
    flags = model.detector().flag(scores, words)
    shared = {"rows": float(len(scores)), "flagged_share": float(flags.mean())}
    found = WITHOUT_TARGETS if y is None else MEASURES[model.kind](model, said, y)
    named = shared | found["metrics"]
    doubt = None if model.doubt_ is None else model.weight_of(said)
    known = found | {"metrics": named}
    return Evaluation(scores=scores, flags=flags, doubt=doubt, **known)


def detection_metrics(familiar: Evaluation, shifted: Evaluation) -> dict[str, float]:
    """Return how well scores tell shifted rows from familiar ones."""
    both = familiar.scores, shifted.scores
    return {
        "auroc": metrics.auroc(*both),
        "aupr": metrics.aupr(*both),
        "fpr95": metrics.fpr95(*both),
    }


def _regression(
    model: EnsembleRegressor, said: Said, y: NDArray[Any]
) -> dict[str, Any]:
    mixture = model.predictive_of(said)
    mean, std, target = mixture.mean, mixture.std, np.asarray(y, np.float64)[:, None]
    reached = mixture.cdf(target)[:, 0]
    factors = model.interval_factors_
    ends = [factors.interval(mixture, level) for level in LEVELS]
    inside = np.array([metrics.coverage(target, *both) for both in ends])
    under = np.array([(reached <= level).mean() for level in LEVELS])
    low, high = factors.interval(mixture, COVERAGE)
    right = ((low <= target) & (target <= high))[:, 0]
    spread = float(np.square(target - target.mean()).mean())
    rmse = metrics.rmse(target, mean)
    named = {
        "rmse": rmse,
        "r2": 1 - rmse**2 / spread if spread > 0 else 0.0,
        "mae": metrics.mae(target, mean),
        "nll": -float(mixture.log_density(target).mean()),
        **_crps(mixture, target),
        "coverage_90": float(right.mean()),
        "mean_interval_width": float((high - low).mean()),
        "calibration_error": float(np.abs(inside - LEVELS).mean()),
    }
    return {
        "uncertainty": std[:, 0],
        "error": np.abs(target - mean)[:, 0],
        "calibration": np.stack([LEVELS, under]),
        "coverage": np.stack([LEVELS, inside]),
        "metrics": named,
        "right": right,
    }


def _crps(mixture: GaussianMixture | LogNormalMixture, target: Array) -> dict[str, Any]:
    """Return the CRPS of Gaussians; there is none yet of what logarithms learned."""
    if isinstance(mixture, LogNormalMixture):
        return {}
    parts = mixture.means, mixture.variances, mixture.weights
    return {"crps": metrics.crps_mixture(target, *parts)}


def _classification(
    model: EnsembleClassifier, said: Said, y: NDArray[Any]
) -> dict[str, Any]:
    predictive = model.predictive_of(said)
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
        "right": right,
    }


WITHOUT_TARGETS: dict[str, Any] = {
    "uncertainty": np.zeros(0),
    "error": np.zeros(0),
    "calibration": np.zeros((2, 0)),
    "coverage": None,
    "metrics": {},
}
"""What is known of rows whose targets are not."""

MEASURES: dict[str, Callable[..., dict[str, Any]]] = {
    "regressor": _regression,
    "classifier": _classification,
}
"""The function that measures each kind of estimator."""
