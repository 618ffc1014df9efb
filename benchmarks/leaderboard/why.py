"""Why the default is not first: on which tasks it loses to the method that is."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.leaderboard.measures import MEASURES
from benchmarks.leaderboard.methods.ours import DEFAULT
from benchmarks.leaderboard.sections import as_losses
from benchmarks.leaderboard.standing import Standing

N_NAMED = 3
"""Tasks of the largest differences that are named."""


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
    return (
        f"**Why {title} is first in {MEASURES[name].title}**: the default is worse on "
        f"{len(lost)} of {len(apart)} tasks{_most(lost, apart)}, and better on "
        f"{len(won)}{_most(won, apart)}. It is worse, by kind of shift, on: "
        f"{', '.join(shares)}."
    )


def _most(tasks: list[str], apart: dict[str, float]) -> str:
    named = [f"{task} by {abs(apart[task]):.2f}" for task in tasks[:N_NAMED]]
    return f" ({', '.join(named)})" if named else ""
