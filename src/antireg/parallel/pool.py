"""joblib's workers, processes or a cluster, with the rows they train on."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, NamedTuple, Self

import joblib
from joblib.parallel import get_active_backend

from antireg.losses import Loss
from antireg.methods.base import Method
from antireg.parallel.processes import end_with
from antireg.parallel.shipping import Parcel, sent, unpacked
from antireg.rows.data import Data
from antireg.training.groups import Group
from antireg.training.loop import Settings, Trained, train

ENGINES = ("joblib", "concurrent", "distributed", "ray")
"""Packages whose own errors mean that a worker is gone, not that training failed."""


class LostWorkerError(RuntimeError, ChildProcessError):
    """A worker that died while members trained."""


class Work(NamedTuple):
    """What one worker does in one go.

    Attributes:
        method: What it trains.
        group: Which members.
        settings: How.
        may_fail: Whether others go on if it does.
    """

    method: Method
    group: Group
    settings: Settings
    may_fail: bool


Done = Trained | Exception
"""A group that is done, or why it is not."""


class Pool:
    """Workers that are sent the rows once, for all work to come.

    Args:
        data: Rows to train on.
        validation: Rows that choose.
        loss: What to fit.
        n_jobs: How many workers, as joblib counts them.
    """

    def __init__(
        self, data: Data, validation: Data, loss: Loss, n_jobs: int | None
    ) -> None:
        """Look which engine is to be used."""
        backend, wished = get_active_backend()
        if type(backend).__module__.startswith("ray."):
            _start_ray()
            # Unlike Dask, it takes no wish for a wish for one worker.
            n_jobs = -1 if n_jobs is None and wished is None else n_jobs
        self.rows, self.loss, self.n_jobs = (data, validation), loss, n_jobs
        # Threads would share PyTorch's number of threads and its random numbers. They
        # are also what joblib gives to a fit that is itself in one of many workers.
        threads = getattr(backend, "supports_sharedmem", False)
        self.size = 1 if threads else joblib.effective_n_jobs(n_jobs)
        # Only these end all work when one of them fails, and with it all waiting.
        self.is_local = type(backend).__name__ == "LokyBackend"
        self.running = ExitStack()
        self.ready: tuple[joblib.Parallel, Any] | None = None

    def __enter__(self) -> Self:
        """Wait for work."""
        return self

    def __exit__(self, *error: Any) -> None:
        """Let the workers and their copies of the rows go."""
        self.running.__exit__(*error)

    def run(self, work: Mapping[Any, Work]) -> dict[Any, Done]:
        """Return what came of all work, by its key."""
        if self.ready is None:
            self.ready = self._send()
        parallel, parcel = self.ready
        parent = os.getpid() if self.is_local else None
        calls = [
            joblib.delayed(_done)(key, parcel, self.loss, one, parent)
            for key, one in work.items()
        ]
        done: dict[Any, Done] = {}
        try:
            done.update(parallel(calls))
        except Exception as error:
            if type(error).__module__.split(".")[0] not in ENGINES:
                raise
            open_work = [one for key, one in work.items() if key not in done]
            lost = sorted({member for one in open_work for member in one.group.members})
            raise LostWorkerError(
                f"Members {', '.join(map(str, lost))} were lost: a worker died while "
                f"they trained ({type(error).__name__}). Most often it ran out of "
                "memory: use fewer n_jobs or larger machines. With checkpoint= the "
                "same call goes on from the last epochs written."
            ) from error
        return done

    def _send(self) -> tuple[joblib.Parallel, Any]:
        """Start workers, and send them the rows."""
        parcel = self.running.enter_context(sent(Parcel(*self.rows)))
        backend, _ = get_active_backend()
        unordered = getattr(backend, "supports_return_generator", False)
        parallel = joblib.Parallel(
            self.n_jobs,
            return_as="generator_unordered" if unordered else "list",
            batch_size=1,
        )
        return self.running.enter_context(parallel), parcel


_alone = threading.Lock()
"""Workers of Dask may be threads of one process, and training sets what they share."""


def _done(
    key: Any, parcel: Any, loss: Loss, work: Work, parent: int | None
) -> tuple[Any, Done]:
    """Do some work, in a worker; return its key and what came of it."""
    if parent is not None:
        end_with(parent)
    data, validation = unpacked(parcel)
    rows = data, validation, loss
    try:
        with _alone:
            (trained,) = train([work.group], *rows, work.method, work.settings)
    except Exception as error:
        if not work.may_fail:
            raise
        return key, error
    return key, trained


def _start_ray() -> None:
    """Start Ray, or join the cluster that RAY_ADDRESS names, if nobody has."""
    import ray  # only its own backend leads here  # noqa: PLC0415

    if not ray.is_initialized():
        ray.init()
