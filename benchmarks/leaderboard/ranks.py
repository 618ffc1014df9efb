"""Mean ranks over tasks, and how far apart they must be to mean anything.

Methods are ranked on each task and seed, and a fit that failed is last. Ranks of a task
are averaged over its seeds, so that a task counts once however many seeds it has. The
critical difference is that of Nemenyi's test after Friedman's; ranks that are averaged
over seeds vary less than those it assumes, so it is on the safe side.

References:
    Demšar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 2006.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from benchmarks.leaderboard.book import FAILED, Row
from benchmarks.leaderboard.measures import MEASURES
from benchmarks.leaderboard.task import Array
from scipy.stats import chi2, rankdata, studentized_range

Fit = tuple[str, str, int]
"""Task, method and seed."""


class Table:
    """The rows by what they are of.

    Args:
        rows: Of any tasks and methods.
    """

    def __init__(self, rows: list[Row]) -> None:
        """Sort the rows."""
        self.values: dict[tuple[str, str, int, str], float] = {}
        self.failures: dict[Fit, str] = {}
        self._measured: dict[tuple[str, str], set[str]] = {}
        for row in rows:
            fit = row.task, row.method, row.seed
            if row.measure == FAILED:
                self.failures[fit] = row.note
            else:
                self.values[(*fit, row.measure)] = row.value
                self._measured.setdefault(fit[:2], set()).add(row.measure)
        self.fits: set[Fit] = {key[:3] for key in self.values} | set(self.failures)

    def measures(self, method: str, tasks: list[str]) -> set[str]:
        """Return what was measured of a method on at least one of these tasks."""
        return set().union(*(self._measured.get((t, method), ()) for t in tasks))

    def mean(self, task: str, method: str, measure: str, n_seeds: int) -> float:
        """Return the mean over seeds, or NaN if a seed has no value."""
        keys = ((task, method, seed, measure) for seed in range(n_seeds))
        return float(np.mean([self.values.get(key, np.nan) for key in keys]))

    def complete(self, method: str, tasks: list[str], n_seeds: int) -> bool:
        """Return whether a method was tried on these tasks with so many seeds."""
        return all(
            (task, method, seed) in self.fits
            for task in tasks
            for seed in range(n_seeds)
        )


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of methods in one measure.

    Attributes:
        means: By method, the best first.
        n_tasks: Over which they are.
        critical: By how much two must differ, at 5 %.
        p_value: Of Friedman's test that all methods are alike.
    """

    means: dict[str, float]
    n_tasks: int
    critical: float
    p_value: float


def ranked(
    table: Table, measure: str, methods: list[str], tasks: list[str], n_seeds: int
) -> Ranks | None:
    """Return the ranks of the methods that have the measure; None of fewer than two."""
    those = [name for name in methods if measure in table.measures(name, tasks)]
    if len(those) < 2 or not tasks:
        return None
    losses = np.array(
        [
            [
                [_loss(table, t, m, seed, measure) for m in those]
                for seed in range(n_seeds)
            ]
            for t in tasks
        ]
    )  # (tasks, seeds, methods)
    of_tasks = rankdata(losses, axis=2).mean(axis=1)
    means = of_tasks.mean(axis=0)
    order = np.argsort(means, kind="stable")
    return Ranks(
        {those[k]: float(means[k]) for k in order},
        len(tasks),
        critical_difference(len(those), len(tasks)),
        friedman(of_tasks),
    )


@cache
def critical_difference(n_methods: int, n_tasks: int, level: float = 0.05) -> float:
    """Return  q √(k(k + 1) / 6N)  of k methods on N tasks."""
    q = studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_tasks)))


def friedman(ranks: Array) -> float:
    """Return the p-value of Friedman's test, of ranks (tasks, methods)."""
    n_tasks, k = ranks.shape
    away = np.square(ranks.mean(axis=0) - (k + 1) / 2).sum()
    return float(chi2.sf(12 * n_tasks / (k * (k + 1)) * away, k - 1))


def _loss(table: Table, task: str, method: str, seed: int, measure: str) -> float:
    value = table.values.get((task, method, seed, measure), np.nan)
    return np.inf if np.isnan(value) else MEASURES[measure].loss(value)
