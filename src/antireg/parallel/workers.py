"""Groups of members, and candidates, trained side by side by joblib's workers.

No bit depends on who trains a group: its members, their starts and the order of their
rows are the same everywhere, and so is all that its products are made of.
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

from antireg.history import Callback, joined_history
from antireg.losses import Loss
from antireg.methods.base import Fit, Method
from antireg.networks import Stack
from antireg.networks.forward import ensemble_loss
from antireg.parallel.pool import Pool, Work
from antireg.process import drawing, one_thread
from antireg.rows.data import Batches, Data
from antireg.training.checkpoint import Checkpoint, identity_of
from antireg.training.groups import Group, groups
from antireg.training.loop import Settings, Trained, train

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
        room = max(1, self.n_workers // len(self._members(methods[0])))
        plan = [
            (method, self._groups(number, method))
            for number, method in enumerate(methods[:room])
        ]
        if self.n_workers > 1 and sum(len(of_method) for _, of_method in plan) > 1:
            return self._train_apart(plan, watching)
        method, of_method = plan[0]
        callbacks = [*watching, *self.settings.callbacks]
        settings = replace(self.settings, callbacks=callbacks)
        rows = self.data, self.validation, self.loss
        return [self._joined(method, train(of_method, *rows, method, settings), 1)]

    def _train_apart(
        self,
        plan: Sequence[tuple[Method, Sequence[Group]]],
        watching: Sequence[Callback],
    ) -> list[Outcome]:
        """Return what came of each method, its groups trained by workers."""
        watched = replace(self.settings, callbacks=watching)
        work = {
            (number, place): Work(
                method,
                group,
                self.settings if number or place else watched,
                may_fail=len(plan) > 1,
            )
            for number, (method, of_method) in enumerate(plan)
            for place, group in enumerate(of_method)
        }
        done = self.pool.run(work)
        outcomes: list[Outcome] = []
        for number, (method, of_method) in enumerate(plan):
            parts = [done[number, place] for place in range(len(of_method))]
            failed = [part for part in parts if isinstance(part, Exception)]
            trained = [part for part in parts if not isinstance(part, Exception)]
            outcomes += failed[:1] or [self._joined(method, trained, self.n_workers)]
        return outcomes

    def _members(self, method: Method) -> list[range]:
        """Return the members that train as one stack, whoever trains them."""
        n_members, n_weights = self.start.flat.shape
        found = groups(n_members, n_weights, self.settings.batch_size)
        if len(found) > 1 and self._why_together(method) is not None:
            return [range(n_members)]
        return found

    def _groups(self, number: int, method: Method) -> list[Group]:
        """Return the groups of a training, so many after the one asked for."""
        name = f"training-{self.n_asked + number}"
        found = []
        for members in self._members(method):
            weights = self.start.flat[members.start : members.stop]
            start, checkpoint = self.start.with_weights(weights), None
            if self.folder is not None:
                part = f"-members-{members[0]}-{members[-1]}"
                file = name + part * (len(members) < self.start.n_members)
                identity = self._identity(method, members, start)
                path = self.folder / f"{file}.safetensors"
                checkpoint = Checkpoint(path, identity)
            found.append(Group(members, start, checkpoint))
        return found

    def _identity(self, method: Method, members: range, start: Stack) -> str:
        """Return what tells this training from others; who watches does not matter."""
        seeds = tuple(self.settings.seeds[members.start : members.stop])
        plan = replace(self.settings, callbacks=(), seeds=seeds)
        told = start.architecture(), type(self.loss).__name__, repr(method), plan
        return identity_of([start.flat, *start.frozen()], (self._rows_identity, told))

    @cached_property
    def _rows_identity(self) -> str:
        """What tells the rows from others; to read them all takes time."""
        both = (self.data, self.validation)
        parts = [part for rows in both for part in (rows.x, rows.y, rows.weight)]
        given = [part is not None for part in parts]
        return identity_of([part for part in parts if part is not None], given)

    def _joined(
        self, method: Method, parts: Sequence[Trained], n_workers: int
    ) -> Outcome:
        """Return the fit of all members from their groups."""
        weights = torch.cat([part.weights for part in parts])
        network = self.start.with_weights(weights)
        pooled = ensemble_loss(network, self.validation, self.loss)
        history = joined_history([part.history for part in parts], n_workers)
        return Fit(method, weights, history, pooled)

    def _warn_of_idle_workers(self, method: Method, searching: bool) -> None:
        """Say why this training is all done here, unless candidates are not."""
        if self.n_workers == 1:
            return
        reason = self._why_here or ("" if searching else self._why_together(method))
        if reason:
            warnings.warn(
                f"n_jobs has no effect: {reason}. All members train in this process.",
                stacklevel=2,
            )
            self.n_workers = 1

    def _why_together(self, method: Method) -> str | None:
        """Return what makes all members one group, if anything does."""
        if self._device != "cpu":
            return f"one {self._device} device trains all members"
        if not method.independent:
            return f"members of {type(method).__name__} see each other"
        if self._draws:
            return "the network draws at random as it trains, as dropout does"
        return None

    @property
    def _why_here(self) -> str | None:
        """What keeps trainings in this process, if anything does."""
        if self.settings.callbacks:
            return "callbacks are told of all members at once"
        if self._device != "cpu":
            return f"there is one {self._device} device"
        return None

    @property
    def _device(self) -> str:
        return self.data.x.device.type

    @cached_property
    def _draws(self) -> bool:
        """Whether a pass through the network takes random numbers."""
        row = Batches(self.data).take(torch.zeros(1, dtype=torch.long)).x
        # One thread: to wake a second takes longer than the pass.
        with one_thread(), drawing(self.settings.seed), torch.enable_grad():
            before = torch.random.get_rng_state()
            self.start(row)
            return not torch.equal(before, torch.random.get_rng_state())
