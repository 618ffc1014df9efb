"""How uncertain the members themselves are."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import Memory, Reference, Seen, Signal

LEAST_VARIANCE = 1e-8
LEAST_ENTROPY = 1e-6


class Spread(Signal):
    """The logarithm of the members' own uncertainty."""

    needs_uncertainty = True

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return the logarithm, (rows,)."""
        return log_uncertainty(rows)


def log_uncertainty(rows: Seen) -> Array:
    """Return the logarithm of the members' own uncertainty, (rows,)."""
    if rows.uncertainty is None:
        raise ValueError("uncertainty must be given to score by it, got None.")
    return np.log(rows.uncertainty)


def spread_of_means(means: Array) -> Array:
    """Return the members' standard deviation,  √(Σ var μ + 1e-8),  (rows,).

    The variance is unbiased, so that two members are comparable with five.

    Args:
        means: In comparable units, (members, rows, targets).
    """
    return np.asarray(np.sqrt(disagreement(means).sum(axis=-1) + LEAST_VARIANCE))


def disagreement(means: Array) -> Array:
    """Return the unbiased variance of the members' means, (rows, targets)."""
    if len(means) < 2:
        return np.zeros(means.shape[1:])
    with np.errstate(over="ignore"):
        return np.asarray(means.var(axis=0, ddof=1))


def spread_of_classes(probabilities: Array) -> Array:
    """Return the entropy of the ensemble's probabilities, plus 1e-6, (rows,).

    Args:
        probabilities: (rows, classes).
    """
    return np.asarray(entr(probabilities).sum(axis=-1) + LEAST_ENTROPY)
