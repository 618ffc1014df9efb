"""Runs the fits that are missing, in workers that share nothing but the rows.

Every worker looks for a fit that the rows lack, claims it with a lock that ends with
its process, trains it and adds its rows. So any number of workers, of one run or of
several, share the work, and a run that is killed loses only its unfinished fits. If a
worker dies, its run starts again with one fewer.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import torch
from filelock import FileLock, Timeout

from antireg.estimators.base import Ensemble
from antireg.methods.base import DivergedError
from antireg.paper.data.split import Split
from antireg.paper.experiments.plan import Cell, jobs
from antireg.paper.experiments.rows import Book, Value
from antireg.paper.experiments.study import Job
from antireg.parallel.processes import LostProcessError, in_processes
from antireg.version import __version__

IDLE_SECONDS = 0.5
ROWS = "rows"
CLAIMS = ".claims"
TRAININGS = ".trainings"

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
        look: Called with the rows after every fit.
    """
    look(Book(folder / ROWS))
    if n_jobs == 1:
        return work(cells, folder, look)
    troubles: dict[str, str] = {}
    died = 0
    for n_workers in range(n_jobs, 0, -1):
        try:
            _share(cells, folder, n_workers, troubles, look)
            break
        except LostProcessError:
            died += 1  # fewer workers have more memory each
    said = list(troubles.values())
    if died:
        said.append(
            f"{died} of {n_jobs} workers died; what they finished is kept. Run the "
            "same command again to do what is missing, with fewer --jobs if memory "
            "is short."
        )
    return said


def work(
    cells: Sequence[Cell],
    folder: Path,
    look: Callable[[Book], None] = lambda book: None,
) -> list[str]:
    """Do fits until none is left; return why some could not be done."""
    torch.set_num_threads(1)
    book = Book(folder / ROWS)
    troubles: dict[str, str] = {}
    while _step(cells, book, troubles):
        look(book)
    return list(troubles.values())


def do(job: Job, trainings: Path | None = None) -> tuple[list[Value], float]:
    """Train one ensemble; return its numbers and the processor time in seconds.

    Args:
        job: What to train.
        trainings: Where fits of one seed share what they train alike, if they do.
    """
    split = _loaded(job.recipe.load, job.seed)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the rows tell the same
        try:
            model = fitted(job, split, trainings)
            seconds = time.process_time() - started
            return list(job.recipe.measure(model, split)), seconds
        except DivergedError:
            return [Value("diverged", 1.0)], time.process_time() - started


def fitted(job: Job, split: Split, trainings: Path | None = None) -> Ensemble:
    """Return the ensemble of a job, trained on its rows.

    If the split has no validation rows, the ensemble holds out its own.

    Args:
        job: What to train.
        split: The rows.
        trainings: As in `do`.
    """
    recipe = job.recipe
    model = recipe.estimator(
        method=job.method, loss=job.loss, random_state=job.seed, **recipe.settings
    )
    validation = (split.validation.x, split.validation.y) if split.validation else None
    checkpoint = None
    if recipe.whole and trainings is not None:
        checkpoint = trainings / f"{recipe.name}-{job.loss}-{job.seed}"
        # These trainings are by the method of each fit.
        for path in (*checkpoint.glob("left-out-*"), checkpoint / "continued"):
            shutil.rmtree(path, ignore_errors=True)
    model.fit(
        *(split.train.x, split.train.y),
        validation_data=validation,
        checkpoint=checkpoint,
        groups=split.groups,
    )
    return model


def versions() -> str:
    """Return the versions that the numbers were made with."""
    return (
        f"antireg {__version__}, torch {torch.__version__}, "
        f"numpy {np.__version__}, python {platform.python_version()}"
    )


def _share(
    cells: Sequence[Cell],
    folder: Path,
    n_workers: int,
    troubles: dict[str, str],
    look: Callable[[Book], None],
) -> None:
    """Do fits in processes until none is left; add why some could not be done."""
    book = Book(folder / ROWS)
    is_left = True

    def known_troubles() -> Iterator[dict[str, str]]:
        while is_left:
            yield dict(troubles)

    one_step = partial(_step_in_worker, cells, folder)
    for more, found in in_processes(one_step, known_troubles(), n_workers):
        is_left = is_left and more
        troubles |= found
        look(book)


def _step_in_worker(
    cells: Sequence[Cell], folder: Path, troubles: dict[str, str]
) -> tuple[bool, dict[str, str]]:
    """Do one step in a worker; return whether more may be left, and all troubles."""
    try:
        return _step(cells, _book(folder / ROWS), troubles), troubles
    except (OSError, ValueError) as error:
        return False, {**troubles, ROWS: str(error)}  # cannot be read or written


def _step(cells: Sequence[Cell], book: Book, troubles: dict[str, str]) -> bool:
    """Do one fit, or wait while others do all that can be done now.

    Args:
        cells: What is wanted.
        book: The rows.
        troubles: Why recipes cannot be done, by their names; new ones are added.

    Returns:
        Whether anything was left to do.
    """
    left = [c for c in cells if c.recipe.name not in troubles]
    ready = list(jobs(left, book))
    if ready and not _do_one(ready, book, troubles):
        time.sleep(IDLE_SECONDS)
    return bool(ready)


def _do_one(ready: Iterable[Job], book: Book, troubles: dict[str, str]) -> bool:
    """Do the first fit that nobody else has claimed; return whether there was one."""
    for job in ready:
        with _claim(book.folder, job) as mine:
            if not mine or book.get(job.key) is not None:
                continue
            try:
                values, seconds = do(job, book.folder / TRAININGS)
            except (OSError, ValueError) as error:
                troubles[job.recipe.name] = f"{job.recipe.name}: {error}"
                return True
            book.add(job.key, values, seconds, versions())
            return True
    return False


@contextmanager
def _claim(rows: Path, job: Job) -> Iterator[bool]:
    """Claim a fit; yield whether nobody else has it."""
    claims = rows / CLAIMS
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


@lru_cache(maxsize=1)
def _loaded(load: Load, seed: int) -> Split:
    return load(seed)


@lru_cache(maxsize=1)
def _book(rows: Path) -> Book:
    """Return the same book for all steps of a worker: it remembers what it read."""
    return Book(rows)
