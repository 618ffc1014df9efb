"""Fit losses: how far each member's outputs are from the targets. Lower is better."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import softplus

LOWEST_LOG_VARIANCE = -10.0
HIGHEST_LOG_VARIANCE = 1e4


class Loss(ABC):
    """A loss per row, and what the outputs it trains mean."""

    unit: ClassVar[float] = torch.inf
    """Is 1 for log-likelihoods: their differences matter, not their ratios."""

    def __call__(
        self,
        outputs: Tensor,
        y: Tensor,
        weight: Tensor | None = None,
        limit: float = torch.inf,
    ) -> Tensor:
        """Return the mean loss of each member, weighted by row, (members,).

        Args:
            outputs: (members, rows, outputs).
            y: (rows, targets), or (members, rows, targets).
            weight: (rows,) or (members, rows), with a mean of 1 over all rows. Weights
                are not normalised within a batch: a row of weight 3 counts as three.
            limit: The most that a row may cost.
        """
        rows = self.rows(outputs, y)
        if limit < torch.inf:
            rows = rows.clamp(max=limit)
        return (rows if weight is None else rows * weight).mean(1)

    def gradient(self, outputs: Tensor, y: Tensor, weight: Tensor | None) -> Tensor:
        """Return the gradient of each member's loss by its outputs, in their shape."""
        return _averaged(self.rows_gradient(outputs, y), weight)

    def with_gradient(
        self, outputs: Tensor, y: Tensor, weight: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Return the mean loss of each member, (members,), and its gradient."""
        rows, gradient = self.rows_with_gradient(outputs, y)
        fit = (rows if weight is None else rows * weight).mean(1)
        return fit, _averaged(gradient, weight)

    def rows_with_gradient(self, outputs: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return `rows` and `rows_gradient`, with the same rounding."""
        return self.rows(outputs, y), self.rows_gradient(outputs, y)

    @abstractmethod
    def n_outputs(self, n_targets: int) -> int:
        """Return how many outputs a network needs for this many target columns."""

    @abstractmethod
    def rows(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the loss of each row, (members, rows)."""

    @abstractmethod
    def rows_gradient(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the gradient of each row's loss by its outputs, in their shape."""

    @abstractmethod
    def point(self, outputs: Tensor) -> Tensor:
        """Return the prediction itself, without its noise, (members, rows, targets)."""

    @abstractmethod
    def pool(self, outputs: Tensor) -> Tensor:
        """Return the outputs of one network equal to the ensemble, (1, ...)."""

    @abstractmethod
    def constant(self, y: Tensor, weight: Tensor | None) -> Tensor:
        """Return the best outputs that are the same for all rows, (1, 1, outputs)."""


class GaussianNLL(Loss):
    """Negative log-likelihood of a Gaussian, without the constant ½ log 2π.

    The loss of a row is  ½(e^{−s}(y − μ)² + s),  the outputs  μ, s = log σ².
    """

    unit: ClassVar[float] = 1.0

    def n_outputs(self, n_targets: int) -> int:
        """Return a mean and a log-variance for each target."""
        return 2 * n_targets

    def rows(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the loss of each row, (members, rows)."""
        mean, raw = outputs.chunk(2, dim=-1)
        squared = (y - mean).square()
        log_variance = raw.clamp(LOWEST_LOG_VARIANCE, HIGHEST_LOG_VARIANCE)
        if raw.requires_grad:
            # The clamp has no gradient, so an overconfident member could never recover:
            # where the data ask for a larger variance, let the gradient through.
            too_sure = (raw < LOWEST_LOG_VARIANCE) & (squared > log_variance.exp())
            log_variance = log_variance + torch.where(too_sure, raw - raw.detach(), 0.0)
        return 0.5 * (squared * (-log_variance).exp() + log_variance).mean(-1)

    def rows_gradient(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return e^{−s}(μ − y) / K and ½(1 − e^{−s}(y − μ)²) / K, of K targets."""
        mean, raw = outputs.chunk(2, dim=-1)
        away = mean - y
        log_variance = raw.clamp(LOWEST_LOG_VARIANCE, HIGHEST_LOG_VARIANCE)
        of_mean = away * (-log_variance).exp()
        of_raw = 0.5 - 0.5 * (away * of_mean)
        # As above: zero outside the clamp, unless a member is overconfident.
        too_sure = of_raw < 0
        inside = (raw >= LOWEST_LOG_VARIANCE) | too_sure
        inside &= raw <= HIGHEST_LOG_VARIANCE
        of_raw = torch.where(inside, of_raw, 0.0)
        return torch.cat([of_mean, of_raw], dim=-1).div_(y.shape[-1])

    def rows_with_gradient(self, outputs: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return both; what they share is computed once, which halves the time."""
        mean, raw = outputs.chunk(2, dim=-1)
        low, high = (bound.item() for bound in raw.aminmax())
        if not LOWEST_LOG_VARIANCE <= low <= high <= HIGHEST_LOG_VARIANCE:
            return super().rows_with_gradient(outputs, y)
        away = mean - y
        precision = (-raw).exp_()
        rows = away.square().mul_(precision).add_(raw).mean(-1).mul_(0.5)
        of_mean = precision.mul_(away)
        of_raw = away.mul_(of_mean).mul_(-0.5).add_(0.5)
        gradient = torch.cat([of_mean, of_raw], dim=-1)
        return rows, gradient.div_(y.shape[-1])

    def point(self, outputs: Tensor) -> Tensor:
        """Return the means, (members, rows, targets)."""
        return outputs.chunk(2, dim=-1)[0]

    def pool(self, outputs: Tensor) -> Tensor:
        """Return the Gaussian with the mixture's mean and variance, (1, rows, ...)."""
        mean, log_variance = outputs.double().chunk(2, dim=-1)
        variance = log_variance.clamp(max=700).exp().mean(0) + mean.var(0, correction=0)
        return torch.cat([mean.mean(0), variance.log()], dim=-1)[None]

    def constant(self, y: Tensor, weight: Tensor | None) -> Tensor:
        """Return mean and log-variance of the targets, (1, 1, 2 · targets)."""
        mean = _average(y, weight)
        log_variance = _average((y - mean).square(), weight).log()
        return torch.cat([mean, log_variance.clamp(min=LOWEST_LOG_VARIANCE)])[
            None, None
        ]


class SquaredError(Loss):
    """Squared error, (y − h)²."""

    def n_outputs(self, n_targets: int) -> int:
        """Return one output for each target."""
        return n_targets

    def rows(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the loss of each row, (members, rows)."""
        return (outputs - y).square().mean(-1)

    def rows_gradient(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return 2(h − y) / K, of K targets."""
        return (outputs - y).mul_(2 / outputs.shape[-1])

    def point(self, outputs: Tensor) -> Tensor:
        """Return the outputs, (members, rows, targets)."""
        return outputs

    def pool(self, outputs: Tensor) -> Tensor:
        """Return the mean output, (1, rows, targets)."""
        return outputs.mean(0, keepdim=True)

    def constant(self, y: Tensor, weight: Tensor | None) -> Tensor:
        """Return the mean target, (1, 1, targets)."""
        return _average(y, weight)[None, None]


class OneHotSquaredError(Loss):
    """Squared error to K times the one-hot label, averaged over the K classes."""

    def n_outputs(self, n_targets: int) -> int:
        """Return one output for each class."""
        return n_targets

    def rows(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the loss of each row, (members, rows)."""
        return (outputs - y.shape[-1] * y).square().mean(-1)

    def rows_gradient(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return 2(h − K y) / K."""
        return (outputs - y.shape[-1] * y).mul_(2 / outputs.shape[-1])

    def point(self, outputs: Tensor) -> Tensor:
        """Return the outputs, (members, rows, classes)."""
        return outputs

    def pool(self, outputs: Tensor) -> Tensor:
        """Return the mean output, (1, rows, classes)."""
        return outputs.mean(0, keepdim=True)

    def constant(self, y: Tensor, weight: Tensor | None) -> Tensor:
        """Return K times the share of each class, (1, 1, classes)."""
        return y.shape[-1] * _average(y, weight)[None, None]


class CrossEntropy(Loss):
    """Negative log-probability of the label: softmax, or sigmoid for one output."""

    unit: ClassVar[float] = 1.0

    def n_outputs(self, n_targets: int) -> int:
        """Return one logit for each target column."""
        return n_targets

    def rows(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return the loss of each row, (members, rows)."""
        if outputs.shape[-1] == 1:
            # Two terms, because log(1 + e^h) − y h loses all digits of a small loss.
            return (y * softplus(-outputs) + (1 - y) * softplus(outputs)).sum(-1)
        return -(outputs.log_softmax(-1) * y).sum(-1)

    def rows_gradient(self, outputs: Tensor, y: Tensor) -> Tensor:
        """Return p − y, p the probabilities."""
        if outputs.shape[-1] == 1:
            return outputs.sigmoid().sub_(y)
        return outputs.softmax(-1) - y

    def point(self, outputs: Tensor) -> Tensor:
        """Return the probabilities, (members, rows, classes); one of two classes."""
        if outputs.shape[-1] == 1:
            return outputs.sigmoid()
        return outputs.softmax(-1)

    def pool(self, outputs: Tensor) -> Tensor:
        """Return the logits of the mean probability, (1, rows, ...)."""
        mean = self.point(outputs.double()).mean(0, keepdim=True).clamp(min=1e-300)
        return mean.logit(1e-16) if outputs.shape[-1] == 1 else mean.log()

    def constant(self, y: Tensor, weight: Tensor | None) -> Tensor:
        """Return the logits of the share of each class, (1, 1, classes)."""
        share = _average(y, weight)[None, None].clamp(min=1e-300)
        return share.logit(1e-16) if y.shape[-1] == 1 else share.log()


def _averaged(gradient: Tensor, weight: Tensor | None) -> Tensor:
    """Return the gradient of a mean over rows, from that of each row, in place."""
    gradient.div_(gradient.shape[1])
    return gradient if weight is None else gradient.mul_(weight[..., None])


def _average(values: Tensor, weight: Tensor | None) -> Tensor:
    """Return the mean over rows, in double precision, (columns,)."""
    values = values.double()
    return (values if weight is None else values * weight[:, None]).mean(0)


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
