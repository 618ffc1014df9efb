"""What was wanted of the default beforehand, and whether it is so.

As long as methods, tasks or seeds are missing, nothing counts as reached: what holds
among the rows that are there may not hold among all.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from benchmarks.leaderboard.measures import MEASURES
from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.methods.ours import DEFAULT
from benchmarks.leaderboard.running import SEEDS
from benchmarks.leaderboard.sections import as_losses, markdown, paired, signed
from benchmarks.leaderboard.standing import Standing
from benchmarks.leaderboard.task import Array

ENSEMBLE, BOOSTING = "deep-ensemble", "ngboost"
ALLOWED = 0.03
"""How much worse than the deep ensemble the default may be inside."""

N_NAMED = 5
"""Tasks that are named where it is worse than that."""

SURE = 1.5
"""Ratio of times from which on it is no doing of the machines; docs/speed.md."""


def goals(now: Standing, everyone: dict[str, Method]) -> str:
    """Return a table of goals, what was found, and whether each is reached."""
    lines = [*_ranks(now, everyone), _inside(now), _cost(now)]
    return markdown(["wanted of the default", "found", "reached"], lines)


def _ranks(now: Standing, everyone: dict[str, Method]) -> Iterator[list[str]]:
    able = [name for name, method in everyone.items() if method.numbers]
    missing = [name for name in able if name not in now.methods]
    for name, measure in MEASURES.items():
        if not measure.goal:
            continue
        wanted, ranks = f"best mean rank in {measure.title}", now.ranks(name)
        if ranks is None or DEFAULT not in ranks.means:
            yield [wanted, "nobody to compare with", "not known yet"]
            continue
        best = next(iter(ranks.means))
        found = f"{ranks.means[DEFAULT]:.1f} among {len(ranks.means)} methods"
        if best != DEFAULT:
            found += f"; {now.methods[best].title} has {ranks.means[best]:.1f}"
        if missing:
            found += f"; {len(missing)} methods are missing"
        if now.waiting:
            found += f"; {len(now.waiting)} tasks are missing"
        yield [wanted, found, _verdict(best == DEFAULT, now, not missing)]


def _inside(now: Standing) -> list[str]:
    wanted = f"NLL inside at most {ALLOWED} above the deep ensemble's"
    worse = paired(now, DEFAULT, ENSEMBLE, "nll_in")
    if not worse.size:
        return [wanted, "no rows of both", "not known yet"]
    found = (
        f"{signed(worse.mean())} on average, {signed(np.median(worse))} in the median, "
        f"of {worse.size} tasks of {len(now.tasks)}{_above(now)}"
    )
    whole = worse.size == len(now.tasks)
    return [wanted, found, _verdict(bool(worse.mean() <= ALLOWED), now, whole)]


def _above(now: Standing) -> str:
    """Return the tasks on which it is worse by more than is allowed."""
    ours, theirs = (as_losses(now, who, "nll_in") for who in (DEFAULT, ENSEMBLE))
    apart = {task: ours[task] - theirs[task] for task in ours if task in theirs}
    above = sorted((t for t in apart if apart[t] > ALLOWED), key=lambda t: -apart[t])
    if not above:
        return f"; nowhere more than {ALLOWED}"
    named = ", ".join(f"{task} {signed(apart[task])}" for task in above[:N_NAMED])
    few = "" if len(above) <= N_NAMED else "; the largest"
    return f"; more than {ALLOWED} on {len(above)}{few}: {named}"


def _cost(now: Standing) -> list[str]:
    wanted = "costs less than NGBoost ([speed](speed.md))"
    ours, theirs = (_seconds(now, name) for name in (DEFAULT, BOOSTING))
    both = np.isfinite(ours) & np.isfinite(theirs)
    if not both.any():
        return [wanted, "no rows of both", "not known yet"]
    ratio = ours[both].sum() / theirs[both].sum()
    found = (
        f"{ratio:.2f} times its processor time in total, "
        f"{np.median(ours[both] / theirs[both]):.2f} times in the median, of "
        f"{both.sum()} tasks of {len(now.tasks)}"
    )
    so = bool(ratio < 1) if max(ratio, 1 / ratio) > SURE else None
    return [wanted, found, _verdict(so, now, bool(both.all()))]


def _seconds(now: Standing, method: str) -> Array:
    """Return the processor seconds on each task, (tasks,)."""
    parts = ("fit_seconds", "predict_seconds")
    return np.array(
        [sum(now.mean(task, method, part) for part in parts) for task in now.tasks]
    )


def _verdict(so: bool | None, now: Standing, whole: bool) -> str:
    """Return whether a goal is reached, if all rows are there to say so."""
    words = {True: "yes", False: "**no**", None: "too close to tell on these machines"}
    if whole and not now.waiting and now.n_seeds >= SEEDS:
        return words[so]
    return f"not known yet; so far {words[so]}"
