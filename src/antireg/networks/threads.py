"""How many threads PyTorch takes, and for how long."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from antireg.process import one_thread, stay_on_one_thread


@contextmanager
def one_thread_each(n_threads: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of threads that each run their operations on one thread.

    When another program occupies a core, independent threads lose only that core; the
    threads of a single matrix product would all wait for it.
    """
    with (
        one_thread(),  # new threads inherit the number that was set last
        ThreadPoolExecutor(n_threads, "predict", stay_on_one_thread) as pool,
    ):
        yield pool
