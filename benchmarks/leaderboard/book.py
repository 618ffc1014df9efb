"""The rows: one file per task, one line per method, seed and measure.

All lines of a fit are added at once, by replacing the file while a lock is held, so a
run that is stopped, or two runs at a time, leave no part of a fit. A fit that gave no
numbers leaves one line, with the measure "failed" and the reason as its note; rows of
the same fit that come later take its place.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from antireg.disk.atomic import write_whole

RESULTS = Path(__file__).parents[2] / "results" / "leaderboard"
FAILED = "failed"


class Row(NamedTuple):
    """One number of one fit."""

    task: str
    method: str
    seed: int
    measure: str
    value: float
    note: str = ""


class Book:
    """The rows of a folder.

    Args:
        folder: Where the files are; it need not exist.
    """

    def __init__(self, folder: Path) -> None:
        """Remember the folder."""
        self.folder = folder

    def rows(self, task: str) -> list[Row]:
        """Return all rows of a task."""
        path = self.folder / f"{task}.csv"
        if not path.exists():
            return []
        with path.open(newline="") as file:
            lines = csv.reader(file)
            if tuple(next(lines, ())) != Row._fields:
                raise ValueError(
                    f"{path} must have the columns {', '.join(Row._fields)}. Move the "
                    "file away, or name another folder with --out."
                )
            return [
                Row(task, method, int(seed), measure, float(value), note)
                for task, method, seed, measure, value, note in lines
            ]

    def done(self, task: str, failed: bool = True) -> set[tuple[str, int]]:
        """Return the methods and seeds that have rows, on request only with numbers."""
        rows = (row for row in self.rows(task) if failed or row.measure != FAILED)
        return {(row.method, row.seed) for row in rows}

    def add(
        self, task: str, method: str, seed: int, values: Iterable[tuple[str, float]]
    ) -> None:
        """Add the rows of a fit, unless its numbers are there already."""
        self._add([Row(task, method, seed, name, value) for name, value in values])

    def add_failure(self, task: str, method: str, seed: int, reason: str) -> None:
        """Add the row of a fit that gave no numbers."""
        self._add([Row(task, method, seed, FAILED, 1.0, " ".join(reason.split()))])

    def _add(self, rows: list[Row]) -> None:
        task, method, seed = rows[0][:3]
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{task}.csv"
        with FileLock(self.folder / ".lock"):
            if (method, seed) in self.done(task, failed=False):
                return
            kept = [r for r in self.rows(task) if (r.method, r.seed) != (method, seed)]
            lines = [[*r[:4], f"{r.value:.6g}", r.note] for r in [*kept, *rows]]
            text = "".join(map(_line, [Row._fields, *lines]))
            write_whole(path, text.encode())


def _line(cells: Iterable[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(list(cells))
    return text.getvalue()
