"""The plan of an ensemble's trainings: groups of members and their checkpoint files."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import torch

from antireg.methods.base import Fit, Method, Trained
from antireg.networks import Stack
from antireg.process import drawing, one_thread
from antireg.rows.data import Batches
from antireg.training.checkpoint import Checkpoint, identity_of
from antireg.training.groups import Group, groups
from antireg.training.problem import Problem, Settings


@dataclass
class Plan:
    """The trainings of an ensemble, one for each time a method asks.

    Attributes:
        start: The members before training.
        problem: What they learn.
        settings: How long and how fast, for all members.
        folder: Where trainings are written to resume from, if anywhere.
        n_asked: Trainings asked for so far, including those announced but then not
            asked for, so that files are numbered alike whether or not any was trained
            ahead.
        ahead: The methods announced last.
        around: The method that was trained last, and what it trains.
    """

    start: Stack
    problem: Problem
    settings: Settings
    folder: Path | None = None
    n_asked: int = field(default=0, init=False)
    ahead: Sequence[Method] = field(default=(), init=False)
    around: tuple[Method, Stack] | None = field(default=None, init=False)

    def ask(self, method: Method, ahead: Sequence[Method]) -> bool:
        """Count a training; return whether it was announced.

        Args:
            method: To train with.
            ahead: Methods that may be asked for next, in this order.
        """
        announced = bool(self.ahead) and self.ahead[0] is method
        self.n_asked += 1 if announced else 1 + len(self.ahead)
        self.ahead = ahead
        return announced

    def networks(self, fit: Fit) -> tuple[Stack, Stack | None]:
        """Return the members of a fit, and those of its centre, if it has one."""
        members, centre = self.start.with_weights(fit.weights), fit.centre
        return members, None if centre is None else self.networks(centre)[0]

    def continuing(self, fit: Fit, epochs: float, lr: float) -> Plan:
        """Return the plan for training on from a fit; as in `Train`."""
        settings = replace(
            self.settings,
            epochs=max(1, round(epochs * self.settings.epochs)),
            lr=lr * self.settings.lr,
        )
        folder = None if self.folder is None else self.folder / "continued"
        return Plan(self.networks(fit)[0], self.problem, settings, folder)

    def finished(self, fit: Fit) -> Fit:
        """Return what the method of a fit makes of its members."""
        problem, settings, network = self.problem, self.settings, fit.network
        if network is None:
            network = self.start.with_weights(fit.weights)
        rows = problem.data, problem.validation
        trained = Trained(
            network, *rows, problem.loss, settings.seeds, settings.row_limit
        )
        started = time.perf_counter()
        done = fit.method.finish(fit, trained)
        seconds = done.history.seconds + time.perf_counter() - started
        return replace(done, history=replace(done.history, seconds=seconds))

    def stack(self, method: Method) -> Stack:
        """Return what a method trains, all members as they start."""
        data, seeds = self.problem.data, self.settings.seeds
        if self.around is None or self.around[0] is not method:
            self.around = method, method.around(self.start, data, seeds)
        return self.around[1]

    def groups(self, method: Method, later: int = 0) -> list[Group]:
        """Return the groups of this training, or of one that comes `later` ones on."""
        name = f"training-{self.n_asked + later}"
        found, whole = [], self.stack(method)
        for members in self.members(method):
            start, checkpoint = whole.part(members), None
            if self.folder is not None:
                part = f"-members-{members[0]}-{members[-1]}"
                file = name + part * (len(members) < self.start.n_members)
                identity = self._identity(method, members, start)
                path = self.folder / f"{file}.safetensors"
                checkpoint = Checkpoint(path, identity)
            found.append(Group(members, start, checkpoint))
        return found

    def members(self, method: Method) -> list[range]:
        """Return the members of each stack; the same for any number of workers."""
        n_members, n_weights = self.start.flat.shape
        found = groups(n_members, n_weights, self.settings.batch_size)
        if len(found) > 1 and self.why_together(method) is not None:
            return [range(n_members)]
        return found

    def why_together(self, method: Method) -> str | None:
        """Return why all members must be one group, None if they need not."""
        if self.device != "cpu":
            return f"one {self.device} device trains all members"
        if not method.independent:
            return f"members of {type(method).__name__} see each other"
        if self._draws:
            return "the network draws at random as it trains, as dropout does"
        return None

    @property
    def device(self) -> str:
        """Kind of device that the rows are on."""
        return self.problem.data.x.device.type

    @cached_property
    def _draws(self) -> bool:
        """Whether a pass through the network draws random numbers."""
        row = Batches(self.problem.data).take(torch.zeros(1, dtype=torch.long)).x
        # One thread: starting a second takes longer than the pass.
        with one_thread(), drawing(self.settings.seed), torch.enable_grad():
            before = torch.random.get_rng_state()
            self.start(row)
            return not torch.equal(before, torch.random.get_rng_state())

    def _identity(self, method: Method, members: range, start: Stack) -> str:
        """Return what identifies this training; callbacks do not matter."""
        seeds = tuple(self.settings.seeds[members.start : members.stop])
        plan = replace(self.settings, callbacks=(), seeds=seeds)
        loss = type(self.problem.loss).__name__
        told = start.architecture(), loss, repr(method), plan
        return identity_of([start.flat, *start.frozen()], (self._rows_identity, told))

    @cached_property
    def _rows_identity(self) -> str:
        """What identifies the rows; cached, because reading them all takes time."""
        both = (self.problem.data, self.problem.validation)
        parts = [part for rows in both for part in (rows.x, rows.y, rows.weight)]
        given = [part is not None for part in parts]
        return identity_of([part for part in parts if part is not None], given)
