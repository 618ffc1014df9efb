"""Fit losses: how far each member's outputs are from the targets. Lower is better."""

from antireg.losses.base import Loss
from antireg.losses.classification import CrossEntropy, OneHotSquaredError
from antireg.losses.regression import (
    HIGHEST_LOG_VARIANCE,
    LOWEST_LOG_VARIANCE,
    GaussianNLL,
    SquaredError,
)

__all__ = [
    "CLASSIFICATION_LOSSES",
    "HIGHEST_LOG_VARIANCE",
    "LOWEST_LOG_VARIANCE",
    "REGRESSION_LOSSES",
    "CrossEntropy",
    "GaussianNLL",
    "Loss",
    "OneHotSquaredError",
    "SquaredError",
    "choose_loss",
]

REGRESSION_LOSSES: dict[str, type[Loss]] = {
    "gaussian_nll": GaussianNLL,
    "squared_error": SquaredError,
}
CLASSIFICATION_LOSSES: dict[str, type[Loss]] = {
    "one_hot_squared_error": OneHotSquaredError,
    "binary_squared_error": SquaredError,  # one output, label 0 or 1
    "cross_entropy": CrossEntropy,
}


def choose_loss(name: str, losses: dict[str, type[Loss]]) -> Loss:
    """Return a loss by its name."""
    if not isinstance(name, str) or name not in losses:
        raise ValueError(f"loss must be one of {', '.join(losses)}, got {name!r}.")
    return losses[name]()
