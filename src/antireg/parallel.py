"""Members and candidates trained side by side, by as many workers as joblib gives.

A member comes out the same to the bit in any company: its start, the order of its rows
and its rounding depend on itself alone.
"""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import torch

from antireg.data.base import Batches, Data
from antireg.losses import Loss
from antireg.methods.base import Fit, Method
from antireg.networks import Stack
from antireg.pool import Done, Pool, Work
from antireg.process import drawing, one_thread
from antireg.relay import Leg, Task, joined, shares
from antireg.scratch import scratch
from antireg.trainer import Callback, Settings, ensemble_loss

LARGE_STEP = 2**22
"""Weights times rows of a member's step from which on it takes hardly longer alone than
in company, so that a member may change hands."""

Outcome = Fit | Exception


class Workers:
    """Trains methods one after the other, and what it can of them side by side.

    Args:
        start: The members before training.
        data: Rows to train on.
        validation: Rows that choose.
        loss: What to fit.
        settings: How long and how fast, for all members.
        n_jobs: How many workers, as joblib counts them.
        folder: Where trainings are written as they go, if anywhere.
    """

    def __init__(
        self,
        start: Stack,
        data: Data,
        validation: Data,
        loss: Loss,
        settings: Settings,
        n_jobs: int | None,
        folder: Path | None = None,
    ) -> None:
        """Ask joblib how many workers there are."""
        self.start, self.loss, self.settings = start, loss, settings
        self.data, self.validation = data, validation
        self.folder = folder
        self.pool = Pool(data, validation, loss, n_jobs)
        self.n_workers = self.pool.size
        self.n_asked = 0
        self.ahead: Sequence[Method] = ()
        self.outcomes: deque[Outcome] = deque()

    def __enter__(self) -> Self:
        """Wait for a training that can be split."""
        self.pool.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        """Let the workers go."""
        self.pool.__exit__(*error)

    def train(
        self,
        method: Method,
        ahead: Sequence[Method] = (),
        watch: Callback | None = None,
    ) -> Fit:
        """Return the fit of all members.

        Args:
            method: What to train.
            ahead: What will be asked for next, if anything is.
            watch: Called with every epoch of all members, or of the first group.
        """
        announced = bool(self.ahead) and self.ahead[0] is method
        if not announced:
            # Files keep their numbers whether anything was trained ahead or not.
            self.n_asked += len(self.ahead)
            self.outcomes.clear()
        self.n_asked += 1
        self.ahead = ahead
        if not self.outcomes:
            self._warn_of_idle_workers(method, announced or bool(ahead))
            watching = [] if watch is None else [watch]
            self.outcomes.extend(self._train_next([method, *ahead], watching))
        outcome = self.outcomes.popleft()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _train_next(
        self, methods: Sequence[Method], watching: Sequence[Callback]
    ) -> list[Outcome]:
        """Return what came of the first method, and of others while there is room."""
        n_groups = min(self.n_workers, self.start.n_members)
        if n_groups > 1 and self._why_together(methods[0]) is not None:
            n_groups = 1
        methods = methods[: self.n_workers // n_groups]
        if n_groups > 1 or len(methods) > 1:
            return self._train_apart(methods, n_groups, watching)
        whole = Leg(range(self.start.n_members), 0, self.settings.epochs)
        task = self._task(0, whole, [*watching, *self.settings.callbacks])
        return [task.run(self.data, self.validation, self.loss, methods[0])]

    def _train_apart(
        self, methods: Sequence[Method], n_groups: int, watching: Sequence[Callback]
    ) -> list[Outcome]:
        """Return what came of each method, its members trained by so many workers."""
        large = self.start.flat.shape[1] * self.settings.batch_size >= LARGE_STEP
        plan = shares(
            self.start.n_members,
            n_groups,
            self.settings.epochs,
            cut=len(methods) == 1 and large and self.pool.is_local,
        )
        work = {}
        with scratch() as spare:
            for number, method in enumerate(methods):
                # A member that is cut starts in a later share.
                for group, legs in reversed(list(enumerate(plan))):
                    tasks = [
                        self._task(
                            number,
                            leg,
                            () if number or leg.members[0] else watching,
                            spare,
                        )
                        for leg in legs
                    ]
                    work[number, group] = Work(method, tasks, len(methods) > 1)
            done = self.pool.run(work)
        return [
            self._joined(method, [done[number, group] for group in range(n_groups)])
            for number, method in enumerate(methods)
        ]

    def _task(
        self, number: int, leg: Leg, callbacks: Sequence[Callback], spare: Path = Path()
    ) -> Task:
        """Return a leg with all that is its own.

        Args:
            number: Trainings between the one asked for and this.
            leg: Which epochs of which members.
            callbacks: Told of its epochs.
            spare: Folder for members that change hands, if all are written to none.
        """
        first, last = leg.members[0], leg.members[-1]
        part = slice(first, last + 1)
        settings = replace(
            self.settings,
            seeds=self.settings.seeds[part],
            callbacks=callbacks,
            first=first,
        )
        name = f"training-{self.n_asked + number}"
        if len(leg.members) < self.start.n_members:
            name += f"-members-{first}-{last}"
        file = None
        if self.folder is not None:
            file = self.folder / f"{name}.safetensors"
        elif (leg.first, leg.last) != (0, settings.epochs):
            file = spare / f"{name}.safetensors"
        start = self.start.with_weights(self.start.flat[part])
        return Task(leg, start, settings, file, kept=self.folder is not None)

    def _joined(self, method: Method, parts: Sequence[Done]) -> Outcome:
        """Return the fit of all members from what each worker did."""
        found: dict[int, Fit] = {}
        for part in parts:
            if isinstance(part, Exception):
                return part
            found |= part
        fits = [found[first] for first in sorted(found)]
        if len(fits) == 1:
            return fits[0]
        weights = torch.cat([fit.weights for fit in fits])
        network = self.start.with_weights(weights)
        pooled = ensemble_loss(network, self.validation, self.loss)
        history = joined([fit.history for fit in fits], len(parts))
        return Fit(method, weights, history, pooled)

    def _warn_of_idle_workers(self, method: Method, searching: bool) -> None:
        """Say why this training is all done here, unless candidates are not."""
        if self.n_workers == 1:
            return
        reason = self._why_here or ("" if searching else self._why_together(method))
        if reason:
            warnings.warn(
                f"n_jobs has no effect: {reason}. The members train as one group in "
                "this process.",
                stacklevel=2,
            )
            self.n_workers = 1

    def _why_together(self, method: Method) -> str | None:
        """Return what keeps members from being trained apart, if anything does."""
        if self._why_here is not None:
            return self._why_here
        if not method.independent:
            return f"members of {type(method).__name__} see each other"
        if self._draws:
            return "the network draws at random as it trains, as dropout does"
        return None

    @property
    def _why_here(self) -> str | None:
        """What keeps trainings in this process, if anything does."""
        device = self.data.x.device.type
        if self.settings.callbacks:
            return "callbacks are told of all members at once"
        if device != "cpu":
            return f"one {device} device trains all members"
        return None

    @cached_property
    def _draws(self) -> bool:
        """Whether a pass through the network takes random numbers."""
        row = Batches(self.data).take(torch.zeros(1, dtype=torch.long)).x
        # One thread: to wake a second takes longer than the pass.
        with one_thread(), drawing(self.settings.seed), torch.enable_grad():
            before = torch.random.get_rng_state()
            self.start(row)
            return not torch.equal(before, torch.random.get_rng_state())
