"""Processes of this machine, one thread each: the one way to start them."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TypeVar

import joblib

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 1.0
"""Seconds between two checks that the parent is still alive."""


class LostProcessError(RuntimeError, ChildProcessError):
    """A process that died before it was done."""


def in_processes(
    function: Callable[[Item], Result], items: Iterable[Item], n_jobs: int
) -> Iterator[Result]:
    """Call a function for every item, side by side; yield results as they come.

    An item is taken only when a process is free for it, so that `items` may depend on
    the results so far. An error of the function is raised here, and ends the rest.

    Args:
        function: Whatever cloudpickle can send.
        items: What to call it with.
        n_jobs: How many processes.
    """
    parent = os.getpid()
    calls = (joblib.delayed(_call)(parent, function, item) for item in items)
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(
            n_jobs,
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch=n_jobs,
        )
        results = parallel(calls)
    try:
        yield from results
    except Exception as error:
        # An error of joblib's, from a module that is private.
        if type(error).__name__ != "TerminatedWorkerError":
            raise
        raise LostProcessError(
            f"One of {n_jobs} processes died, and the others were ended. Most often "
            "there was not enough memory: use fewer of them."
        ) from error


def end_with(parent: int) -> None:
    """End this process when the one that started it ends, unless it is that one.

    Otherwise it would finish its work, and then wait for someone to take the result.
    """
    if os.getpid() != parent:  # with one worker, joblib calls it in this process
        _watch(parent)


@cache
def _watch(parent: int) -> None:
    """Start a thread that ends this process when the parent has ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PATIENCE)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _call(parent: int, function: Callable[[Item], Result], item: Item) -> Result:
    end_with(parent)
    return function(item)
