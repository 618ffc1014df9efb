"""From the outputs of a squared-error classifier to probabilities.

Outputs trained on K times the one-hot label estimate K times the probability, but they
may be negative, need not sum to K, and are too cautious where classes are clear-cut.
The map  p_k ∝ (max(h_k / K, 0) + ε)^γ  covers both extremes: γ = 1 reads outputs as
probabilities, large γ and ε make a softmax. Both are chosen on validation rows.
docs/choices.md compares it with eight others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from antireg.predictive.values import Array

STARTS = ((1.0, 1e-2), (4.0, 0.3))
MOST_ROWS = 10_000

LARGEST = 1e300
"""The largest output: with larger ones, differences would overflow."""


@dataclass(frozen=True)
class ProbabilityMap:
    """p_k ∝ (max(h_k / K, 0) + ε)^γ.

    Attributes:
        power: γ, how sharply the classes are told apart.
        floor: ε, what an output of zero or less still counts for.
    """

    power: float
    floor: float

    def __call__(self, outputs: Array) -> Array:
        """Return the probabilities of the classes, (..., rows, classes)."""
        probabilities: Array = softmax(self._logits(*_shares(outputs)), axis=-1)
        return probabilities

    def _logits(self, share: Array, floors: Array) -> Array:
        logits: Array = self.power * np.log(share + self.floor * floors)
        return logits


def _shares(outputs: Array) -> tuple[Array, Array]:
    """Return max(h_k / K, 0), and how many ε are added to it: 1 where h_k ≥ 0.

    Below, up to a thousandth less keeps the order of classes that are all below zero.
    """
    share = np.clip(outputs, -LARGEST, LARGEST) / outputs.shape[-1]
    below = np.minimum(share, 0.0)
    return np.maximum(share, 0.0), 1 + 1e-3 * below / (1 - below)


def fit_probability_map(
    outputs: Array, labels: NDArray[np.intp], weight: Array | None = None
) -> ProbabilityMap:
    """Return the map with the least negative log-likelihood on validation rows.

    Labels are smoothed by 1 / (rows + 2), as in Platt scaling, and log γ has a wide
    normal prior: otherwise a few rows, all predicted correctly, would make the map
    certain.

    Args:
        outputs: Mean over members, (rows, classes).
        labels: Class of each row, (rows,).
        weight: How much each row counts, (rows,).
    """
    weight = np.ones(len(labels)) if weight is None else weight
    if len(labels) > MOST_ROWS:
        chosen = np.linspace(0, len(labels) - 1, MOST_ROWS).astype(int)
        outputs, labels, weight = outputs[chosen], labels[chosen], weight[chosen]
    weight = weight / weight.sum()
    rows, shares = np.arange(len(labels)), _shares(outputs)
    smoothing = 1 / (len(labels) + 2)

    def loss(logarithms: Array) -> float:
        logits = ProbabilityMap(*np.exp(logarithms))._logits(*shares)
        logits -= logits.max(axis=1, keepdims=True)
        total = np.log(np.exp(logits).sum(axis=1))
        right = weight @ (logits[rows, labels] - total)
        any_class = weight @ (logits.mean(axis=1) - total)
        prior = 0.5 * logarithms[0] ** 2 / len(labels)
        return float(-(1 - smoothing) * right - smoothing * any_class + prior)

    fits = [
        minimize(
            loss,
            np.log(start),
            method="Nelder-Mead",
            bounds=[(np.log(0.1), np.log(100.0)), (np.log(1e-6), np.log(100.0))],
            options={"xatol": 1e-3, "fatol": 1e-6},
        )
        for start in STARTS
    ]
    power, floor = np.exp(min(fits, key=lambda fit: fit.fun).x)
    return ProbabilityMap(float(power), float(floor))


def both_classes(outputs: Array) -> Array:
    """Return two outputs, 2(1 − h) and 2h, from one trained on labels 0 and 1."""
    return 2 * np.concatenate([1 - outputs, outputs], axis=-1)


def softmax_probabilities(logits: Array) -> Array:
    """Return the classes' probabilities, two for one logit, (..., rows, classes)."""
    if logits.shape[-1] == 1:
        logits = np.concatenate([np.zeros_like(logits), logits], axis=-1)
    probabilities: Array = softmax(np.clip(logits, -LARGEST, LARGEST), axis=-1)
    return probabilities
