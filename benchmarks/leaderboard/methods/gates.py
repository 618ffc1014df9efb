"""Gates of this library around boosting and around a forest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.leaderboard.method import Method, Say
from benchmarks.leaderboard.methods.ours import DOUBT, asked
from benchmarks.leaderboard.task import Known
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

from antireg import TrustedClassifier, TrustedRegressor


def _gate(regressor: Any, classifier: Any) -> Callable[[Known, int], Say]:
    def fit(known: Known, seed: int) -> Say:
        inner = classifier if known.n_classes else regressor
        outer = TrustedClassifier if known.n_classes else TrustedRegressor
        model = outer(inner(random_state=seed), random_state=seed)
        return asked(model.fit(known.x, known.y, groups=known.groups), known)

    return fit


TUNED = f"{DOUBT}; noise: what is said above"

METHODS = {
    "gated-boosting": Method(
        "gated boosting",
        _gate(HistGradientBoostingRegressor, HistGradientBoostingClassifier),
        4,
        TUNED,
        classes=True,
        ours=True,
    ),
    "gated-forest": Method(
        "gated forest",
        _gate(RandomForestRegressor, RandomForestClassifier),
        6,
        TUNED,
        classes=True,
        ours=True,
    ),
}
