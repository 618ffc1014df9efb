"""Detectors of scikit-learn, by their defaults, beside which doubt is judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.covariance import EmpiricalCovariance
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from antireg import metrics
from antireg.familiarity.detection import Detector
from antireg.paper.data.split import Array, Split
from antireg.paper.experiments.rows import Value
from antireg.predictive.values import Array as Scores

MOST_ROWS = 10_000
"""Training rows that they are given, as many as a model keeps for doubt."""

NAMES = {
    "lof": "LOF",
    "forest": "isolation forest",
    "svm": "one-class SVM",
    "neighbours": "5th neighbour",
    "mahalanobis": "Mahalanobis",
}
"""What they are called in rows, and on the page.

The last is what `EllipticEnvelope` does, without its search for rows to trust, which
takes half a minute on a hundred columns and is of little use where most are categories.
"""


def detections(split: Split, seed: int) -> Iterator[Value]:
    """Yield how well each tells shifted rows from test rows.

    Args:
        split: The table. Inputs are standardised, which favours most of them.
        seed: Of those that draw at random.
    """
    some = np.random.default_rng(seed).permutation(len(split.train))[:MOST_ROWS]
    scaler = StandardScaler().fit(split.train.x[some])
    known = scaler.transform(split.train.x[some])
    test = scaler.transform(split.test.x)
    for name in NAMES:
        detector = _Detector(name, known, seed)
        familiar = detector(test)
        for shift, rows in split.ood.items():
            unfamiliar = detector(scaler.transform(rows.x))
            yield Value(f"{shift}_{name}_auroc", metrics.auroc(familiar, unfamiliar))
            yield Value(f"{shift}_{name}_caught", caught(familiar, unfamiliar))


def caught(familiar: Scores, unfamiliar: Scores, rate: float = 0.05) -> float:
    """Return the share of shifted rows flagged where this share of test rows is."""
    detector = Detector(float(np.quantile(familiar, 1 - rate)))
    return float(detector.flag(unfamiliar).mean())


class _Detector:
    """One of them, fitted to known rows."""

    def __init__(self, name: str, known: Array, seed: int) -> None:
        self.name = name
        models: dict[str, Any] = {
            "lof": LocalOutlierFactor(novelty=True),
            "forest": IsolationForest(random_state=seed),
            "svm": OneClassSVM(),
            "neighbours": NearestNeighbors(),
            "mahalanobis": EmpiricalCovariance(),
        }
        self.model = models[name].fit(known)

    def __call__(self, rows: Array) -> Scores:
        """Return how unfamiliar rows are, (rows,)."""
        if self.name == "neighbours":
            distances, _ = self.model.kneighbors(rows)
            return np.asarray(distances[:, -1])
        if self.name == "mahalanobis":
            return np.asarray(self.model.mahalanobis(rows))
        return -np.asarray(self.model.decision_function(rows))
