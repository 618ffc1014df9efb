"""The parts of the page that list: tasks, methods, and fits that gave no numbers."""

from __future__ import annotations

from collections import Counter

from benchmarks.leaderboard.method import Method
from benchmarks.leaderboard.ranks import Table
from benchmarks.leaderboard.sections import markdown
from benchmarks.leaderboard.standing import Standing
from benchmarks.leaderboard.task import Task


def method_list(methods: dict[str, Method]) -> str:
    """Return all methods, and what each was tuned on."""
    lines = [
        [
            method.title,
            f"`{name}`",
            "antireg" if method.ours else method.needs.split(".")[0] or "scikit-learn",
            method.tuned,
        ]
        for name, method in methods.items()
    ]
    return markdown(["method", "name", "package", "tuned on"], lines)


def task_list(tasks: dict[str, Task]) -> str:
    """Return all tasks with their shifts, sources and licences."""
    lines = [
        [
            f"`{name}`" + (" †" if task.development else ""),
            task.kind,
            task.shift,
            task.source,
            task.licence,
        ]
        for name, task in tasks.items()
    ]
    return markdown(["task", "kind", "shifted rows", "source", "licence"], lines)


def gaps(table: Table, methods: dict[str, Method], parts: list[Standing]) -> str:
    """Return, by method, the fits without numbers and what was not run."""
    lines = []
    for name, method in methods.items():
        why = Counter(
            note for fit, note in table.failures.items() if fit[1] == name
        ).most_common()
        said = [f"{count} × {note}" for note, count in why]
        tried = {fit[0] for fit in table.fits if fit[1] == name}
        for part in parts:
            kind = any(task.classes for task in part.tasks.values())
            able = method.classes if kind else method.numbers
            if able and name not in part.methods and part.tasks:
                n_tried = len(tried & part.tasks.keys())
                words = "classes" if kind else "numbers"
                said.append(
                    f"not ranked on {words}: run on {n_tried} of {len(part.tasks)} "
                    f"tasks, or with fewer than {part.n_seeds} seeds on some"
                )
        if said:
            lines.append([method.title, "; ".join(said)])
    if not lines:
        return "Every fit gave numbers."
    return markdown(["method", "fits without numbers"], lines)
