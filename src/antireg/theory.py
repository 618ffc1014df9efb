"""What the theory of anti-regularization predicts, for linear layers.

Weights may vary as long as the loss stays within a budget; a feature the training
data hardly uses costs little, so there the weights vary most. A row that uses such a
feature is flagged.

References:
    de Mathelin et al., "Deep Anti-Regularized Ensembles", 2023, theorems 1 and 2.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from antireg.predictive.values import Array


@dataclass(frozen=True, eq=False)
class Filling:
    """The weight variances that theorem 1 predicts.

    Args:
        constant: C of the theorem; C · budget is the level of the water.
        variances: σ_k², (features,).

    Examples:
        >>> from antireg import theory
        >>> theory.water_filling([4.0, 1.0], optimum=[0.0, 0.0], budget=1.0).constant
        0.5
    """

    constant: float
    variances: Array


def water_filling(
    second_moments: ArrayLike, optimum: ArrayLike, budget: float
) -> Filling:
    """Return the weight variances of a linear anti-regularized ensemble.

    They maximise  Σ_k log(θ_k² + σ_k²)  subject to  Σ_k s_k² σ_k² ≤ budget:

        σ_k² = max(C · budget / s_k² − θ_k², 0),  with  Σ_k s_k² σ_k² = budget.

    Feature k is a vessel whose floor is at s_k² θ_k². Sorted by floor, the water
    needed to reach each vessel adds up to the exact level, without iterating.

    Args:
        second_moments: s_k², mean square of each training feature, (features,).
        optimum: θ_k, the weights of least loss, (features,).
        budget: δτ, the loss the members may reach on average.

    Examples:
        >>> from antireg import theory
        >>> filling = theory.water_filling([4.0, 1.0], optimum=[0.0, 0.0], budget=1.0)
        >>> filling.variances.tolist()
        [0.125, 0.5]
    """
    moments = _positive_moments(second_moments)
    weights = np.asarray(optimum, dtype=np.float64)
    if weights.shape != moments.shape or not np.isfinite(weights).all():
        raise ValueError(
            "optimum must hold one finite weight per second moment, got shape "
            f"{weights.shape} for {moments.shape}. Fit one weight per feature."
        )
    _check_budget(budget)
    floors = moments * np.square(weights)
    ordered = np.sort(floors)
    steps = np.arange(1, floors.size) * np.diff(ordered)
    needed = np.concatenate([[0.0], np.cumsum(steps)])
    n_filled = int(np.searchsorted(needed, budget, side="left"))
    # Depths are counted from the highest floor under water, not from 0: what is small
    # beside the floors keeps its digits. The sum is taken again as NumPy's pairwise
    # `sum` is sharper than `cumsum`.
    highest = ordered[n_filled - 1]
    above = max(budget - float(steps[: n_filled - 1].sum()), 0.0) / n_filled
    depths = np.maximum(above + (highest - floors), 0.0)
    return Filling(float(highest + above) / budget, depths / moments)


def linear_filling(second_moments: ArrayLike, budget: float) -> Array:
    """Return the variances if σ_k² itself were rewarded, not its log, (features,).

    Maximising  Σ_k (θ_k² + σ_k²)  puts the whole budget on the feature of least second
    moment (the first, of several) and leaves the ensemble blind to all others.

    Args:
        second_moments: As in `water_filling`, (features,).
        budget: As in `water_filling`.

    Examples:
        >>> from antireg import theory
        >>> theory.linear_filling([4.0, 1.0], budget=1.0).tolist()
        [0.0, 1.0]
    """
    moments = _positive_moments(second_moments)
    _check_budget(budget)
    weakest = moments.argmin()
    variances = np.zeros_like(moments)
    variances[weakest] = budget / moments[weakest]
    return variances


def prediction_variance(x: ArrayLike, variances: ArrayLike) -> Array:
    """Return the members' variance on each row,  Σ_k x_k² σ_k²,  (rows,).

    Args:
        x: Inputs, (rows, features).
        variances: Of the weights, σ_k², (features,).

    Examples:
        >>> from antireg import theory
        >>> theory.prediction_variance([[1.0, 2.0]], variances=[0.5, 0.25]).tolist()
        [1.5]
    """
    inputs = _table(x, "x")
    spread = np.asarray(variances, dtype=np.float64)
    if spread.shape != inputs.shape[1:] or not np.all(spread >= 0):
        raise ValueError(
            "variances must hold one value of 0 or more per feature, got shape "
            f"{spread.shape} for {inputs.shape[1]} features. "
            "Take them from water_filling(...).variances."
        )
    return np.square(inputs) @ spread


def feature_surprise(activations: ArrayLike, reference_activations: ArrayLike) -> Array:
    """Return how much each feature adds to a row's surprise, (rows, features).

    The term of feature k is  φ_k(x)² / s_k²,  with s_k² its mean square over the
    reference rows; there it averages 1. The largest terms say *why* a row is flagged.

    A feature that is silent in training has s_k² = 0. No s_k² counts as less than
    1e-12 of the layer's largest, so such a feature waking up to the strength of that
    one scores 1e12: enough to stand out, and finite.

    Args:
        activations: Of the rows to explain, in one layer, (rows, features).
        reference_activations: Of training rows, in the same layer, (rows, features).

    Examples:
        >>> from antireg import theory
        >>> training = [[1.0, 0.1], [1.0, -0.1]]
        >>> theory.feature_surprise([[1.0, 1.0]], training).round(6).tolist()
        [[1.0, 100.0]]
    """
    values = _table(activations, "activations")
    reference = _table(reference_activations, "reference_activations")
    if values.shape[1] != reference.shape[1]:
        raise ValueError(
            "activations must have the features of reference_activations, got "
            f"{values.shape[1]} and {reference.shape[1]}. Take both from one layer."
        )
    scales = np.sqrt(np.square(reference).mean(axis=0))
    if scales.max() == 0:
        raise ValueError(
            "reference_activations must not all be 0, or any activation is infinitely "
            "surprising, got only 0. Choose a layer that the training rows activate."
        )
    return np.asarray(np.square(values / np.maximum(scales, 1e-6 * scales.max())))


def layer_surprise(activations: ArrayLike, reference_activations: ArrayLike) -> Array:
    """Return the surprise of each row in one layer,  ⟨φ(x)², 1/s²⟩,  (rows,).

    The variance of an anti-regularized network grows with it (theorem 2). Over the
    reference rows it averages the number of features they activate.

    Args:
        activations: As in `feature_surprise`, (rows, features).
        reference_activations: As in `feature_surprise`, (rows, features).

    Examples:
        >>> from antireg import theory
        >>> training = [[1.0, 0.1], [1.0, -0.1]]
        >>> theory.layer_surprise([[1.0, 1.0]], training).round(6).tolist()
        [101.0]
    """
    terms = feature_surprise(activations, reference_activations)
    return np.asarray(terms.sum(axis=-1))


def _positive_moments(second_moments: ArrayLike) -> Array:
    moments = np.asarray(second_moments, dtype=np.float64)
    valid = np.isfinite(moments) & (moments > 0)
    if moments.ndim != 1 or moments.size == 0 or not valid.all():
        raise ValueError(
            "second_moments must be (features,), finite and above 0, got shape "
            f"{moments.shape} with {(~valid).sum()} other values. Leave out features "
            "that are always 0: their weights never cost anything."
        )
    return moments


def _check_budget(budget: float) -> None:
    if not 0 < budget < np.inf:
        raise ValueError(
            f"budget must be finite and above 0, got {budget}. "
            "It is the loss members may reach, such as δτ = 0.25 · 0.1."
        )


def _table(values: ArrayLike, name: str) -> Array:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
        raise ValueError(
            f"{name} must be (rows, features), finite and not empty, got shape "
            f"{table.shape}. For a single row, use values[None]."
        )
    return table
