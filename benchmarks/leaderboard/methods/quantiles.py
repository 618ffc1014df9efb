"""Intervals by quantiles: boosting, conformalised boosting and a forest."""

from __future__ import annotations

import numpy as np
from benchmarks.leaderboard.method import COVERAGE, Answer, Method, Say
from benchmarks.leaderboard.task import Array, Known
from sklearn.ensemble import HistGradientBoostingRegressor

from antireg.predictive import GaussianMixture

ENDS = ((1 - COVERAGE) / 2, (1 + COVERAGE) / 2, 0.5)
N_POINTS = 50
"""Quantiles by which the distribution of a forest is described."""


def _ends(centre: Array, low: Array, high: Array) -> Answer:
    """Return an answer whose score is the width; ends that cross are swapped."""
    low, high = np.minimum(low, high), np.maximum(low, high)
    return Answer(high - low, None, centre, low, high)


def boosting(known: Known, seed: int) -> Say:
    """Fit one model of boosted trees for each quantile."""
    models = [
        HistGradientBoostingRegressor(
            loss="quantile", quantile=level, random_state=seed
        ).fit(known.x, known.y)
        for level in ENDS
    ]

    def say(x: Array) -> Answer:
        low, high, middle = (model.predict(x) for model in models)
        return _ends(middle, low, high)

    return say


def conformal(known: Known, seed: int) -> Say:
    """Fit the same, with ends moved until they hold of rows that were held out."""
    from mapie.regression import ConformalizedQuantileRegressor  # noqa: PLC0415

    n_fit = round(0.8 * len(known.y))
    order = np.random.default_rng(seed).permutation(len(known.y))
    ours, others = order[:n_fit], order[n_fit:]
    start = HistGradientBoostingRegressor(
        loss="quantile", quantile=0.5, random_state=seed
    )
    model = ConformalizedQuantileRegressor(start, confidence_level=COVERAGE)
    model.fit(known.x[ours], known.y[ours])
    model.conformalize(known.x[others], known.y[others])

    def say(x: Array) -> Answer:
        middle, ends = model.predict_interval(x)
        return _ends(middle, ends[:, 0, 0], ends[:, 1, 0])

    return say


def forest(known: Known, seed: int) -> Say:
    """Fit a quantile forest."""
    from quantile_forest import RandomForestQuantileRegressor  # noqa: PLC0415

    model = RandomForestQuantileRegressor(random_state=seed).fit(known.x, known.y)
    levels = (np.arange(N_POINTS) + 0.5) / N_POINTS

    def say(x: Array) -> Answer:
        found = model.predict(x, quantiles=[*levels, *ENDS[:2]]).T
        points = found[:N_POINTS, :, None]
        mixture = GaussianMixture(points, np.zeros_like(points))
        low, high = found[N_POINTS:]
        centre = model.predict(x, quantiles="mean")
        return Answer(high - low, mixture, centre, low, high)

    return say


METHODS = {
    "quantile-boosting": Method("quantile boosting", boosting, 1),
    "conformal-boosting": Method(
        "conformalised boosting (MAPIE)",
        conformal,
        1,
        "own defaults; a fifth of the rows moves the ends",
        needs="mapie.regression",
    ),
    "quantile-forest": Method("quantile forest", forest, 1, needs="quantile_forest"),
}
