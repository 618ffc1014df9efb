"""The loss of a constant guess, which every member should beat."""

from __future__ import annotations

import math

from antireg.losses import Loss
from antireg.rows.data import Data
from antireg.training.problem import Problem

MOST_NATS = 10.0


def constant_loss(problem: Problem, limit: float = math.inf) -> float:
    """Return the validation loss of the best constant for the training rows.

    Args:
        problem: Training and validation rows, and the loss.
        limit: Largest loss that a validation row may have, as for members.
    """
    data, validation, loss = problem.data, problem.validation, problem.loss
    guess = loss.constant(data.y, data.weight).expand(1, len(validation), -1)
    return loss(guess, validation.y.double(), validation.weight, limit).item()


def row_limit(loss: Loss, data: Data) -> float:
    """Return the largest loss that a validation row should count with.

    An error may be twice that of the best constant on its worst row: between two
    equally frequent classes, this is the error of predicting one instead of the other.
    A negative log-likelihood may be 10 more than the constant's. A larger loss says no
    more than that a member is wrong.

    Args:
        loss: What to fit.
        data: Rows to train on.
    """
    guess = loss.constant(data.y, data.weight).expand(1, len(data), -1)
    worst = loss.rows(guess, data.y.double()).max().item()
    return 4 * worst if math.isinf(loss.unit) else worst + MOST_NATS * loss.unit
