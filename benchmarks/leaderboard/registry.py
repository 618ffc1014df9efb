"""All tasks and methods: every file of two folders adds its own; there is no list."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from benchmarks.leaderboard import methods as methods_folder
from benchmarks.leaderboard import tasks as tasks_folder
from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.task import Task


def tasks() -> dict[str, Task]:
    """Return all tasks by name: the `TASKS` of each file in the folder `tasks`."""
    return _all(tasks_folder, "TASKS")


def methods() -> dict[str, Method]:
    """Return all methods by name, the cheap ones first: the `METHODS` of each file."""
    found: dict[str, Method] = _all(methods_folder, "METHODS")
    return dict(sorted(found.items(), key=lambda item: item[1].cost))


def chosen(known: dict[str, Any], names: list[str] | None, argument: str) -> list[str]:
    """Return the names that were asked for, or all."""
    for name in names or ():
        if name not in known:
            raise ValueError(
                f"{argument} must be among {', '.join(known)}, got {name!r}."
            )
    return [name for name in known if names is None or name in names]


def _all(folder: Any, attribute: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module in iter_modules(folder.__path__):
        own = getattr(import_module(f"{folder.__name__}.{module.name}"), attribute)
        twice = found.keys() & own.keys()
        if twice:
            raise ValueError(
                f"{attribute} must have each name once, got {sorted(twice)} again in "
                f"{module.name}.py. Rename one of them."
            )
        found |= own
    return found
