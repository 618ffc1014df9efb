"""How good predictions, intervals and scores are. Each metric is one number.

Lower is better, except for accuracy, AUROC and AUPR; coverage should be as asked for.

- Regression: targets `y` with `mean` and `std`, all (rows,) or all (rows, outputs),
  averaged over; `means` and `variances` of a mixture have members as an extra axis 0.
- Detection: `scores_in` of in-distribution and `scores_out` of out-of-distribution
  (OOD) rows, (rows,) each. OOD is the positive class; higher scores are less familiar.
- Classification: `labels` are indices of classes, (rows,), `probabilities` of the
  ensemble are (rows, classes).

Shapes must match: (rows,) beside (rows, 1) would compare every row with every other.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.metrics import average_precision_score, roc_auc_score

from antireg.familiarity.detection import row_scores
from antireg.predictive import ClassProbabilities, GaussianMixture
from antireg.predictive.crps import distance, mixture_crps
from antireg.predictive.values import Array

Labels = NDArray[np.intp]
HALF_LOG_2PI = float(np.log(2 * np.pi)) / 2
DROP_AXIS = "Drop a last axis of 1 with values[:, 0]."


def rmse(y: ArrayLike, mean: ArrayLike) -> float:
    """Return the root mean squared error.

    Examples:
        >>> from antireg import metrics
        >>> round(metrics.rmse([1.0, 2.0], [1.0, 4.0]), 3)
        1.414
    """
    truth, centre = _matching(y=y, mean=mean)
    return float(np.sqrt(np.square(truth - centre).mean()))


def mae(y: ArrayLike, mean: ArrayLike) -> float:
    """Return the mean absolute error.

    Examples:
        >>> from antireg import metrics
        >>> metrics.mae([1.0, 2.0], [1.0, 4.0])
        1.0
    """
    truth, centre = _matching(y=y, mean=mean)
    return float(np.abs(truth - centre).mean())


def gaussian_nll(
    y: ArrayLike, mean: ArrayLike, std: ArrayLike, *, constant: bool = False
) -> float:
    """Return the mean of  ½((y − μ)²/σ² + log σ²).

    Args:
        constant: Add the ½ log 2π of a log density, which the paper leaves out.

    Examples:
        >>> from antireg import metrics
        >>> metrics.gaussian_nll([2.0], [0.0], [1.0])
        2.0
    """
    truth, centre, spread = _gaussian(y, mean, std)
    z = (truth - centre) / spread
    nll = float((0.5 * z**2 + np.log(spread)).mean())
    return nll + HALF_LOG_2PI if constant else nll


def mixture_nll(
    y: ArrayLike,
    means: ArrayLike,
    variances: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    constant: bool = False,
) -> float:
    """Return the mean of  −log Σ_m w_m N(y; μ_m, σ_m²).

    Args:
        weights: Of the members on each row, (members, rows, 1); None for 1/M.
        constant: Keep the ½ log 2π; without it, it is comparable to `gaussian_nll`.

    Examples:
        >>> from antireg import metrics
        >>> round(metrics.mixture_nll([0.0], [[-1.0], [1.0]], [[1.0], [1.0]]), 3)
        0.5
    """
    truth, mixture = _mixture(y, means, variances, weights)
    nll = -float(mixture.log_density(truth).mean())
    return nll if constant else nll - HALF_LOG_2PI


def crps_gaussian(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> float:
    """Return the mean continuous ranked probability score of Gaussians.

    With z = (y − μ)/σ it is  σ (z (2Φ(z) − 1) + 2φ(z) − 1/√π),  in the units of y.

    Examples:
        >>> from antireg import metrics
        >>> round(metrics.crps_gaussian([0.0], [0.0], [1.0]), 3)
        0.234
    """
    truth, centre, spread = _gaussian(y, mean, std)
    return float((distance(truth - centre, spread) - spread / np.sqrt(np.pi)).mean())


def crps_mixture(
    y: ArrayLike,
    means: ArrayLike,
    variances: ArrayLike,
    weights: ArrayLike | None = None,
) -> float:
    """Return the mean continuous ranked probability score of Gaussian mixtures.

    Args:
        weights: As in `mixture_nll`.

    Examples:
        >>> from antireg import metrics
        >>> round(metrics.crps_mixture([0.0], [[0.0]], [[1.0]]), 3)
        0.234
    """
    truth, mixture = _mixture(y, means, variances, weights)
    return float(mixture_crps(mixture, truth).mean())


def coverage(y: ArrayLike, low: ArrayLike, high: ArrayLike) -> float:
    """Return the share of targets inside their interval, ends included.

    Examples:
        >>> from antireg import metrics
        >>> metrics.coverage([1, 2, 3, 1], low=[0, 0, 0, 0], high=[2, 2, 2, 2])
        0.75
    """
    truth, bottom, top = _matching(y=y, low=low, high=high)
    if np.any(bottom > top):
        raise ValueError(
            f"low must not exceed high, got {(bottom > top).sum()} that do. Swap them."
        )
    return float(((bottom <= truth) & (truth <= top)).mean())


def regression_ece(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> float:
    """Return how far the coverage of Gaussian intervals is from what they promise.

    It is the mean over the levels 1/11 … 10/11 of  ``|level − share inside|``,  where
    inside is within the *central* interval of that probability.

    Examples:
        >>> from antireg import metrics
        >>> round(metrics.regression_ece([0.0, 0.0], [0.0, 0.0], [9.0, 9.0]), 3)
        0.5
    """
    truth, centre, spread = _gaussian(y, mean, std)
    distance = np.abs(truth - centre) / spread
    levels = np.arange(1, 11) / 11
    inside = [(distance <= ndtri((1 + level) / 2)).mean() for level in levels]
    return float(np.abs(inside - levels).mean())


def auroc(scores_in: ArrayLike, scores_out: ArrayLike) -> float:
    """Return the chance that an OOD row outscores a familiar one; ties count half.

    Examples:
        >>> from antireg import metrics
        >>> metrics.auroc(scores_in=[0.1, 0.2], scores_out=[0.3, 0.15])
        0.75
    """
    return float(roc_auc_score(*_detection(scores_in, scores_out)))


def aupr(scores_in: ArrayLike, scores_out: ArrayLike) -> float:
    """Return the average precision of finding OOD rows, Σ (R_i − R_{i−1}) P_i.

    A useless score gets the share of OOD rows, not ½.

    Examples:
        >>> from antireg import metrics
        >>> round(metrics.aupr(scores_in=[0.1, 0.2], scores_out=[0.3, 0.15]), 3)
        0.833
    """
    return float(average_precision_score(*_detection(scores_in, scores_out)))


def fpr95(scores_in: ArrayLike, scores_out: ArrayLike) -> float:
    """Return the share of familiar rows flagged when 95 % of OOD rows are caught.

    Rows are flagged at or above the largest threshold that flags at least 95 % of
    the OOD rows; a tie with it is flagged on both sides.

    Examples:
        >>> from antireg import metrics
        >>> metrics.fpr95(scores_in=[0.1, 0.2], scores_out=[0.3, 0.15])
        0.5
    """
    labels, scores = _detection(scores_in, scores_out)
    descending = np.sort(scores[labels == 1])[::-1]
    n_caught = -(-95 * descending.size // 100)  # rounded up, in integers
    return float((scores[labels == 0] >= descending[n_caught - 1]).mean())


def accuracy(labels: ArrayLike, predicted: ArrayLike) -> float:
    """Return the share of labels predicted correctly; they may be of any type.

    Examples:
        >>> from antireg import metrics
        >>> metrics.accuracy(["cat", "dog"], predicted=["cat", "cat"])
        0.5
    """
    truth, guess = np.asarray(labels), np.asarray(predicted)
    if truth.shape != guess.shape or truth.size == 0:
        raise ValueError(
            "labels and predicted must have one shape, not empty, got "
            f"{truth.shape} and {guess.shape}. {DROP_AXIS}"
        )
    return float((truth == guess).mean())


def class_nll(labels: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the mean of  −log p(label),  in nats.

    A probability under 2.2e-16 counts as that: a certain error costs 36, not infinity.

    Examples:
        >>> from antireg import metrics
        >>> round(metrics.class_nll([0, 1], [[0.5, 0.5], [0.5, 0.5]]), 3)
        0.693
    """
    truth, values = _classes(labels, probabilities)
    chosen = values[np.arange(truth.size), truth]
    return -float(np.log(np.maximum(chosen, np.finfo(np.float64).eps)).mean())


