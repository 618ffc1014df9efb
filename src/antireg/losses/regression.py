"""Fit losses of amounts."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from antireg.losses.base import Loss, average

LOWEST_LOG_VARIANCE = -10.0
HIGHEST_LOG_VARIANCE = 1e4


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
        mean = average(y, weight)
        log_variance = average((y - mean).square(), weight).log()
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
        return average(y, weight)[None, None]
