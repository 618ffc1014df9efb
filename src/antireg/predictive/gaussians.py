"""What the outputs of a regression network mean: a Gaussian of each member."""

from __future__ import annotations

import math

import numpy as np

from antireg.losses import LOWEST_LOG_VARIANCE
from antireg.predictive.mixture import GaussianMixture
from antireg.predictive.values import Array

MOST_DEVIATIONS = 1e6
"""A member's σ is at most this many standard deviations of the training targets.

Away from the data log σ² grows with the weights, and σ is its exponential: beyond this
it only says that nothing is known.
"""
FINITE_LOG_VARIANCE = 600.0
"""The limit for targets in their own units: small enough to stay a float."""


def highest_log_variance(scaled: bool) -> float:
    """Return where the log-variances of members are clipped.

    Args:
        scaled: Whether the network sees targets of standard deviation 1.
    """
    return 2 * math.log(MOST_DEVIATIONS) if scaled else FINITE_LOG_VARIANCE


def gaussians(
    outputs: Array, noise: Array | None, highest_log_variance: float
) -> GaussianMixture:
    """Return the members' Gaussians, in the units of the outputs.

    Args:
        outputs: Means, then log-variances unless there is a noise, (members, rows,
            outputs).
        noise: Variance of each member for all rows, if any, (members, 1, targets); of
            more members than these, the first count.
        highest_log_variance: Where log-variances are clipped.
    """
    if noise is not None:
        noise = np.broadcast_to(noise[: len(outputs)], outputs.shape)
        return GaussianMixture(outputs, noise)
    means, log_variances = np.split(outputs, 2, axis=-1)
    low, high = LOWEST_LOG_VARIANCE, highest_log_variance
    return GaussianMixture(means, np.exp(np.clip(log_variances, low, high)))
