"""The parts of the page that list: tasks, methods, and fits that gave no numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

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
    """Return what was not run, or not everywhere, and the fits without numbers."""
    run = {fit[1] for fit in table.fits}
    never, partly, failed = [], [], []
    for name, method in methods.items():
        missing = [words for part in parts for words in _missing(name, method, part)]
        if name not in run:
            never.append(method.title)
        elif missing:
            partly.append(f"{method.title} ({', '.join(missing)})")
        why = Counter(note for fit, note in table.failures.items() if fit[1] == name)
        failed += [[method.title, str(n), note] for note, n in why.most_common()]
    waiting = sorted(f"`{task}`" for part in parts for task in part.waiting)
    said = []
    if waiting:
        said.append(f"**Tasks not run yet**: {', '.join(waiting)}.")
    if never:
        said.append(f"**Not run yet**: {', '.join(never)}.")
    if partly:
        said.append(f"**Not run on all tasks yet**: {', '.join(partly)}.")
    if failed:
        lost = markdown(["method", "fits", "why"], failed)
        said.append(f"**Fits that gave no numbers**:\n\n{lost}")
    return "\n\n".join(said) or "Every fit gave numbers."


def _missing(name: str, method: Method, part: Standing) -> Iterator[str]:
    """Yield on how many tasks a method has all seeds, if it is not ranked."""
    classes = any(task.classes for task in part.tasks.values())
    able = method.classes if classes else method.numbers
    if able and part.tasks and name not in part.methods:
        n = sum(part.table.complete(name, [t], part.n_seeds) for t in part.tasks)
        seeds = f", all {part.n_seeds} seeds" if part.n_seeds > 1 else ""
        kind = "classes" if classes else "numbers"
        yield f"{n} of {len(part.tasks)} with {kind}{seeds}"
