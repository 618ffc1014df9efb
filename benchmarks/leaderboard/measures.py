"""What is measured of a method's answers: each a number, by name.

Measures of targets end in `_in` for familiar rows and in `_out` for shifted ones.
Targets have standard deviation 1 among the training rows, so all are in this unit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from benchmarks.leaderboard.method import COVERAGE, Answer
from benchmarks.leaderboard.task import Array

from antireg import metrics
from antireg.paper.data.split import Rows
from antireg.paper.experiments.detectors import caught


class Measure(NamedTuple):
    """How a measure is shown.

    Attributes:
        title: On the page.
        higher: Whether higher is better.
        aim: What is best, where neither higher nor lower is.
        goal: Whether the ranks in it are among the goals.
    """

    title: str
    higher: bool = False
    aim: float | None = None
    goal: bool = False

    def loss(self, value: float) -> float:
        """Return the value so that lower is better."""
        if self.aim is not None:
            return abs(value - self.aim)
        return -value if self.higher else value


MEASURES = {
    "nll_in": Measure("NLL inside"),
    "nll_out": Measure("NLL outside", goal=True),
    "crps_in": Measure("CRPS inside"),
    "crps_out": Measure("CRPS outside"),
    "interval_score_in": Measure("interval score inside"),
    "interval_score_out": Measure("interval score outside", goal=True),
    "coverage_in": Measure("coverage inside", aim=COVERAGE),
    "coverage_out": Measure("coverage outside", aim=COVERAGE),
    "rmse_in": Measure("RMSE inside"),
    "rmse_out": Measure("RMSE outside"),
    "auroc": Measure("AUROC", higher=True, goal=True),
    "caught": Measure("caught at 5 % false alarms", higher=True),
    "accuracy": Measure("accuracy", higher=True),
    "log_loss": Measure("log loss"),
    "fit_seconds": Measure("seconds to fit"),
    "predict_seconds": Measure("seconds to predict"),
}
"""In the order of the page."""


def measured(
    familiar: tuple[Rows, Answer], shifted: tuple[Rows, Answer]
) -> Iterator[tuple[str, float]]:
    """Yield (measure, value) of what a method says of familiar and of shifted rows."""
    for side, (rows, answer) in (("in", familiar), ("out", shifted)):
        if rows.y is not None:
            yield from _of_targets(rows.y, answer, side)
    scores = familiar[1].score, shifted[1].score
    if scores[0] is not None and scores[1] is not None:
        yield "auroc", metrics.auroc(scores[0], scores[1])
        yield "caught", caught(scores[0], scores[1])


def interval_score(
    y: Array, low: Array, high: Array, coverage: float = COVERAGE
) -> float:
    """Return the mean of an interval's width and  2/(1 − coverage)  times its miss."""
    miss = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    return float((high - low + 2 / (1 - coverage) * miss).mean())


def _of_targets(y: Array, answer: Answer, side: str) -> Iterator[tuple[str, float]]:
    if answer.probabilities is not None:
        yield "accuracy", metrics.accuracy(y, answer.probabilities.argmax(axis=1))
        yield "log_loss", metrics.class_nll(y, answer.probabilities)
        return
    mixture = answer.mixture
    if mixture is not None:
        parts = mixture.means, mixture.variances, mixture.weights
        if mixture.variances.min() > 0:
            nll = metrics.mixture_nll(y[:, None], *parts, constant=True)
            yield f"nll_{side}", nll
        yield f"crps_{side}", metrics.crps_mixture(y[:, None], *parts)
    if answer.low is not None and answer.high is not None:
        ends = answer.low, answer.high
        yield f"interval_score_{side}", interval_score(y, *ends)
        yield f"coverage_{side}", metrics.coverage(y, *ends)
    if answer.mean is not None:
        yield f"rmse_{side}", metrics.rmse(y, answer.mean)
