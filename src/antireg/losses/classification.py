"""Fit losses of classes."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor
from torch.nn.functional import softplus

from antireg.losses.base import Loss, average


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
        return y.shape[-1] * average(y, weight)[None, None]


class CrossEntropy(Loss):
    """Negative log-probability of the label: softmax, or sigmoid for one output."""

    unit: ClassVar[float] = 1.0
    gain: ClassVar[float] = 0.1

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
        share = average(y, weight)[None, None].clamp(min=1e-300)
        return share.logit(1e-16) if y.shape[-1] == 1 else share.log()
