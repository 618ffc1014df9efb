"""CityCam: how many vehicles a traffic camera sees, by 64 components of features.

The components are those of the training rows. In the tasks named "hours", the familiar
rows are of hours that were not trained on, and methods that can are told the hours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.leaderboard.task import Task, components

from antireg.paper.data.citycam_splits import citycam, citycam_hours
from antireg.paper.data.split import Split

SHIFTS = {
    "weather": "after 14:00, when it rains",
    "cameras": "five other cameras",
    "bigbus": "a bus in front of the camera",
}
DEVELOPMENT = ("weather", "bigbus")


def reduced(load: Callable[[str, int], Split], name: str, seed: int) -> Split:
    """Return a task by its principal components."""
    return components(load(name, seed))


def _task(load: Callable[[str, int], Split], name: str, more: str = "") -> Task:
    return Task(
        partial(reduced, load, name),
        "CityCam, features of ResNet50",
        "none stated; research use",
        SHIFTS[name] + more,
        "camera",
        development=name in DEVELOPMENT,
    )


TASKS = {f"citycam-{name}": _task(citycam, name) for name in SHIFTS}
TASKS |= {
    f"citycam-hours-{name}": _task(citycam_hours, name, "; familiar rows of new hours")
    for name in SHIFTS
}
