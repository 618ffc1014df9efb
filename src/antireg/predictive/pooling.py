"""Robust pooling: one wild member does not decide the mean of a row.

A member whose weights have grown may be far off on a single ordinary row, and take the
mean with it. So each value is pulled to within 1.5 robust deviations of the median,

    s² = (1.4826 · median_m |h_m − h̃|)² + noise,    h̃ = median_m h_m,

which changes nothing where members agree within the noise. In a mixture, the noise of a
member is at most 3 of these deviations. If there is a centre, another ensemble of the
same rows, all members are moved to its mean together: then only their spread counts.
Where most are wild, `moved_inside` bounds their mean. docs/choices.md has figures.
"""

from __future__ import annotations

import numpy as np

from antireg.predictive.values import Array

MOST_DEVIATIONS = 1.5
"""A member may be this many robust deviations from the median; Huber's usual choice."""

MOST_NOISE = 3.0
"""A member's own noise may be at most this many robust deviations."""

NORMAL = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""

FEWEST_MEMBERS = 3
"""Among fewer members, none can be called the odd one out."""

LABEL_NOISE = 0.1
"""Noise of squared-error outputs, as a fraction of the distance between two labels: 0
and K, or 0 and 1 for one output."""


def pulled_in(values: Array, noise: Array | float) -> Array:
    """Return values pulled towards the members' median, (members, rows, outputs).

    Args:
        values: (members, rows, outputs).
        noise: Standard deviation around them, (rows, outputs) or one number.
    """
    if len(values) < FEWEST_MEMBERS:
        return values
    centre, reach = median(values), MOST_DEVIATIONS * deviation(values, noise)
    return np.clip(values, centre - reach, centre + reach)


def calmed(means: Array, variances: Array) -> tuple[Array, Array]:
    """Return a mixture's means and variances, wild ones pulled in, in their shape.

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


def pooled(
    means: Array, variances: Array, n_members: int, allowed: Array
) -> tuple[Array, Array]:
    """Return the robust mixture of the members, (members, rows, outputs) each.

    Args:
        means: Of the members, then of the centre, if any, (all, rows, outputs).
        variances: In the same shape.
        n_members: How many of these are members.
        allowed: The least and the most that their mean may be, (2, outputs).
    """
    own = slice(n_members)
    found, noise = calmed(means[own], variances[own])
    if len(means) > n_members:
        others = slice(n_members, None)
        centre, _ = calmed(means[others], variances[others])
        found = moved_to(found, centre.mean(axis=0))
    return moved_inside(found, *allowed), noise


def moved_to(means: Array, centre: Array) -> Array:
    """Return the means, all shifted so that their mean is the centre's.

    Their disagreement is unchanged: it says how little is known there.

    Args:
        means: (members, rows, outputs).
        centre: (rows, outputs).
    """
    moved: Array = means + (centre - means.mean(axis=0))
    return moved


def moved_inside(means: Array, low: Array, high: Array) -> Array:
    """Return the means, all shifted so that their mean is inside, in the same shape.

    Args:
        means: (members, rows, outputs).
        low: The least that their mean may be, (outputs,).
        high: The most.
    """
    return moved_to(means, np.clip(means.mean(axis=0), low, high))


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

    For a few members this is many times faster than sorting each row.
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
