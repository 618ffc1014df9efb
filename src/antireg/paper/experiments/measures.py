"""The numbers of a trained ensemble on a task's rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antireg import metrics
from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.paper.data.split import Array, Rows, Split
from antireg.paper.experiments.rows import Value
from antireg.predictive import GaussianMixture

SCRIPTS_HIGHEST_VARIANCE = np.exp(10.0)
"""The authors' scripts clip log σ² at 10 when they predict."""


def regression(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield errors and likelihoods, in distribution and out of it, and detection."""
    familiar = model.ood_score(split.test.x)
    for name, rows in {"test": split.test, **split.ood}.items():
        for metric, value in _regression(model, rows):
            yield Value(f"{name}_{metric}", value)
        if name != "test":
            yield from _detection(name, familiar, model.ood_score(rows.x))
    yield Value("false_alarms", model.is_ood(split.test.x).mean())
    yield from fit(model)


def classification(model: EnsembleClassifier, split: Split) -> Iterator[Value]:
    """Yield the quality of predicted classes, and how well OOD rows are detected."""
    probabilities = model.predict_proba(split.test.x)
    labels = np.searchsorted(model.classes_, known(split.test))
    yield Value("accuracy", model.score(split.test.x, split.test.y))
    yield Value("test_nll", metrics.class_nll(labels, probabilities))
    yield Value("test_brier", metrics.brier(labels, probabilities))
    yield Value("test_ece", metrics.classification_ece(labels, probabilities))
    familiar = model.ood_score(split.test.x)
    for name, rows in split.ood.items():
        yield from _detection(name, familiar, model.ood_score(rows.x))
        yield Value(f"{name}_flagged", model.is_ood(rows.x).mean())
    yield Value("false_alarms", model.is_ood(split.test.x).mean())
    yield from fit(model)


def fit(model: EnsembleClassifier | EnsembleRegressor) -> Iterator[Value]:
    """Yield how the training ended; searches read the first two."""
    history = model.history_
    yield Value("validation_loss", history.kept_validation_loss.mean())
    yield Value("ensemble_loss", model.validation_loss_)
    yield Value("diverged", 0.0)
    yield Value("kept_epoch", history.kept.mean())
    yield Value("last_control", history.control[-1].mean())
    weights = model.network_.flat.detach()
    yield Value("mean_squared_weight", weights.square().mean().item())


def known(rows: Rows) -> Array:
    """Return the targets of rows that have them."""
    assert rows.y is not None
    return rows.y


def _regression(model: EnsembleRegressor, rows: Rows) -> Iterator[tuple[str, float]]:
    y = known(rows)[:, None]
    predictive = model.predictive(rows.x)
    assert isinstance(predictive, GaussianMixture)
    mean, std = predictive.mean, predictive.std
    yield "nll", metrics.gaussian_nll(y, mean, std)
    yield "nll_with_constant", metrics.gaussian_nll(y, mean, std, constant=True)
    # Only the members' own noise is clipped, as in the scripts, not their disagreement.
    own = np.minimum(predictive.variances, SCRIPTS_HIGHEST_VARIANCE)
    cut = np.sqrt(own.mean(axis=0) + predictive.epistemic)
    yield "nll_cut", metrics.gaussian_nll(y, mean, cut)
    parts = predictive.means, predictive.variances, predictive.weights
    yield "mixture_nll", metrics.mixture_nll(y, *parts)
    yield "ece", metrics.regression_ece(y, mean, std)
    yield "mae", metrics.mae(y, mean)
    yield "rmse", metrics.rmse(y, mean)
    low, high = predictive.interval(0.95)
    yield "coverage95", metrics.coverage(y, low, high)
    yield "median_std", float(np.median(std))
    yield "constant_mae", float(np.abs(y - np.median(y)).mean())


def _detection(name: str, familiar: Array, unfamiliar: Array) -> Iterator[Value]:
    yield Value(f"{name}_auroc", metrics.auroc(familiar, unfamiliar))
    yield Value(f"{name}_aupr", metrics.aupr(familiar, unfamiliar))
    yield Value(f"{name}_fpr95", metrics.fpr95(familiar, unfamiliar))
