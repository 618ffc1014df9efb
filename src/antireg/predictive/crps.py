"""The continuous ranked probability score of Gaussians and of their mixtures.

For X, X' drawn from what is predicted it is  E|X − y| − ½ E|X − X'|,  in closed form
and in the units of y.

References:
    Gneiting and Raftery, "Strictly Proper Scoring Rules", JASA 2007, section 4.2.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from antireg.predictive import GaussianMixture
from antireg.predictive.values import Array


def mixture_crps(mixture: GaussianMixture, y: Array) -> Array:
    """Return the score of each row and output, (rows, outputs)."""
    means, stds = mixture.means, np.sqrt(mixture.variances)
    n_members = len(means)
    weights = np.full((n_members, 1, 1), 1 / n_members)
    weights = weights if mixture.weights is None else mixture.weights
    error = (weights * distance(y - means, stds)).sum(axis=0)
    spread = np.zeros_like(error)
    for mean, std, weight in zip(means, stds, weights, strict=True):
        apart = distance(mean - means, np.hypot(std, stds))
        spread += weight * (weights * apart).sum(axis=0)
    return np.asarray(error - 0.5 * spread)


def distance(offset: Array, std: Array) -> Array:
    """Return E|offset + std · Z| for a standard normal Z."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        z = np.where(std > 0, offset / std, 0.0)
        density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    smooth = offset * (2 * ndtr(z) - 1) + 2 * std * density
    return np.where(std > 0, smooth, np.abs(offset))
