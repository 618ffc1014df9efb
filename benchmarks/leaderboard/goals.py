"""What was wanted of the default beforehand, and whether it is so.

As long as others' methods, tasks or seeds are missing, nothing counts as reached: what
holds among the rows that are there may not hold among all. Methods of this library that
were not run are counted.
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

COSTS = ("fit_seconds", "predict_seconds")
N_NAMED = 5
"""Tasks that are named where it is worse than that."""


def goals(now: Standing, everyone: dict[str, Method]) -> str:
    """Return a table of goals, what was found, and whether each is reached."""
    lines = [*_ranks(now, everyone), _inside(now), _cost(now)]
    return markdown(["wanted of the default", "found", "reached"], lines)


def _ranks(now: Standing, everyone: dict[str, Method]) -> Iterator[list[str]]:
    able = [name for name, method in everyone.items() if method.numbers]
    missing = [name for name in able if name not in now.methods]
    others = [name for name in missing if not everyone[name].ours]
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
        if others:
            found += f"; {len(others)} methods are missing"
        if len(missing) > len(others):
            found += f"; {len(missing) - len(others)} more of ours were not run"
        if now.waiting:
            found += f"; {len(now.waiting)} tasks are missing"
        yield [wanted, found, _verdict(best == DEFAULT, now, not others)]


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
    both = np.isfinite(ours).all(1) & np.isfinite(theirs).all(1)
    if not both.any():
        return [wanted, "no rows of both", "not known yet"]
    ratios = ours[both].sum(0) / theirs[both].sum(0)
    found = (
        f"{ours[both].sum() / theirs[both].sum():.2f} times its processor time in "
        f"total, {ratios.min():.2f} to {ratios.max():.2f} by seed, of {both.sum()} "
        f"tasks of {len(now.tasks)}"
    )
    alike = (ratios < 1).all() or (ratios > 1).all()
    so = bool(ratios[0] < 1) if alike else None
    return [wanted, found, _verdict(so, now, bool(both.all()))]


def _seconds(now: Standing, method: str) -> Array:
    """Return the processor seconds of each fit and prediction, (tasks, seeds)."""
    values = now.table.values
    return np.array(
        [
            [
                sum(values.get((task, method, seed, part), np.nan) for part in COSTS)
                for seed in range(now.n_seeds)
            ]
            for task in now.tasks
        ]
    )


def _verdict(so: bool | None, now: Standing, whole: bool) -> str:
    """Return whether a goal is reached, if all rows are there to say so."""
    words = {True: "yes", False: "**no**", None: "by some seeds"}
    if whole and not now.waiting and now.n_seeds >= SEEDS:
        return words[so]
    return f"not known yet; so far {words[so]}"
