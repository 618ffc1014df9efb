"""Doing what is left: workers that need nothing of each other but the rows.

Every worker looks at the rows for a fit that is missing, claims it with a lock that
dies with its process, does it and adds its rows. So any number of workers, of one run
or of several, share the work; one that is killed loses its unfinished fit only.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from filelock import FileLock, Timeout

from antireg.methods.base import DivergedError
from antireg.paper.data.split import Split
from antireg.paper.experiments.plan import Cell, jobs
from antireg.paper.experiments.rows import Book, Value
from antireg.paper.experiments.study import Job
from antireg.version import __version__

IDLE_SECONDS = 0.5
ROWS = "rows"
CLAIMS = ".claims"

Load = Callable[[int], Split]


def run_all(
    cells: Sequence[Cell],
    folder: Path,
    n_jobs: int = 1,
    look: Callable[[Book], None] = lambda book: None,
) -> list[str]:
    """Do every fit the cells still need; return why some could not be done.

    Args:
        cells: What is wanted.
        folder: Where the rows are.
        n_jobs: Fits to do side by side, one thread each.
        look: Called with the rows every now and then.
    """
    book = Book(folder / ROWS)
    look(book)
    if n_jobs == 1:
        return work(cells, folder, look)
    context = multiprocessing.get_context("spawn")
    troubles = context.SimpleQueue()
    with _one_thread():
        workers = [
            context.Process(target=_report, args=(cells, folder, troubles), daemon=True)
            for _ in range(n_jobs)
        ]
        for worker in workers:
            worker.start()
    said: list[str] = []
    try:
        while any(worker.is_alive() for worker in workers) or not troubles.empty():
            while not troubles.empty():
                said += troubles.get()
            look(book)
            time.sleep(IDLE_SECONDS)
    finally:
        for worker in workers:
            worker.terminate()
    look(book)
    died = [worker.exitcode for worker in workers if worker.exitcode]
    if died:
        said.append(
            f"{len(died)} of {n_jobs} workers died (exit code {died[0]}); what they "
            "finished is kept. Run the same command again to go on."
        )
    return list(dict.fromkeys(said))


def work(
    cells: Sequence[Cell],
    folder: Path,
    look: Callable[[Book], None] = lambda book: None,
) -> list[str]:
    """Do fits until none is left that can be done; return why some could not."""
    torch.set_num_threads(1)
    book = Book(folder / ROWS)
    troubles: dict[str, str] = {}
    while True:
        left = [c for c in cells if c.recipe.name not in troubles]
        ready = list(jobs(left, book))
        if not ready:
            return list(troubles.values())
        if not _do_one(ready, book, folder, troubles):
            time.sleep(IDLE_SECONDS)  # others hold all that can be done now
        look(book)


def do(job: Job) -> tuple[list[Value], float]:
    """Train one ensemble; return its numbers and the processor's seconds it took."""
    recipe = job.recipe
    split = _loaded(recipe.load, job.seed)
    model = recipe.estimator(
        method=job.method, loss=job.loss, random_state=job.seed, **recipe.settings
    )
    started = time.process_time()
    held_out = (split.validation.x, split.validation.y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is in the rows
        try:
            model.fit(split.train.x, split.train.y, validation_data=held_out)
            seconds = time.process_time() - started
            return list(recipe.measure(model, split)), seconds
        except DivergedError:
            return [Value("diverged", 1.0)], time.process_time() - started


def versions() -> str:
    """Return what the numbers were made with."""
    return (
        f"antireg {__version__}, torch {torch.__version__}, "
        f"numpy {np.__version__}, python {platform.python_version()}"
    )


def _do_one(
    ready: Iterable[Job], book: Book, folder: Path, troubles: dict[str, str]
) -> bool:
    """Do the first fit that nobody else is at; return whether there was one."""
    for job in ready:
        with _claim(folder, job) as mine:
            if not mine or book.get(job.key) is not None:
                continue
            try:
                values, seconds = do(job)
            except (OSError, ValueError) as error:
                troubles[job.recipe.name] = f"{job.recipe.name}: {error}"
                return True
            book.add(job.key, values, seconds, versions())
            return True
    return False


@contextmanager
def _claim(folder: Path, job: Job) -> Iterator[bool]:
    """Give whether the fit is ours alone to do."""
    claims = folder / ROWS / CLAIMS
    claims.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(repr(job.key).encode()).hexdigest()[:16]
    lock = FileLock(claims / name)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _report(cells: Sequence[Cell], folder: Path, troubles: Any) -> None:
    try:
        troubles.put(work(cells, folder))
    except KeyboardInterrupt:
        pass  # whoever started us says so
    except (OSError, ValueError) as error:  # the rows cannot be read or written
        troubles.put([str(error)])


@lru_cache(maxsize=1)
def _loaded(load: Load, seed: int) -> Split:
    return load(seed)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes started here have one thread each, of whatever library."""
    name = "OMP_NUM_THREADS"
    before = os.environ.get(name)
    os.environ[name] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
