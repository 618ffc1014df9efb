"""Members before they are averaged: one that is wild on a row does not decide alone.

A member whose weights have grown may be far off on a single ordinary row, and the mean
goes with it. So each value is pulled to within 1.5 robust deviations of the median,

    s² = (1.4826 · median_m |h_m − h̃|)² + noise,    h̃ = median_m h_m,

which changes nothing where members agree within the noise; in a mixture, the noise of a
member is 3 of them at most. Where most members are wild, `moved_inside` bounds their
mean. docs/choices.md has figures.
"""

from __future__ import annotations

import numpy as np

from antireg.predictive.values import Array

MOST_DEVIATIONS = 1.5
"""Robust deviations that a member may be from the median: Huber's usual number."""

MOST_NOISE = 3.0
"""Robust deviations that a member may give as its own noise."""

NORMAL = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""

FEWEST_MEMBERS = 3
"""Of fewer, none can be said to be the odd one out."""

LABEL_NOISE = 0.1
"""Noise of squared-error outputs, as a part of the distance of two labels: 0 to K, or
0 to 1 for one output."""


def pulled_in(values: Array, noise: Array | float) -> Array:
    """Return the members' values, none far from their median, (members, rows, outputs).

    Args:
        values: (members, rows, outputs).
        noise: Standard deviation around them, (rows, outputs) or one number.
    """
    if len(values) < FEWEST_MEMBERS:
        return values
    centre, reach = median(values), MOST_DEVIATIONS * deviation(values, noise)
    return np.clip(values, centre - reach, centre + reach)


def calmed(means: Array, variances: Array) -> tuple[Array, Array]:
    """Return means and variances of a mixture without what is wild, shaped as they.

    Args:
        means: (members, rows, outputs).
        variances: (members, rows, outputs).
    """
    if len(means) < FEWEST_MEMBERS:
        return means, variances
    noise = np.sqrt(median(variances))
    most = np.square(MOST_NOISE * deviation(means, noise))
    return pulled_in(means, noise), np.minimum(variances, most)


def deviation(values: Array, noise: Array | float) -> Array:
    """Return s, the robust deviation of members, (rows, outputs)."""
    spread = NORMAL * median(np.abs(values - median(values)))
    found: Array = np.hypot(spread, noise)
    return found


def moved_inside(means: Array, low: Array, high: Array) -> Array:
    """Return the means, moved together so that their mean is inside, shaped as they.

    What they disagree by stays: it says how little is known there.

    Args:
        means: (members, rows, outputs).
        low: The least that their mean may be, (outputs,).
        high: The most.
    """
    centre = means.mean(axis=0)
    moved: Array = means + (np.clip(centre, low, high) - centre)
    return moved


def allowed_range(targets: Array) -> Array:
    """Return the range of targets, three times as wide, (2, outputs).

    Args:
        targets: Of the training rows, (rows, outputs).
    """
    low, high = targets.min(axis=0), targets.max(axis=0)
    return np.stack([low - (high - low), high + (high - low)])


def label_noise(n_outputs: int) -> float:
    """Return the noise of squared-error outputs for classes."""
    return LABEL_NOISE * n_outputs


def median(values: Array) -> Array:
    """Return the median over the first axis, by swapping neighbours.

    For a few members that is many times faster than a sort of each row.
    """
    ordered, n_members = list(values), len(values)
    for turn in range(n_members):
        for place in range(turn % 2, n_members - 1, 2):
            pair = ordered[place], ordered[place + 1]
            ordered[place], ordered[place + 1] = np.minimum(*pair), np.maximum(*pair)
    middle: Array = ordered[n_members // 2]
    if n_members % 2:
        return middle
    between: Array = 0.5 * ordered[n_members // 2 - 1] + 0.5 * middle
    return between
