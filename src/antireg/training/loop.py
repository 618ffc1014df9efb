"""The training loop; there is one, and it knows no method by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from antireg.history import Callback, Epoch, History, joined_epoch, joined_history
from antireg.methods.base import NO_BOUNDS, Bounds, Fit, Method
from antireg.networks.forward import ensemble_loss
from antireg.process import training
from antireg.rows.data import Batches
from antireg.training.epoch import Running
from antireg.training.groups import Group
from antireg.training.plan import Plan
from antireg.training.progress import ProgressBar


@dataclass
class Trainer:
    """Trains the members by any method, in this process: what `Method.run` calls.

    Attributes:
        plan: What to train.
        bounds: How much worse one fit may be than another.
        verbose: Whether to show a progress bar for each training.
        title: Of the bar, if there is one training; else trainings are numbered.
        trials: Every training so far.
    """

    plan: Plan
    bounds: Bounds = NO_BOUNDS
    verbose: bool = False
    title: str | None = None
    trials: list[tuple[Method, History]] = field(default_factory=list, init=False)

    def __call__(
        self,
        method: Method,
        ahead: Sequence[Method] = (),
        groups: Sequence[Group] | None = None,
    ) -> Fit:
        """Train a copy of every member and return it as of its kept epoch.

        Groups take turns, epoch by epoch, so that callbacks see all members.

        Args:
            method: To train with.
            ahead: Methods that may be asked for next.
            groups: What to train; all groups of the plan if this is None.
        """
        if groups is None:
            self.plan.ask(method, ahead)
            groups = self.plan.groups(method)
        given, settings = self.plan.problem, self.plan.settings
        problem = replace(given, validation=given.validation.aligned())
        batches = Batches(problem.data)
        with self.bar() as bar, training():
            torch.manual_seed(settings.seed)
            running = [Running(group, problem, method, settings) for group in groups]
            states = [group.state for group in running]
            last = _last_epoch(running)
            while active := _active(running, last):
                number = min(len(group.state.epochs) for group in active) + 1
                for group in active:
                    # One that was resumed may be ahead of the others.
                    if len(group.state.epochs) < number:
                        group.run_epoch(batches)
                epochs = [state.epoch(number) for state in states]
                epoch = joined_epoch(epochs, type(method).__name__)
                if _asked_to_stop(epoch, [*bar, *settings.callbacks]):
                    last = max(len(state.epochs) for state in states)
                for group in running:
                    group.end_epoch(last)
        weights = torch.cat([state.kept_weights for state in states])
        history = joined_history([state.history() for state in states], n_workers=1)
        return self.noted(self.fit(method, weights, history))

    def continuing(self, fit: Fit, epochs: float, lr: float = 1.0) -> Trainer:
        """Return what trains on from the members of a fit; as in `Train`."""
        plan = self.plan.continuing(fit, epochs, lr)
        other = Trainer(plan, self.bounds, self.verbose, self.title)
        other.trials = self.trials
        return other

    def fit(self, method: Method, weights: Tensor, history: History) -> Fit:
        """Return the fit of members with these weights, (members, weights)."""
        whole, problem = self.plan.stack(method), self.plan.problem
        network = whole.with_weights(weights)
        loss = ensemble_loss(network, problem.validation, problem.loss)
        made = None if whole is self.plan.start else network
        return Fit(method, weights, history, loss, self.bounds, network=made)

    def noted(self, fit: Fit) -> Fit:
        """Add a fit to `trials` and return it."""
        self.trials.append((fit.method, fit.history))
        return fit

    @contextmanager
    def bar(self) -> Iterator[list[Callback]]:
        """Yield the progress bar of the next training, or none."""
        if not self.verbose:
            yield []
            return
        bar = ProgressBar(len(self.trials), self.title)
        try:
            yield [bar]
        finally:
            bar.close()


def _last_epoch(running: Sequence[Running]) -> int:
    """Return the epoch to end at: an earlier one if a callback said so before."""
    stopped = [
        len(group.state.epochs)
        for group in running
        if group.state.done and not group.has_learned
    ]
    return max(stopped, default=running[0].settings.epochs)


def _active(running: Sequence[Running], last: int) -> list[Running]:
    """Return the groups that have epochs to go."""
    return [
        group
        for group in running
        if len(group.state.epochs) < last and not group.has_learned
    ]


def _asked_to_stop(epoch: Epoch, callbacks: Sequence[Callback]) -> bool:
    """Tell the callbacks of an epoch; return whether one wants to stop."""
    answers = [callback(epoch) for callback in callbacks]
    return any(isinstance(said, bool | np.bool_) and said for said in answers)
