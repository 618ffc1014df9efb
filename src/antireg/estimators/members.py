"""From an estimator's settings to trained members."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeVar

import numpy as np
import torch
from torch import nn

from antireg.history import Callback, History
from antireg.losses import Loss
from antireg.methods import Fit, Method, as_method
from antireg.methods.base import NO_BOUNDS, Bounds
from antireg.networks import Factory, Stack, mlp, modules
from antireg.parallel.workers import Workers
from antireg.rows.data import Data
from antireg.training.constant_guess import constant_loss, row_limit
from antireg.training.loop import Settings
from antireg.training.progress import ProgressBar

FEWEST_EPOCHS = 10
FEW_ROWS = 2000
MOST_WEIGHTS = 2**31
"""Of all members: 8 GB, and a training holds five times as much."""


Model = TypeVar("Model")


def without_learnt(model: Model) -> Model:
    """Return a shallow copy of an estimator with its settings, and nothing learnt."""
    copied = copy.copy(model)
    for name in [name for name in vars(model) if name.endswith("_")]:
        delattr(copied, name)
    return copied


class Wishes(Protocol):
    """The settings of an estimator that shape its training."""

    method: Method | str
    n_members: int
    hidden: Sequence[int]
    activation: str
    network: nn.Module | Factory | None
    steps: int
    epochs: int | None
    batch_size: int | Literal["auto"]
    lr: float
    robust: bool
    n_jobs: int | None
    verbose: bool
    callbacks: Sequence[Callback]


class Fitted(NamedTuple):
    """The members, how they came about, and every training on the way."""

    network: Stack
    fit: Fit
    trials: list[tuple[Method, History]]


def fit_members(
    wishes: Wishes,
    loss: Loss,
    data: Data,
    validation: Data,
    seed: int,
    folder: Path | None,
) -> Fitted:
    """Train the method, however many fits that takes.

    Args:
        wishes: The settings.
        loss: What to fit.
        data: Rows to train on.
        validation: Rows that choose.
        seed: Of all randomness.
        folder: Where trainings are written as they go, if anywhere.
    """
    _check_size(wishes, data.x.shape[1])
    start, settings = before_training(wishes, loss, data, seed)
    given = start, data, validation, loss, settings, wishes.n_jobs, folder
    bounds = NO_BOUNDS
    if wishes.robust:
        bounds = Bounds(constant_loss(loss, data, validation), loss.unit)
    with Workers(*given) as workers:
        trials = Trials(workers, wishes.verbose, bounds)
        fit = as_method(wishes.method).run(trials)
    return Fitted(start.with_weights(fit.weights), fit, trials.done)


def before_training(
    wishes: Wishes, loss: Loss, data: Data, seed: int
) -> tuple[Stack, Settings]:
    """Return the members as they start, and how they are trained on these rows."""
    seeds = np.random.SeedSequence(seed).generate_state(2 * wishes.n_members)
    starts, orders = seeds.reshape(wishes.n_members, 2).T.tolist()
    start = _start(wishes, data.x.shape[1], loss.n_outputs(data.y.shape[1]), starts)
    settings = Settings(
        epochs=epochs_of(wishes, len(data)),
        batch_size=rows_per_step(wishes.batch_size, len(data)),
        lr=wishes.lr,
        seeds=orders,
        seed=seed,
        callbacks=wishes.callbacks,
        row_limit=row_limit(loss, data) if wishes.robust else math.inf,
    )
    return start.to(data.x.device), settings


class Trials:
    """Trains what a method asks for, and remembers it.

    Args:
        workers: Who trains.
        verbose: Whether to draw a bar for each training.
        bounds: What a method may ask of a loss.
    """

    def __init__(self, workers: Workers, verbose: bool, bounds: Bounds) -> None:
        """Wait for the first."""
        self.workers, self.verbose, self.bounds = workers, verbose, bounds
        self.done: list[tuple[Method, History]] = []

    def __call__(self, method: Method, ahead: Sequence[Method] = ()) -> Fit:
        """Return the fit of a method."""
        bar = ProgressBar(len(self.done)) if self.verbose else None
        try:
            fit = self.workers.train(method, ahead, bar)
        finally:
            if bar is not None:
                bar.close()
        self.done.append((fit.method, fit.history))
        return replace(fit, bounds=self.bounds)


def epochs_of(wishes: Wishes, n_rows: int) -> int:
    """Return the passes over the rows that make up the steps."""
    if wishes.epochs is not None:
        return wishes.epochs
    per_epoch = -(-n_rows // rows_per_step(wishes.batch_size, n_rows))
    return max(FEWEST_EPOCHS, -(-wishes.steps // per_epoch))


def rows_per_step(batch_size: int | Literal["auto"], n_rows: int) -> int:
    """Return the rows of a step; fewer where there are few in all."""
    if batch_size != "auto":
        return min(batch_size, n_rows)
    return min(32 if n_rows < FEW_ROWS else 128, n_rows)


def chosen_device(name: str) -> torch.device:
    """Return the device of that name; "auto" takes a GPU if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.device(name)


def _check_size(wishes: Wishes, n_inputs: int) -> None:
    """Raise for members that are larger than any memory, before it is asked for."""
    sizes = [n_inputs, *map(int, wishes.hidden)] if wishes.network is None else [1]
    n_weights = sum(n_in * n_out for n_in, n_out in pairwise([*sizes, 1]))
    if wishes.n_members * n_weights > MOST_WEIGHTS:
        raise ValueError(
            f"hidden and n_members must make up {MOST_WEIGHTS} weights at most, got "
            f"{wishes.n_members * n_weights}. Use smaller layers or fewer members."
        )


def _start(wishes: Wishes, n_inputs: int, n_outputs: int, seeds: list[int]) -> Stack:
    """Return the members before training."""
    if wishes.network is None:
        sizes = [n_inputs, *map(int, wishes.hidden), n_outputs]
        return mlp(sizes, wishes.activation, seeds=seeds)
    return modules(wishes.network, n_inputs, n_outputs, seeds=seeds)
