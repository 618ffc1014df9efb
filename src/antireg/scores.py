"""Out-of-distribution scores. Higher always means less familiar.

Each score is one finite number per row, (rows,).
"""

import numpy as np
from numpy.typing import ArrayLike

from antireg.predictive import ClassProbabilities, GaussianMixture
from antireg.predictive.values import LARGEST, Array, member_values


def squared_error_score(outputs: ArrayLike) -> Array:
    """Score outputs trained on scaled one-hot targets, K · onehot(y), (rows,).

    The score is  mean_m ‖h_m − ŷ_m‖² + mean_m ‖h_m − h̄‖²:  how far members are from
    any class, and from each other. ŷ_m is the target nearest to h_m; since all targets
    have the same length, it belongs to the class where h_m is largest.

    Args:
        outputs: The raw outputs h_m, (members, rows, classes), K classes.

    References:
        de Mathelin et al., "Deep Anti-Regularized Ensembles", 2023, appendix.

    Examples:
        >>> from antireg import scores
        >>> scores.squared_error_score([[[2.0, 0.0]], [[2.0, 0.0]]]).tolist()
        [0.0]
    """
    outputs = member_values(outputs, "outputs")
    n_classes = outputs.shape[-1]
    if n_classes < 2:
        raise ValueError(
            f"outputs must have at least 2 classes, got {n_classes}. "
            "For a single output with targets 0 and 1, use binary_squared_error_score."
        )
    nearest = n_classes * np.eye(n_classes)[outputs.argmax(axis=-1)]
    with np.errstate(over="ignore"):
        misfit = np.square(outputs - nearest).sum(axis=-1).mean(axis=0)
        spread = np.square(outputs - outputs.mean(axis=0)).sum(axis=-1).mean(axis=0)
        return np.asarray(np.minimum(misfit + spread, LARGEST))


def binary_squared_error_score(outputs: ArrayLike) -> Array:
    """Score one output trained on the targets 0 and 1, (rows,).

    The score is  mean_m min(h_m², (1 − h_m)²) + mean_m (h_m − h̄)².

    Args:
        outputs: The raw outputs h_m, (members, rows, 1) or (members, rows).

    Examples:
        >>> from antireg import scores
        >>> scores.binary_squared_error_score([[0.0, 0.0], [0.0, 1.0]]).tolist()
        [0.0, 0.25]
    """
    outputs = np.asarray(outputs)
    if outputs.ndim == 2:
        outputs = outputs[..., None]
    outputs = member_values(outputs, "outputs")
    if outputs.shape[-1] != 1:
        raise ValueError(
            f"outputs must have a single output per row, got {outputs.shape[-1]}. "
            "For one output per class, use squared_error_score."
        )
    h = outputs[..., 0]
    with np.errstate(over="ignore"):
        misfit = np.minimum(np.square(h), np.square(1 - h)).mean(axis=0)
        spread = np.square(h - h.mean(axis=0)).mean(axis=0)
        return np.asarray(np.minimum(misfit + spread, LARGEST))


def output_variance(outputs: ArrayLike) -> Array:
    """Return the members' variance summed over outputs, Σ_k var_m h_k, (rows,).

    Args:
        outputs: (members, rows, outputs).

    Examples:
        >>> from antireg import scores
        >>> scores.output_variance([[[0.0]], [[2.0]]]).tolist()
        [1.0]
    """
    values = member_values(outputs, "outputs")
    with np.errstate(over="ignore"):
        total: Array = values.var(axis=0).sum(axis=-1)
    return np.minimum(total, LARGEST)


def entropy(probabilities: ArrayLike) -> Array:
    """Return the entropy of the mean probability, in nats, (rows,).

    Args:
        probabilities: (members, rows, classes), or (rows, classes) if already averaged.

    Examples:
        >>> from antireg import scores
        >>> scores.entropy([[0.5, 0.5], [1.0, 0.0]]).round(3).tolist()
        [0.693, 0.0]
    """
    return _class_probabilities(probabilities).entropy


def max_probability(probabilities: ArrayLike) -> Array:
    """Return 1 − the mean probability of the most probable class, (rows,).

    Args:
        probabilities: (members, rows, classes), or (rows, classes) if already averaged.

    Examples:
        >>> from antireg import scores
        >>> scores.max_probability([[0.75, 0.25], [1.0, 0.0]]).tolist()
        [0.25, 0.0]
    """
    largest: Array = _class_probabilities(probabilities).mean.max(axis=-1)
    return np.maximum(1 - largest, 0.0)  # float32 may exceed 1 by a rounding


def mutual_information(probabilities: ArrayLike) -> Array:
    """Return the entropy of the mean minus the members' mean entropy, (rows,).

    Args:
        probabilities: (members, rows, classes), not averaged.

    Examples:
        >>> from antireg import scores
        >>> disagreeing = [[[1.0, 0.0]], [[0.0, 1.0]]]
        >>> scores.mutual_information(disagreeing).round(3).tolist()
        [0.693]
    """
    return ClassProbabilities(np.asarray(probabilities)).mutual_information


def predictive_std(mixture: GaussianMixture) -> Array:
    """Return the predictive standard deviation, (rows,).

    For several outputs, the root of the sum of their variances: bring them to
    comparable units first.

    Examples:
        >>> import numpy as np
        >>> from antireg import GaussianMixture, scores
        >>> means, variances = np.array([[[0.0]], [[6.0]]]), np.full((2, 1, 1), 16.0)
        >>> scores.predictive_std(GaussianMixture(means, variances)).tolist()
        [5.0]
    """
    return np.asarray(np.hypot.reduce(mixture.std, axis=-1))


def epistemic_std(mixture: GaussianMixture) -> Array:
    """Return the standard deviation of the member means alone, (rows,).

    Several outputs are combined as in `predictive_std`.

    Examples:
        >>> import numpy as np
        >>> from antireg import GaussianMixture, scores
        >>> means, variances = np.array([[[0.0]], [[6.0]]]), np.full((2, 1, 1), 16.0)
        >>> scores.epistemic_std(GaussianMixture(means, variances)).tolist()
        [3.0]
    """
    return np.asarray(np.hypot.reduce(np.sqrt(mixture.epistemic), axis=-1))


def _class_probabilities(probabilities: ArrayLike) -> ClassProbabilities:
    values = np.asarray(probabilities)
    return ClassProbabilities(values[None] if values.ndim == 2 else values)
