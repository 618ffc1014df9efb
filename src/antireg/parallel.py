"""Members split into groups that the workers of joblib train: processes or a cluster.

A member comes out the same to the bit in any group: its start, the order of its rows
and its rounding depend on itself alone.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import joblib
import numpy as np
import torch
from joblib.parallel import get_active_backend

from antireg.data.base import Data
from antireg.history import History
from antireg.losses import Loss
from antireg.methods.base import Fit, Method
from antireg.networks import Stack
from antireg.shipping import Parcel, sent, unpacked
from antireg.state import HISTORY
from antireg.trainer import Callback, Settings, ensemble_loss, train

ENGINES = ("joblib", "concurrent", "distributed", "ray")
"""Packages whose own errors mean that a worker is gone, not that training failed."""


class Workers:
    """Trains methods one after the other, the members of each split over workers.

    Args:
        start: The members before training.
        data: Rows to train on.
        validation: Rows that choose.
        loss: What to fit.
        settings: How long and how fast, for all members.
        n_jobs: How many workers, as joblib counts them.
    """

    def __init__(
        self,
        start: Stack,
        data: Data,
        validation: Data,
        loss: Loss,
        settings: Settings,
        n_jobs: int | None,
    ) -> None:
        """Ask joblib how many workers there are."""
        self.start, self.loss, self.settings = start, loss, settings
        self.data, self.validation = data, validation
        self.n_jobs = n_jobs
        backend, _ = get_active_backend()
        # Threads would share PyTorch's number of threads and its random numbers. They
        # are also what joblib gives to a fit that is itself in one of many workers.
        threads = getattr(backend, "supports_sharedmem", False)
        asked = 1 if threads else joblib.effective_n_jobs(n_jobs)
        self.n_groups = min(asked, start.n_members)
        self.running = ExitStack()
        self.ready: tuple[joblib.Parallel, Any] | None = None

    def __enter__(self) -> Self:
        """Wait for a training that can be split."""
        return self

    def __exit__(self, *error: Any) -> None:
        """Let the workers and their copies of the rows go."""
        self.running.__exit__(*error)

    def train(
        self, method: Method, watch: Callback | None = None, file: Path | None = None
    ) -> Fit:
        """Return the fit of all members.

        Args:
            method: What to train.
            watch: Called with every epoch of all members, or of the first group.
            file: Where to write the training to as it goes, if anywhere.
        """
        watching = [] if watch is None else [watch]
        reason = None if self.n_groups == 1 else self._why_together(method)
        if reason is not None:
            warnings.warn(
                f"n_jobs has no effect: {reason}. The members train as one group in "
                "this process.",
                stacklevel=2,
            )
            self.n_groups = 1
        if self.n_groups == 1:
            callbacks = [*watching, *self.settings.callbacks]
            settings = replace(self.settings, callbacks=callbacks)
            rows = self.data, self.validation
            return train(self.start, *rows, self.loss, method, settings, file)
        fits = self._trained_apart(method, watching, file)
        weights = torch.cat([fit.weights for fit in fits])
        network = self.start.with_weights(weights)
        pooled = ensemble_loss(network, self.validation, self.loss)
        return Fit(method, weights, joined([fit.history for fit in fits]), pooled)

    def _trained_apart(
        self, method: Method, watching: Sequence[Callback], file: Path | None
    ) -> list[Fit]:
        """Return the fit of each group, in order, each trained by a worker."""
        if self.ready is None:
            self.ready = self._send()
        parallel, parcel = self.ready
        groups = split(self.start.n_members, self.n_groups)
        calls = []
        for number, members in enumerate(groups):
            part = slice(members.start, members.stop)
            settings = replace(
                self.settings,
                seeds=self.settings.seeds[part],
                callbacks=() if number else watching,
                first=members.start,
            )
            start = self.start.with_weights(self.start.flat[part])
            own = _own_file(file, members)
            calls.append(
                joblib.delayed(_train_group)(
                    number, start, parcel, self.loss, method, settings, own
                )
            )
        fits: dict[int, Fit] = {}
        try:
            fits.update(parallel(calls))
        except Exception as error:
            if type(error).__module__.split(".")[0] not in ENGINES:
                raise
            lost = [m for n, group in enumerate(groups) if n not in fits for m in group]
            raise RuntimeError(
                f"Members {', '.join(map(str, lost))} were lost: a worker died while "
                f"they trained ({type(error).__name__}). Most often it ran out of "
                "memory: use fewer n_jobs or larger machines. With checkpoint= the "
                "same call goes on from the last epochs written."
            ) from error
        return [fits[number] for number in range(len(groups))]

    def _send(self) -> tuple[joblib.Parallel, Any]:
        """Start workers, and send them the rows once for all trainings to come."""
        parcel = Parcel(self.data, self.validation)
        sent_parcel = self.running.enter_context(sent(parcel))
        backend, _ = get_active_backend()
        unordered = getattr(backend, "supports_return_generator", False)
        parallel = joblib.Parallel(
            self.n_jobs,
            return_as="generator_unordered" if unordered else "list",
            batch_size=1,
            mmap_mode="c",
        )
        return self.running.enter_context(parallel), sent_parcel

    def _why_together(self, method: Method) -> str | None:
        """Return what keeps members from being trained apart, if anything does."""
        device = self.data.x.device.type
        if not method.independent:
            return f"members of {type(method).__name__} see each other"
        if self.settings.callbacks:
            return "callbacks are told of all members at once"
        if device != "cpu":
            return f"one {device} device trains all members"
        if _draws(self.start, self.data):
            return "the network draws at random as it trains, as dropout does"
        return None


def split(n_members: int, n_groups: int) -> list[range]:
    """Return the members of each group, in order and of nearly the same number."""
    ends = [n_members * group // n_groups for group in range(n_groups + 1)]
    return [range(*pair) for pair in pairwise(ends)]


def joined(histories: Sequence[History]) -> History:
    """Return the history of all members from those of groups trained side by side."""
    loss, validation_loss, control, weight = (
        np.concatenate([getattr(h, name) for h in histories], axis=1)
        for name in HISTORY
    )
    kept = np.concatenate([history.kept for history in histories])
    seconds = max(history.seconds for history in histories)
    return History(loss, validation_loss, control, weight, kept, seconds)


_alone = threading.Lock()
"""Workers of Dask may be threads of one process, and training sets what they share."""


def _train_group(
    number: int,
    start: Stack,
    parcel: Any,
    loss: Loss,
    method: Method,
    settings: Settings,
    file: Path | None,
) -> tuple[int, Fit]:
    """Train a group in a worker; return its number and its fit."""
    data, validation = unpacked(parcel)
    with _alone:
        return number, train(start, data, validation, loss, method, settings, file)


def _own_file(file: Path | None, members: range) -> Path | None:
    """Return the file of a group beside that of all members."""
    if file is None:
        return None
    name = f"{file.stem}-members-{members[0]}-{members[-1]}{file.suffix}"
    return file.with_name(name)


def _draws(network: Stack, data: Data) -> bool:
    """Return whether a pass through the network takes random numbers."""
    row = data.gather(torch.zeros(1, dtype=torch.long)).x
    with torch.random.fork_rng(devices=[]), torch.enable_grad():
        before = torch.random.get_rng_state()
        network(row)
        return not torch.equal(before, torch.random.get_rng_state())
