"""How many threads PyTorch takes, and for how long."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from antireg.process import one_thread, stay_on_one_thread

THREADS = Path("/proc/self/task")
"""Where Linux lists the threads of this process."""

LONGEST_END = 1.0
"""Seconds to wait for the end of threads at most."""


@contextmanager
def one_thread_each(n_threads: int) -> Iterator[ThreadPoolExecutor]:
    """Yield a pool of threads that each run their operations on one thread.

    When another program occupies a core, independent threads lose only that core; the
    threads of a single matrix product would all wait for it.
    """
    started: list[int] = []

    def start() -> None:
        started.append(threading.get_native_id())
        stay_on_one_thread()

    with (
        one_thread(),  # new threads inherit the number that was set last
        ThreadPoolExecutor(n_threads, "predict", start) as pool,
    ):
        try:
            yield pool
        finally:
            pool.shutdown()
            _wait_until_gone(started)


def _wait_until_gone(threads: list[int]) -> None:
    """Wait until the system, too, has ended threads that Python has joined.

    Until then they free memory under a lock of MKL. A process that is forked at that
    moment has a copy of the lock that nobody releases, and waits for it forever.
    """
    latest = time.monotonic() + LONGEST_END
    while threads and time.monotonic() < latest:
        threads = [thread for thread in threads if (THREADS / str(thread)).exists()]
        if threads:
            time.sleep(1e-5)
