"""joblib's workers, processes or a cluster, with the rows they train on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, NamedTuple, Self

import joblib
from joblib.parallel import get_active_backend

from antireg.methods.base import Fit, Method
from antireg.networks.turns import Turns
from antireg.parallel.processes import end_with
from antireg.parallel.shipping import Parcel, sent, unpacked
from antireg.training.groups import Group
from antireg.training.loop import Trainer
from antireg.training.plan import Plan
from antireg.training.problem import Problem, Settings

ENGINES = ("joblib", "concurrent", "distributed", "ray")
"""Errors from these packages mean that a worker died, not that training failed."""


class LostWorkerError(RuntimeError, ChildProcessError):
    """A worker that died while members trained."""


class Work(NamedTuple):
    """What one worker does at a time.

    Attributes:
        method: What is trained.
        group: The members to train.
        settings: How to train them.
        may_fail: Whether the other work continues if this fails.
    """

    method: Method
    group: Group
    settings: Settings
    may_fail: bool


Done = Fit | Exception
"""A trained group, or the error that ended it."""


def workers_for(n_jobs: int | None) -> tuple[int | None, int]:
    """Return the `n_jobs` for joblib, and how many workers that makes.

    Args:
        n_jobs: What the user asks for, as joblib counts.
    """
    backend, wished = get_active_backend()
    if type(backend).__module__.startswith("ray."):
        _start_ray()
        # Unlike Dask, Ray takes None for one worker.
        n_jobs = -1 if n_jobs is None and wished is None else n_jobs
    # Threads would share PyTorch's number of threads and its random numbers. joblib
    # also offers them to a fit that runs inside one of many workers.
    threads = getattr(backend, "supports_sharedmem", False)
    return n_jobs, 1 if threads else joblib.effective_n_jobs(n_jobs)


class Pool:
    """Workers that get the rows once, for all the work to come.

    Args:
        problem: What all work has in common.
        n_jobs: How many workers, from `workers_for`.
    """

    def __init__(self, problem: Problem, n_jobs: int | None) -> None:
        """Wait for work."""
        self.problem, self.n_jobs = problem, n_jobs
        backend, _ = get_active_backend()
        # Only with these does one failure end all work.
        self.is_local = type(backend).__name__ == "LokyBackend"
        self.running = ExitStack()
        self.ready: tuple[joblib.Parallel, Any] | None = None

    def __enter__(self) -> Self:
        """Start no worker before there is work."""
        return self

    def __exit__(self, *error: Any) -> None:
        """Release the workers and their copies of the rows."""
        self.running.__exit__(*error)

    def run(self, work: Mapping[Any, Work]) -> dict[Any, Done]:
        """Return the result of each piece of work, by its key."""
        if self.ready is None:
            self.ready = self._send()
        parallel, parcel = self.ready
        parent = os.getpid() if self.is_local else None
        calls = [
            joblib.delayed(_done)(key, parcel, one, parent) for key, one in work.items()
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
                "same call resumes from the last epochs written."
            ) from error
        return done

    def _send(self) -> tuple[joblib.Parallel, Any]:
        """Start workers, and send them the rows."""
        parcel = self.running.enter_context(sent(Parcel(self.problem)))
        backend, _ = get_active_backend()
        unordered = getattr(backend, "supports_return_generator", False)
        parallel = joblib.Parallel(
            self.n_jobs,
            return_as="generator_unordered" if unordered else "list",
            batch_size=1,
        )
        return self.running.enter_context(parallel), parcel


_alone = Turns()
"""Dask's workers may be threads of one process, and training changes its state."""


def _done(key: Any, parcel: Any, work: Work, parent: int | None) -> tuple[Any, Done]:
    """Do some work, in a worker; return its key and its result."""
    if parent is not None:
        end_with(parent)
    group = work.group
    train = Trainer(Plan(group.network, unpacked(parcel), work.settings))
    try:
        with _alone:
            return key, train(work.method, groups=[group])
    except Exception as error:
        if not work.may_fail:
            raise
        return key, error


def _start_ray() -> None:
    """Start Ray, or join the cluster of RAY_ADDRESS, unless that has been done."""
    import ray  # only its own backend leads here  # noqa: PLC0415

    if not ray.is_initialized():
        ray.init()
