"""Why the default is not first: on which tasks it loses, and what it comes from."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from benchmarks.leaderboard.measures import MEASURES
from benchmarks.leaderboard.methods.ours import DEFAULT
from benchmarks.leaderboard.sections import as_losses
from benchmarks.leaderboard.standing import Standing

N_NAMED = 3
"""Tasks of the largest differences that are named."""

OUTSIDE = ("nll_out", "interval_score_out")
"""Measures that say how wide a method is on shifted rows."""

TOO_SURE = (
    "Where columns are in bins, members are sharper than plain ones, outside too, and "
    "doubt widens them only where a rehearsal was like the shift "
    "([choices](choices.md), “What bins cost outside” and “Computers: prices drift”)."
)
TOO_WIDE = (
    "So it is width that costs, or a few far misses: doubt widens what is unfamiliar, "
    "also where the members are right."
)


def why(now: Standing) -> str:
    """Return a paragraph for each goal measure in which another method is first."""
    return "\n\n".join(_paragraphs(now)) or "It is first in each of these measures."


def _paragraphs(now: Standing) -> Iterator[str]:
    for name, measure in MEASURES.items():
        ranks = now.ranks(name) if measure.goal else None
        if ranks is None or DEFAULT not in ranks.means:
            continue
        best = next(iter(ranks.means))
        if best != DEFAULT:
            yield _compared(now, name, best)


def _compared(now: Standing, name: str, best: str) -> str:
    """Return where the default wins and loses, by task and by kind of shift."""
    ours, theirs = (as_losses(now, who, name) for who in (DEFAULT, best))
    apart = {task: ours[task] - theirs[task] for task in ours if task in theirs}
    lost = sorted((task for task in apart if apart[task] > 0), key=lambda t: -apart[t])
    won = sorted((task for task in apart if apart[task] < 0), key=lambda t: apart[t])
    kinds = [now.tasks[task].kind for task in apart]
    of_lost = [now.tasks[task].kind for task in lost]
    shares = [
        f"{k} {of_lost.count(k)} of {kinds.count(k)}" for k in dict.fromkeys(kinds)
    ]
    title = now.methods[best].title
    where = (
        f"**Why {title} is first in {MEASURES[name].title}**: the default is worse on "
        f"{len(lost)} of {len(apart)} tasks{_most(lost, apart)}, and better on "
        f"{len(won)}{_most(won, apart)}. It is worse, by kind of shift, on: "
        f"{', '.join(shares)}."
    )
    cause = _cause(now, best, lost) if name in OUTSIDE else ""
    return f"{where}\n\n{cause}" if cause else where


def _cause(now: Standing, best: str, lost: list[str]) -> str:
    """Return which of the two faults that intervals can have was where."""
    ours, theirs = (_covered(now, who) for who in (DEFAULT, best))
    apart = {task: ours[task] - theirs[task] for task in ours if task in theirs}
    order = sorted((task for task in lost if task in apart), key=lambda t: apart[t])
    fewer = [task for task in order if apart[task] < 0]
    more = [task for task in reversed(order) if apart[task] > 0]
    title, sides = now.methods[best].title, []
    for tasks, word, cause in ((fewer, "fewer", TOO_SURE), (more, "more", TOO_WIDE)):
        some = [f"{t} {_percent(ours[t])}, {_percent(theirs[t])}" for t in tasks]
        if tasks:
            sides.append(
                f"On {len(tasks)} of them the default's hold {word} shifted rows than "
                f"those of {title} ({'; '.join(some[:N_NAMED])}). {cause}"
            )
    if not sides:
        return ""
    means = [np.mean([shares[task] for task in apart]) for shares in (ours, theirs)]
    return " ".join(
        [
            "**What it comes from**, by 90 % intervals:",
            *sides,
            f"Over all {len(apart)} tasks the default's hold {_percent(means[0])}, and "
            f"those of {title} {_percent(means[1])}.",
            _inside(now, best),
        ]
    )


def _inside(now: Standing, best: str) -> str:
    """Return what the best pays, or does not, on familiar rows."""
    ours, theirs = (as_losses(now, who, "interval_score_in") for who in (DEFAULT, best))
    both = ours.keys() & theirs.keys()
    better = sum(ours[task] < theirs[task] for task in both)
    return f"Inside, the default's interval score is better on {better} of {len(both)}."


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _covered(now: Standing, method: str) -> dict[str, float]:
    """Return the share of shifted rows inside 90 % intervals, by task."""
    shares = {task: now.mean(task, method, "coverage_out") for task in now.tasks}
    return {task: share for task, share in shares.items() if not np.isnan(share)}


def _most(tasks: list[str], apart: dict[str, float]) -> str:
    named = [f"{task} by {abs(apart[task]):.2f}" for task in tasks[:N_NAMED]]
    return f" ({', '.join(named)})" if named else ""
