"""What a method is: rows in, and for other rows whatever it can say of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from benchmarks.leaderboard.task import Array, Known
from benchmarks.operators import define_operators
from scipy.stats import norm

from antireg.predictive import GaussianMixture

COVERAGE = 0.9
"""Of the intervals that are judged."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method says of some rows; what it cannot say stays None.

    Attributes:
        score: How unfamiliar each row is, (rows,); higher is less familiar.
        mixture: Its predictive distribution; variances of 0 are point masses, which
            have a CRPS but no density.
        mean: Its best guess, (rows,), if that is not the mean of the mixture.
        low, high: Ends of an interval that should hold 90 % of targets, (rows,) each.
        probabilities: Of each class, (rows, classes).
    """

    score: Array | None = None
    mixture: GaussianMixture | None = None
    mean: Array | None = None
    low: Array | None = None
    high: Array | None = None
    probabilities: Array | None = None


Say = Callable[[Array], Answer]
"""From inputs, (rows, features), to what is said of them."""


@dataclass(frozen=True)
class Method:
    """One line of the leaderboard.

    Attributes:
        title: Its name on the page.
        fit: From what may be seen and a seed to what answers.
        cost: Roughly the seconds of a fit; the cheap ones are run first.
        tuned: What its settings were chosen on.
        numbers: Whether it can be asked for numbers.
        classes: Whether it can be asked for classes.
        needs: The module it comes from, if that is of another package.
        ours: Whether it is a method of this library.
    """

    title: str
    fit: Callable[[Known, int], Say]
    cost: float
    tuned: str = "its own defaults"
    numbers: bool = True
    classes: bool = False
    needs: str = ""
    ours: bool = False

    def missing(self) -> bool:
        """Return whether its package cannot be imported.

        It is imported here, before a fit, so that no fit is timed with it.
        """
        if not self.needs:
            return False
        define_operators()
        try:
            import_module(self.needs)
        except ImportError:
            return True
        return False


def gaussian(mean: Array, std: Array, score: Array | None = None) -> Answer:
    """Return the answer of a method that says one Gaussian for each row.

    Args:
        mean: (rows,).
        std: (rows,), above 0.
        score: How unfamiliar rows are, (rows,); by default the standard deviation.
    """
    mean, std = (np.asarray(values, np.float64).ravel() for values in (mean, std))
    mixture = GaussianMixture(mean[None, :, None], np.square(std)[None, :, None])
    reach = norm.ppf((1 + COVERAGE) / 2) * std
    score = std if score is None else np.asarray(score)
    return Answer(score, mixture, mean, mean - reach, mean + reach)


def drawn(means: Array, variances: Array) -> Answer:
    """Return the answer of networks that say one Gaussian each, (networks, rows)."""
    mixture = GaussianMixture(means[:, :, None], variances[:, :, None])
    low, high = (end[:, 0] for end in mixture.interval(COVERAGE))
    return Answer(mixture.std[:, 0], mixture, mixture.mean[:, 0], low, high)


def classified(probabilities: Array, score: Array | None = None) -> Answer:
    """Return the answer of a classifier; its score is by default the entropy."""
    values = np.asarray(probabilities, np.float64)
    if score is None:
        with np.errstate(divide="ignore", invalid="ignore"):
            score = -np.nansum(values * np.log(values), axis=1)
    return Answer(score, probabilities=values)
