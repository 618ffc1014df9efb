"""From an estimator's settings to trained members."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Literal, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from antireg.estimators.doubting import doubt_setting
from antireg.history import Callback
from antireg.methods import Method
from antireg.methods.base import NO_BOUNDS, Bounds, Fit
from antireg.networks import Factory, Stack, mlp, modules
from antireg.networks.bins import Bins, fit_bins, has_features
from antireg.rows.checks import Labelled
from antireg.rows.data import Data, drawn
from antireg.training.constant_guess import constant_loss, row_limit
from antireg.training.patience import patience_of
from antireg.training.plan import Plan
from antireg.training.problem import Problem, Settings

FEWEST_EPOCHS = 10
FEW_ROWS = 2000
LR, LR_WITH_BINS = 0.001, 0.002
N_BINS = 32
MOST_BINNED = 10_000
"""Rows that tell what columns are like; of more, so many are taken evenly."""

MOST_WEIGHTS = 2**31
"""Of all members together: 8 GB, and training takes five times as much memory."""


Model = TypeVar("Model")


def unfitted_copy(model: Model) -> Model:
    """Return a shallow copy of an estimator with its settings, but unfitted."""
    copied = copy.copy(model)
    for name in [name for name in vars(model) if name.endswith("_")]:
        delattr(copied, name)
    return copied


class EstimatorSettings(Protocol):
    """The settings of an estimator that shape its training."""

    takes_centre: ClassVar[bool]
    method: Method | str
    n_members: int
    hidden: Sequence[int]
    bins: int | Literal["auto"] | None
    activation: str
    network: nn.Module | Factory | None
    steps: int
    epochs: int | None
    patience: int | Literal["auto"] | None
    batch_size: int | Literal["auto"]
    lr: float | Literal["auto"]
    robust: bool
    n_jobs: int | None
    verbose: bool
    callbacks: Sequence[Callback]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A user's rows, ready for training.

    Attributes:
        problem: What the members learn.
        held_out: The rows of `problem.validation`, as the user gave them.
        everyone: All rows of weight > 0, without those of `validation_data`.
        chosen: Which of these are for validation, (rows,); None with
            `validation_data`.
        seed: Of all randomness.
        folder: For checkpoints, if wanted.
    """

    problem: Problem
    held_out: Labelled
    everyone: Labelled
    chosen: NDArray[np.bool_] | None
    seed: int
    folder: Path | None


def plan_of(
    estimator: EstimatorSettings, problem: Problem, seed: int, folder: Path | None
) -> Plan:
    """Return the plan for training an estimator's members.

    Args:
        estimator: The estimator's settings.
        problem: What the members learn.
        seed: Of all randomness.
        folder: For checkpoints, if wanted.
    """
    data, loss = problem.data, problem.loss
    seeds = np.random.SeedSequence(seed).generate_state(2 * estimator.n_members)
    starts, orders = seeds.reshape(estimator.n_members, 2).T.tolist()
    start = _start(estimator, data, loss.n_outputs(data.y.shape[1]), starts)
    settings = Settings(
        epochs=epochs_of(estimator, len(data)),
        batch_size=rows_per_step(estimator.batch_size, len(data)),
        lr=_lr(estimator.lr, start),
        seeds=orders,
        seed=seed,
        callbacks=estimator.callbacks,
        row_limit=row_limit(loss, data) if estimator.robust else math.inf,
        patience=patience_of(estimator.patience, steps_per_epoch(estimator, len(data))),
    )
    return Plan(start.to(data.x.device), problem, settings, folder)


def bounds_of(estimator: EstimatorSettings, plan: Plan) -> Bounds:
    """Return how much worse one fit may be than another."""
    if not estimator.robust:
        return NO_BOUNDS
    constant = constant_loss(plan.problem, plan.settings.row_limit)
    return Bounds(constant, plan.problem.loss.unit)


def with_centre(fit: Fit, estimator: EstimatorSettings) -> Fit:
    """Return the fit, with its centre only if an estimator is to use it."""
    if estimator.robust and estimator.takes_centre:
        return fit
    return replace(fit, centre=None)


def epochs_of(estimator: EstimatorSettings, n_rows: int) -> int:
    """Return the most epochs; enough for `steps` if the user gave none."""
    if estimator.epochs is not None:
        return estimator.epochs
    per_epoch = steps_per_epoch(estimator, n_rows)
    return max(FEWEST_EPOCHS, -(-estimator.steps // per_epoch))


def steps_per_epoch(estimator: EstimatorSettings, n_rows: int) -> int:
    """Return the steps of a pass over the rows."""
    return -(-n_rows // rows_per_step(estimator.batch_size, n_rows))


def rows_per_step(batch_size: int | Literal["auto"], n_rows: int) -> int:
    """Return the batch size, at most the number of rows."""
    if batch_size != "auto":
        return min(int(batch_size), n_rows)
    return min(32 if n_rows < FEW_ROWS else 128, n_rows)


def chosen_device(name: str) -> torch.device:
    """Return the device of that name; "auto" takes a GPU if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.device(name)


def _check_size(estimator: EstimatorSettings, n_inputs: int) -> None:
    """Raise for members that fit no memory, before any is allocated."""
    sizes = (
        [n_inputs, *map(int, estimator.hidden)] if estimator.network is None else [1]
    )
    n_weights = sum(n_in * n_out for n_in, n_out in pairwise([*sizes, 1]))
    if int(estimator.n_members) * n_weights > MOST_WEIGHTS:
        raise ValueError(
            f"hidden and n_members must make up {MOST_WEIGHTS} weights at most, got "
            f"{estimator.n_members * n_weights}. Use smaller layers, fewer members or "
            "fewer bins."
        )


def _start(
    estimator: EstimatorSettings, data: Data, n_outputs: int, seeds: list[int]
) -> Stack:
    """Return the members before training."""
    n_inputs = data.x.shape[1]
    bins = None if estimator.network is not None else _bins(estimator, data)
    _check_size(estimator, n_inputs if bins is None else len(bins))
    if estimator.network is None:
        sizes = [n_inputs, *map(int, estimator.hidden), n_outputs]
        return mlp(sizes, estimator.activation, seeds=seeds, bins=bins)
    shape = getattr(estimator, "input_shape_", None)
    return modules(estimator.network, n_inputs, n_outputs, seeds=seeds, shape=shape)


def _lr(given: float | Literal["auto"], start: Stack) -> float:
    """Return the step size of Adam."""
    if given != "auto":
        return given
    return LR if start.bins is None else LR_WITH_BINS


def some_inputs(data: Data) -> NDArray[np.float32]:
    """Return the inputs of rows that tell what columns are like, (rows, columns)."""
    places = np.linspace(0, len(data) - 1, min(len(data), MOST_BINNED)).astype(int)
    return np.asarray(drawn(data, places).x.cpu().numpy())


def _bins(estimator: EstimatorSettings, data: Data) -> Bins | None:
    """Return the bins of columns, if they are to be cut into any."""
    if estimator.bins is None:
        return None
    if estimator.bins == "auto" and doubt_setting(estimator) is None:
        return None
    x = some_inputs(data)
    if estimator.bins == "auto" and has_features(x):
        return None
    bins = fit_bins(x, N_BINS if estimator.bins == "auto" else int(estimator.bins))
    return bins if len(bins) > x.shape[1] else None
