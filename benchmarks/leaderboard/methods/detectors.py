"""Detectors of unfamiliar rows, which say nothing of the targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.leaderboard.method import Answer, Method, Say
from benchmarks.leaderboard.task import Array, Known
from sklearn.covariance import EmpiricalCovariance
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.svm import OneClassSVM

Score = Callable[[Array], Array]


def _scored(score: Score) -> Say:
    return lambda x: Answer(score=np.asarray(score(x)))


def neighbours(known: Known, seed: int) -> Say:
    """Score rows by the distance to the fifth nearest one."""
    model = NearestNeighbors(n_neighbors=5).fit(known.x)
    return _scored(lambda x: model.kneighbors(x)[0][:, -1])


def mahalanobis(known: Known, seed: int) -> Say:
    """Score rows by the Mahalanobis distance."""
    model = EmpiricalCovariance().fit(known.x)
    return _scored(model.mahalanobis)


def _novelty(make: Callable[[int], Any]) -> Callable[[Known, int], Say]:
    def fit(known: Known, seed: int) -> Say:
        model = make(seed).fit(known.x)
        return _scored(lambda x: -model.decision_function(x))

    return fit


METHODS = {
    "neighbours": Method(
        "5th neighbour", neighbours, 0.1, "five set by us, on nothing", classes=True
    ),
    "mahalanobis": Method("Mahalanobis", mahalanobis, 0.1, classes=True),
    "lof": Method(
        "LOF",
        _novelty(lambda seed: LocalOutlierFactor(novelty=True)),
        0.2,
        classes=True,
    ),
    "isolation-forest": Method(
        "isolation forest",
        _novelty(lambda seed: IsolationForest(random_state=seed)),
        0.5,
        classes=True,
    ),
    "one-class-svm": Method(
        "one-class SVM", _novelty(lambda seed: OneClassSVM()), 0.2, classes=True
    ),
}
