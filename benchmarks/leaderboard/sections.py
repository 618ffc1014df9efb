"""The parts of the page that are computed: what is lost, ranks, duels and values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from benchmarks.leaderboard.measures import MEASURES
from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.methods.ours import DEFAULT
from benchmarks.leaderboard.ranks import Ranks, Table
from benchmarks.leaderboard.registry import methods
from benchmarks.leaderboard.standing import Standing

DUELS = ("nll_out", "interval_score_out", "auroc", "nll_in", "crps_in", "rmse_in")
"""What the default is compared in with one method after the other."""

PARTS = (
    [m for m in MEASURES if m.startswith(("nll", "crps", "interval_score"))],
    ["coverage_in", "coverage_out", "rmse_in", "rmse_out", "accuracy", "log_loss"],
    ["auroc", "caught", "fit_seconds", "predict_seconds"],
)
"""Measures that have a table of ranks together: distributions, targets, detection."""

N_SHOWN = 7
"""Methods beside the default in the tables of values."""


def markdown(header: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    """Return a table."""
    names = list(header)
    rows = [names, ["---"] * len(names), *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def losses(now: Standing) -> str:
    """Return each measure in which the default is not first, the largest gap first."""
    if not now.tasks:
        return "No rows yet."
    found = []
    for name, measure in MEASURES.items():
        ranks = now.ranks(name)
        if ranks is None or DEFAULT not in ranks.means:
            continue
        best = next(iter(ranks.means))
        gap = ranks.means[DEFAULT] - ranks.means[best]
        if gap > 0:
            sure = "yes" if gap > ranks.critical else "no"
            place = 1 + list(ranks.means).index(DEFAULT)
            cells = [
                measure.title,
                now.methods[best].title,
                f"{ranks.means[best]:.1f}",
                f"{ranks.means[DEFAULT]:.1f} (place {place} of {len(ranks.means)})",
                _difference(now, best, name),
                sure,
            ]
            found.append((gap, cells))
    if not found:
        return "In no column: it is first in all of them."
    found.sort(key=lambda item: -item[0])
    header = ["in", "the best is", "its mean rank", "ours"]
    header += ["median difference, ours less its", "more than chance"]
    return markdown(header, [cells for _, cells in found])


def rank_tables(now: Standing, judged: bool = False) -> str:
    """Return mean ranks by method, a table for each of `PARTS`, best methods first."""
    columns = {name: now.ranks(name, judged) for name in MEASURES}
    known = {name: ranks for name, ranks in columns.items() if ranks is not None}
    order = sorted(now.methods, key=lambda name: _place(name, known))
    tables = []
    for part in PARTS:
        shown = {name: known[name] for name in part if name in known}
        if not shown:
            continue
        rows = {m: [_rank(m, ranks) for ranks in shown.values()] for m in order}
        lines = [
            [now.methods[m].title, *cells] for m, cells in rows.items() if any(cells)
        ]
        apart = [f"*{ranks.critical:.1f}*" for ranks in shown.values()]
        lines.append(["*critical difference*", *apart])
        tables.append(markdown(["", *(MEASURES[name].title for name in shown)], lines))
    return "\n\n".join(tables) or "No rows yet."


def values(now: Standing, measure: str) -> str:
    """Return a measure on every task, for the default and the best others."""
    ranks = now.ranks(measure)
    if ranks is None or DEFAULT not in ranks.means:
        return "No rows yet."
    others = [name for name in ranks.means if name != DEFAULT][:N_SHOWN]
    shown = [DEFAULT, *others]
    lines = []
    for name, task in now.tasks.items():
        cells = [now.mean(name, method, measure) for method in shown]
        known = [MEASURES[measure].loss(c) for c in cells]
        best = int(np.nanargmin(known)) if not np.isnan(known).all() else -1
        title = f"{name} †" if task.development else name
        texts = ["–" if np.isnan(c) else f"{c:.2f}" for c in cells]
        marked = [f"**{t}**" if k == best else t for k, t in enumerate(texts)]
        lines.append([title, *marked])
    return markdown(["task", *(now.methods[m].title for m in shown)], lines)


def duels(now: Standing, everyone: dict[str, Method]) -> str:
    """Return on how many tasks the default is better than each other method.

    Those count that both have been run on, so methods without all rows are here too.
    """
    shown = [name for name in DUELS if as_losses(now, DEFAULT, name)]
    lines = []
    for name, method in everyone.items():
        cells = [_won(now, name, measure) for measure in shown]
        if name != DEFAULT and any(cells):
            lines.append([method.title, *cells])
    if not lines:
        return "No rows yet."
    return markdown(["better than", *(MEASURES[m].title for m in shown)], lines)


def unranked_losses(now: Standing, everyone: dict[str, Method]) -> str:
    """Return where methods that are not ranked yet are better on most common tasks."""
    lines = []
    for name, method in everyone.items():
        if name in now.methods:
            continue
        for measure in MEASURES:
            ours, theirs = (as_losses(now, who, measure) for who in (DEFAULT, name))
            both = ours.keys() & theirs.keys()
            better = sum(theirs[task] < ours[task] for task in both)
            if 2 * better > len(both):
                cells = [MEASURES[measure].title, method.title]
                cells += [f"{better} of {len(both)}", _difference(now, name, measure)]
                lines.append(cells)
    if not lines:
        return "Nowhere."
    header = ["in", "better is", "on tasks", "median difference, ours less its"]
    return markdown(header, lines)


def _won(now: Standing, other: str, measure: str) -> str:
    ours, theirs = (as_losses(now, name, measure) for name in (DEFAULT, other))
    both = ours.keys() & theirs.keys()
    won = sum((np.sign(theirs[task] - ours[task]) + 1) / 2 for task in both)
    return f"{won:g} of {len(both)}" if both else ""


def as_losses(now: Standing, method: str, measure: str) -> dict[str, float]:
    """Return a measure on the tasks that have it, so that lower is better."""
    means = {task: now.mean(task, method, measure) for task in now.tasks}
    loss = MEASURES[measure].loss
    return {task: loss(mean) for task, mean in means.items() if not np.isnan(mean)}


def summary(table: Table, task: str, n_seeds: int) -> str:
    """Return the means over seeds of every measure on one task, by method."""
    those = list(dict.fromkeys(fit[1] for fit in sorted(table.fits)))
    shown = [
        m for m in MEASURES if any(m in table.measures(who, [task]) for who in those)
    ]
    lines = []
    for name in those:
        cells = [table.mean(task, name, measure, n_seeds) for measure in shown]
        texts = ["–" if np.isnan(c) else f"{c:.3f}" for c in cells]
        lines.append([methods()[name].title, *texts])
    return markdown(["", *(MEASURES[m].title for m in shown)], lines)


def _rank(method: str, ranks: Ranks) -> str:
    if method not in ranks.means:
        return ""
    text = f"{ranks.means[method]:.1f}"
    return f"**{text}**" if method == next(iter(ranks.means)) else text


def _place(method: str, columns: dict[str, Ranks]) -> tuple[int, float]:
    """Return what sorts methods: those with all goals first, by their mean rank."""
    goal = [columns[n].means for n in columns if MEASURES[n].goal]
    found = [means[method] for means in goal if method in means]
    return len(goal) - len(found), float(np.mean(found)) if found else 0.0


def paired(now: Standing, one: str, other: str, measure: str) -> np.ndarray:
    """Return the differences on tasks where both have a value, (tasks,)."""
    pairs = [
        now.mean(task, one, measure) - now.mean(task, other, measure)
        for task in now.tasks
    ]
    return np.array([value for value in pairs if not np.isnan(value)])


def _difference(now: Standing, best: str, measure: str) -> str:
    apart = paired(now, DEFAULT, best, measure)
    return signed(np.median(apart)) if apart.size else "–"


def signed(value: float) -> str:
    """Return a difference with its sign."""
    return f"{value:+.3f}".replace("-", "−")
