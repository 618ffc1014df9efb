"""The numbers of one ensemble twice: with its doubt, and as if it had none.

Metrics that begin with "plain_" are those of the members alone, of the same training.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from antireg import metrics
from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.doubting import Said
from antireg.familiarity.detection import Detector, threshold
from antireg.methods import DeepEnsemble
from antireg.paper.data.split import Rows, Split
from antireg.paper.experiments.detectors import caught, detections
from antireg.paper.experiments.measures import fit, known
from antireg.paper.experiments.rows import Value
from antireg.predictive import GaussianMixture
from antireg.predictive.intervals import fit_interval_factors
from antireg.predictive.values import Array

MOST_ROWS = 5000
"""Rows of each kind that are scored; of more, so many are drawn."""

COVERAGE = 0.9
PLAIN = "plain_"


class Scored(NamedTuple):
    """Rows, what is said of them, and the scores that flags are by, (rows,) each."""

    rows: Rows
    said: Said
    scores: dict[str, Array]


def regression(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield errors, likelihoods and intervals inside and outside, and detection."""
    held_out = scored(model, held_out_rows(model, split))
    plain = fit_interval_factors(
        model.learned_of(held_out.said.alone), known(held_out.rows)[:, None]
    )
    factors = {"": model.interval_factors_, PLAIN: plain}
    targets = known(split.train)
    constant = float(targets.mean()), float(targets.std())
    found = _all_scored(model, split)
    for name, (rows, said, _) in found.items():
        y = known(rows)[:, None]
        answers = {
            "": model.learned_of(said),
            PLAIN: model.learned_of(said.alone),
        }
        for prefix, answer in answers.items():
            for metric, value in _errors(y, answer):
                yield Value(f"{prefix}{name}_{metric}", value)
            low, high = factors[prefix].interval(answer, COVERAGE)
            yield Value(f"{prefix}{name}_coverage90", metrics.coverage(y, low, high))
            yield Value(f"{prefix}{name}_width90", float(np.median(high - low)))
        mean, std = (np.full_like(y, number) for number in constant)
        yield Value(f"{name}_constant_nll", metrics.gaussian_nll(y, mean, std))
    yield from _detection(model, found, held_out)
    yield from fit(model)


def table(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield what `regression` does, and how well others detect the same rows.

    They are asked once for each split, where the deep ensemble is.
    """
    yield from regression(model, split)
    if isinstance(model.method_, DeepEnsemble):
        yield from detections(split, seed=len(split.train))


def classification(model: EnsembleClassifier, split: Split) -> Iterator[Value]:
    """Yield the quality of predicted classes, and how well OOD rows are detected."""
    held_out = scored(model, held_out_rows(model, split))
    found = _all_scored(model, split)
    for name, (rows, said, _) in found.items():
        answers = {
            "": model.predictive_of(said),
            PLAIN: model.predictive_of(said.alone),
        }
        for prefix, answer in answers.items():
            most = answer.mean.max(axis=1)
            yield Value(f"{prefix}{name}_confidence", float(most.mean()))
            if name == "test":
                labels = np.searchsorted(model.classes_, known(rows))
                right = metrics.accuracy(labels, answer.label)
                yield Value(f"{prefix}accuracy", right)
                nll = metrics.class_nll(labels, answer.mean)
                yield Value(f"{prefix}test_nll", nll)
                ece = metrics.classification_ece(labels, answer.mean)
                yield Value(f"{prefix}test_ece", ece)
    yield from _detection(model, found, held_out)
    yield from fit(model)


def held_out_rows(model: Any, split: Split) -> Rows:
    """Return the rows that the model was calibrated by."""
    if len(split.validation):
        return split.validation
    return split.train[model.held_out_rows_]


def scored(model: Any, rows: Rows) -> Scored:
    """Return what is said of rows, after one pass."""
    said = model.said(rows.x)
    with_doubt, plain = model.score_of(said), model.ood_score_of(said.outputs)
    return Scored(rows, said, {"": with_doubt, PLAIN: plain})


def _all_scored(model: Any, split: Split) -> dict[str, Scored]:
    everyone = {"test": split.test, **split.ood}
    return {name: scored(model, _some(rows)) for name, rows in everyone.items()}


def _some(rows: Rows) -> Rows:
    if len(rows) <= MOST_ROWS:
        return rows
    rng = np.random.default_rng(len(rows))
    return rows[np.sort(rng.permutation(len(rows))[:MOST_ROWS])]


def _errors(y: Array, answer: GaussianMixture) -> Iterator[tuple[str, float]]:
    mean, std = answer.mean, answer.std
    yield "nll", metrics.gaussian_nll(y, mean, std)
    parts = answer.means, answer.variances, answer.weights
    yield "mixture_nll", metrics.mixture_nll(y, *parts)
    yield "ece", metrics.regression_ece(y, mean, std)
    yield "mae", metrics.mae(y, mean)
    yield "rmse", metrics.rmse(y, mean)


def _detection(
    model: Any, found: dict[str, Scored], held_out: Scored
) -> Iterator[Value]:
    """Yield flags at the rate asked for, and the share caught at exactly that rate."""
    rate = model.false_alarm_rate
    own = Detector(threshold(held_out.scores[PLAIN], rate, warn=False))
    detectors = {"": model.detector(), PLAIN: own}
    familiar = found["test"].scores
    for prefix, detector in detectors.items():
        alarms = detector.flag(familiar[prefix]).mean()
        yield Value(f"{prefix}false_alarms", float(alarms))
        for name, (_, _, scores) in found.items():
            if name == "test":
                continue
            pair = familiar[prefix], scores[prefix]
            yield Value(f"{prefix}{name}_auroc", metrics.auroc(*pair))
            yield Value(f"{prefix}{name}_caught", caught(*pair, rate))
            flagged = detector.flag(scores[prefix]).mean()
            yield Value(f"{prefix}{name}_flagged", float(flagged))
    for name, (rows, said, _) in found.items():
        no_doubt = np.zeros(len(rows))
        unknown = model.doubt_ is None or said.unfamiliar is None
        doubt = no_doubt if unknown else model.doubt_.weight(said.unfamiliar)
        yield Value(f"{name}_doubt", float(doubt.mean()))
