"""Run what is missing of the leaderboard: `python -m benchmarks.leaderboard`.

All tasks and methods of one seed come before the next seed, and cheap methods before
others, so that a run that is stopped is balanced. It resumes where it was.
"""

from __future__ import annotations

import argparse
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path

from benchmarks.leaderboard.book import RESULTS, Book
from benchmarks.leaderboard.csv_task import csv_task
from benchmarks.leaderboard.ranks import Table
from benchmarks.leaderboard.registry import chosen, methods, tasks
from benchmarks.leaderboard.running import LIMIT, SEEDS, Started, finish, start
from benchmarks.leaderboard.sections import summary
from benchmarks.leaderboard.task import Judged, Task, judged


def main(arguments: list[str] | None = None) -> None:
    """Read the command line and run."""
    asked = _parser().parse_args(arguments)
    everything = tasks()
    if asked.csv:
        name, task = csv_task(asked.csv, asked.target, asked.shift, asked.known)
        everything, asked.tasks = {name: task}, [name]
    elif asked.target or asked.shift:
        raise SystemExit("--target and --shift go with --csv FILE, which is missing.")
    try:
        names = chosen(everything, asked.tasks, "--tasks")
        who = chosen(methods(), asked.methods, "--methods")
    except ValueError as error:
        raise SystemExit(str(error)) from error
    home = Path(f"{names[0]}-leaderboard") if asked.csv else RESULTS
    book = Book(asked.out or home)
    for seed in range(asked.seeds):
        some = {name: everything[name] for name in names}
        run(book, some, who, seed, asked.processes, asked.limit, asked.retry_failed)
    if asked.csv:
        print(summary(Table(book.rows(names[0])), names[0], asked.seeds))


def run(
    book: Book,
    some: dict[str, Task],
    who: list[str],
    seed: int,
    n_processes: int = 1,
    limit: int = LIMIT,
    retry_failed: bool = False,
) -> None:
    """Run all methods on all tasks for one seed, unless their rows are there."""
    under_way: list[Started] = []
    loaded: dict[str, Judged | None] = {}
    done = {name: book.done(name, failed=not retry_failed) for name in some}
    for key in who:
        method = methods()[key]
        if method.missing():
            print(f"{method.title}: missing, {method.needs} must be installed")
            continue
        for name, task in some.items():
            fits = method.classes if task.classes else method.numbers
            if not fits or (key, seed) in done[name]:
                continue
            if name not in loaded:
                loaded[name] = _loaded(name, task, seed)
            ready = loaded[name]
            if ready is None:
                continue
            while len(under_way) >= n_processes:
                _one_less(under_way)
            end = partial(_keep, book, name, key, seed)
            under_way.append(start(method, ready, seed, end, limit))
    while under_way:
        _one_less(under_way)


def _loaded(name: str, task: Task, seed: int) -> Judged | None:
    try:
        return judged(task, seed)
    except FileNotFoundError as error:
        print(f"{name}: missing, {error}")
        return None


def _one_less(under_way: list[Started]) -> None:
    """Wait until one of the fits is over."""
    over = wait([started.result for started in under_way])[0]
    (one,) = (started for started in under_way if started.result is over)
    under_way.remove(one)
    finish(one)


def _keep(
    book: Book,
    task: str,
    method: str,
    seed: int,
    outcome: list[tuple[str, float]] | str,
) -> None:
    if isinstance(outcome, str):
        print(f"{task}, {method}, seed {seed}: {outcome.strip()}", flush=True)
        book.add_failure(task, method, seed, outcome)
    else:
        values = dict(outcome)
        spent = values["fit_seconds"] + values["predict_seconds"]
        print(f"{task}, {method}, seed {seed}: {spent:.1f} s", flush=True)
        book.add(task, method, seed, outcome)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.leaderboard", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--tasks", nargs="+", help="names; all by default")
    parser.add_argument("--methods", nargs="+", help="names; all by default")
    parser.add_argument(
        "--seeds", type=int, default=SEEDS, help=f"how many; {SEEDS} by default"
    )
    parser.add_argument("--processes", type=int, default=1, help="fits at a time")
    parser.add_argument(
        "--limit", type=int, default=LIMIT, help="processor seconds of a fit"
    )
    parser.add_argument(
        "--retry-failed", action="store_true", help="run fits that failed again"
    )
    parser.add_argument("--out", type=Path, help="folder of the rows")
    own = parser.add_argument_group("a table of your own")
    own.add_argument("--csv", type=Path, help="its file")
    own.add_argument("--target", help="the column to predict")
    own.add_argument("--shift", help="the column that names the shift")
    own.add_argument(
        "--known",
        help="its value where rows are known; by default its most frequent one",
    )
    return parser


if __name__ == "__main__":
    main()