def brier(labels: ArrayLike, probabilities: ArrayLike) -> float:
    """Return the mean over rows of  Σ_k (p_k − 1[k = label])²,  between 0 and 2.

    The sum over classes is Brier's own; others halve it for two classes.

    Examples:
        >>> from antireg import metrics
        >>> metrics.brier([0], [[0.5, 0.5]])
        0.5
    """
    truth, values = _classes(labels, probabilities)
    return float(np.square(values - np.eye(values.shape[1])[truth]).sum(1).mean())


def classification_ece(
    labels: ArrayLike, probabilities: ArrayLike, n_bins: int = 15
) -> float:
    """Return the mean gap between confidence and accuracy, over bins of confidence.

    Confidence is the largest probability of a row. Bins have equal width and hold
    their upper end; each is weighted by its number of rows.

    Examples:
        >>> from antireg import metrics
        >>> metrics.classification_ece([0, 1], [[1.0, 0.0], [1.0, 0.0]])
        0.5
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins}. The usual is 15.")
    truth, values = _classes(labels, probabilities)
    confidence = values.max(axis=1)
    gaps = confidence - (values.argmax(axis=1) == truth)
    edges = np.arange(1, n_bins) / n_bins
    bins = np.searchsorted(edges, confidence, side="left")
    return float(np.abs(np.bincount(bins, weights=gaps)).sum() / truth.size)


def _matching(**arrays: ArrayLike) -> list[Array]:
    values = [np.asarray(array, dtype=np.float64) for array in arrays.values()]
    shapes, missing = [v.shape for v in values], sum(np.isnan(v).sum() for v in values)
    if len(set(shapes)) > 1 or 0 in shapes[0] or missing:
        raise ValueError(
            f"{', '.join(arrays)} must have one shape, not empty, without NaN, got "
            f"{', '.join(map(str, shapes))} with {missing} NaN. {DROP_AXIS}"
        )
    return values


def _gaussian(y: ArrayLike, mean: ArrayLike, std: ArrayLike) -> list[Array]:
    values = _matching(y=y, mean=mean, std=std)
    if values[2].min() <= 0:
        raise ValueError(f"std must be above 0, got {values[2].min()}. Add a floor.")
    return values


def _mixture(
    y: ArrayLike, means: ArrayLike, variances: ArrayLike, weights: ArrayLike | None
) -> tuple[Array, GaussianMixture]:
    """Return targets (rows · outputs, 1) and their mixture."""
    (truth,), (mu, var) = _matching(y=y), _matching(means=means, variances=variances)
    if mu.shape[1:] != truth.shape:
        raise ValueError(
            f"means must be members of the shape of y, {truth.shape}, got {mu.shape}. "
            "For a single member, use means[None]."
        )
    if weights is not None:
        weights = np.repeat(weights, truth.size // len(truth), axis=1)
    mu, var = mu.reshape(len(mu), -1, 1), var.reshape(len(mu), -1, 1)
    return truth.reshape(-1, 1), GaussianMixture(mu, var, weights)


def _detection(scores_in: ArrayLike, scores_out: ArrayLike) -> tuple[Labels, Array]:
    """Return 0 for familiar and 1 for OOD rows, (rows,), and their scores, (rows,)."""
    scores = [row_scores(scores_in, "scores_in"), row_scores(scores_out, "scores_out")]
    return np.repeat([0, 1], [s.size for s in scores]), np.concatenate(scores)


def _classes(labels: ArrayLike, probabilities: ArrayLike) -> tuple[Labels, Array]:
    truth, values = np.asarray(labels), np.asarray(probabilities, dtype=np.float64)
    if values.ndim != 2 or truth.shape != values.shape[:1]:
        raise ValueError(
            "labels must be (rows,) and probabilities (rows, classes), got "
            f"{truth.shape} and {values.shape}. {DROP_AXIS}"
        )
    values = ClassProbabilities(values[None]).mean
    valid = np.issubdtype(truth.dtype, np.integer) and truth.min() >= 0
    if not valid or truth.max() >= values.shape[1]:
        raise ValueError(
            f"labels must be class indices from 0 to {values.shape[1] - 1}, got "
            f"{np.unique(truth)[:5]}. Encode them with sklearn's LabelEncoder."
        )
    return truth.astype(np.intp), values
