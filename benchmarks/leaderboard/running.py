"""One fit in a process of its own, which is stopped when it takes too long."""

from __future__ import annotations

import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from benchmarks.leaderboard.measures import measured
from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.task import Judged

LIMIT = 60
"""Seconds of processor time that a fit and its answers may take."""


SEEDS = 5
"""Seeds of a full run."""


class Started(NamedTuple):
    """A fit under way: its process, where its result comes from, and what ends it."""

    process: Any
    result: Connection
    end: Callable[[list[tuple[str, float]] | str], None]


def start(
    method: Method,
    task: Judged,
    seed: int,
    end: Callable[[list[tuple[str, float]] | str], None],
    limit: int = LIMIT,
) -> Started:
    """Start a fit.

    Args:
        method: To fit.
        task: To fit it on.
        seed: Of the method.
        end: Called by `finish` with the measures, or with why there are none.
        limit: Seconds of processor time.
    """
    # A fork shares the rows and what is imported, which takes longer than most fits.
    context = get_context("fork")
    result, own = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(own, method, task, seed, limit))
    with warnings.catch_warnings():
        # Python 3.12 warns of threads that a fork leaves behind; ours are all idle.
        warnings.simplefilter("ignore", DeprecationWarning)
        process.start()
    own.close()
    return Started(process, result, end)


def finish(started: Started) -> None:
    """Wait for a fit and hand over what came of it."""
    outcome: list[tuple[str, float]] | str = "over the limit"
    with suppress(EOFError):
        outcome = started.result.recv()
    started.process.join()
    # A fit that memory was too short for is killed by another signal.
    stopped = started.process.exitcode == -signal.SIGXCPU
    if isinstance(outcome, str) and outcome == "over the limit" and not stopped:
        outcome = f"ended with code {started.process.exitcode}"
    started.end(outcome)


def fitted(method: Method, task: Judged, seed: int) -> list[tuple[str, float]]:
    """Return the measures of one fit, its processor times last."""
    began = time.process_time()
    say = method.fit(task.known, seed)
    middle = time.process_time()
    answers = [(rows, say(rows.x)) for rows in (task.familiar, task.shifted)]
    ended = time.process_time()
    values = list(measured(*answers))
    values += [("fit_seconds", middle - began), ("predict_seconds", ended - middle)]
    return values


def _run(
    result: Connection, method: Method, task: Judged, seed: int, limit: int
) -> None:
    """Send the measures, or one line that says why there are none."""
    import resource  # noqa: PLC0415  (which Windows does not have)

    import torch  # noqa: PLC0415  (what only reads rows does without)

    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 60))
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    warnings.simplefilter("ignore")
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    try:
        result.send(fitted(method, task, seed))
    except Exception as error:
        said = traceback.format_exception_only(error)[-1]
        result.send(said[:200])
