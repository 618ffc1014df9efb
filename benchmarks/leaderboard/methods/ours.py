"""The estimators of this library: doubt on and off, DARE, and its rivals."""

from __future__ import annotations

from typing import Any

from benchmarks.leaderboard.method import COVERAGE, Answer, Method, Say, classified
from benchmarks.leaderboard.task import Array, Known

from antireg import EnsembleClassifier, EnsembleRegressor, MaxWEnt

DEFAULT = "antireg"
"""The method that the page is about."""

SHARED = "what all ensembles of antireg were, above"
DOUBT = "shifted rows of the tasks marked †, and what doubt was, above"
WITH_DOUBT = f"{DOUBT}; {SHARED}"
DRAWS = f"draws: shifted rows of tasks marked †; {SHARED}"


def asked(model: Any, known: Known) -> Say:
    """Return what a fitted estimator of this library says."""

    def say(x: Array) -> Answer:
        score = model.ood_score(x)
        if known.n_classes:
            return classified(model.predict_proba(x), score)
        low, high = model.predict_interval(x, COVERAGE)
        mixture = model.predictive(x)
        return Answer(score, mixture, mixture.mean[:, 0], low, high)

    return say


def _method(
    title: str,
    method: Any,
    cost: float,
    doubt: str | None = None,
    tuned: str = SHARED,
    **settings: Any,
) -> Method:
    def fit(known: Known, seed: int) -> Say:
        kind = EnsembleClassifier if known.n_classes else EnsembleRegressor
        model = kind(method, doubt=doubt, random_state=seed, **settings)
        return asked(model.fit(known.x, known.y, groups=known.groups), known)

    return Method(title, fit, cost, tuned, classes=True, ours=True)


METHODS = {
    DEFAULT: _method("antireg, the default", "auto", 2, "rehearsed", WITH_DOUBT),
    "dare-doubt": _method("DARE with doubt", "dare", 15, "rehearsed", WITH_DOUBT),
    "deep-ensemble": _method("deep ensemble", "deep_ensemble", 2),
    "dare": _method("DARE", "dare", 10),
    "repulsive": _method("RDE", "repulsive", 5),
    "anchor-net": _method("AnchorNet", "anchor_net", 20),
    "mod": _method("MOD", "mod", 20),
    "negative-correlation": _method("NegCorr", "negative_correlation", 20),
    "water-filling": _method("water-filling", "water_filling", 4, tuned=DRAWS),
    "max-w-ent": _method(
        "Bayesian DARE", MaxWEnt(draws=50), 4, tuned=DRAWS, n_members=1
    ),
}
