"""How things stand: which methods have all their rows, and how they rank."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.methods.ours import DEFAULT
from benchmarks.leaderboard.ranks import Ranks, Table, ranked
from benchmarks.leaderboard.task import Task

FEWEST = 14
"""Methods that must have a seed on all tasks for it to count."""


@dataclass(frozen=True)
class Standing:
    """What can be compared, of numbers or of classes.

    Attributes:
        table: All rows.
        methods: Those that were tried on every task with every seed, by name.
        tasks: Those that the default was tried on, by name.
        n_seeds: Seeds that are counted.
        waiting: Tasks that the default was not tried on yet, by name.
    """

    table: Table
    methods: dict[str, Method]
    tasks: dict[str, Task]
    n_seeds: int
    waiting: tuple[str, ...] = ()

    def ranks(self, measure: str, judged: bool = False) -> Ranks | None:
        """Return the ranks in a measure, on request without development tasks."""
        some = [
            name
            for name, task in self.tasks.items()
            if not (judged and task.development)
        ]
        return ranked(self.table, measure, list(self.methods), some, self.n_seeds)

    def mean(self, task: str, method: str, measure: str) -> float:
        """Return the mean over the seeds; NaN if one has no value."""
        return self.table.mean(task, method, measure, self.n_seeds)


def standing(
    table: Table, methods: dict[str, Method], tasks: dict[str, Task], classes: bool
) -> Standing:
    """Return how things stand on the tasks of numbers, or on those of classes.

    As many seeds count as `FEWEST` methods have on all tasks, or one.
    """
    wanted = {name: task for name, task in tasks.items() if task.classes == classes}
    those = {n: task for n, task in wanted.items() if (n, DEFAULT, 0) in table.fits}
    n_seeds = 1
    while len(_complete(table, methods, those, n_seeds + 1)) >= FEWEST:
        n_seeds += 1
    complete = _complete(table, methods, those, n_seeds)
    waiting = tuple(name for name in wanted if name not in those)
    return Standing(table, complete, those, n_seeds, waiting)


def _complete(
    table: Table, methods: dict[str, Method], tasks: dict[str, Task], n_seeds: int
) -> dict[str, Method]:
    return {
        name: method
        for name, method in methods.items()
        if tasks and table.complete(name, list(tasks), n_seeds)
    }
