"""How many threads PyTorch takes, and for how long."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from antireg.process import one_thread, stay_on_one_thread


@contextmanager
def one_thread_each(n_threads: int) -> Iterator[ThreadPoolExecutor]:
    """Give threads that do not share their operations out further.

    Threads that need nothing of each other lose nothing when another program holds
    one's core; those of one matrix product all wait for it.
    """
    with (
        one_thread(),  # a thread starts with the number that was set last
        ThreadPoolExecutor(n_threads, "predict", stay_on_one_thread) as pool,
    ):
        yield pool
