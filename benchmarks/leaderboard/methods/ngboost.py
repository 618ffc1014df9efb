"""NGBoost: boosting of a Gaussian's mean and spread by natural gradients.

It could also be asked for classes, where it takes minutes: a tree for each of them.
"""

from __future__ import annotations

from benchmarks.leaderboard.method import Answer, Method, Say, gaussian
from benchmarks.leaderboard.task import Array, Known


def fit(known: Known, seed: int) -> Say:
    """Fit its 500 trees."""
    from ngboost import NGBRegressor  # noqa: PLC0415

    model = NGBRegressor(verbose=False, random_state=seed).fit(known.x, known.y)

    def say(x: Array) -> Answer:
        said = model.pred_dist(x)
        return gaussian(said.loc, said.scale)

    return say


METHODS = {"ngboost": Method("NGBoost", fit, 3, needs="ngboost")}
