"""Results as rows of a table: one file per recipe, appended to, never changed.

A row is one number of one fit. All rows of a fit are added at once: a new file replaces
the old one while a lock is held. So a run that is killed, or two runs at the same time,
leave no half-written fit behind.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from antireg.disk.atomic import write_whole


class Key(NamedTuple):
    """What identifies a fit.

    Attributes:
        recipe: Name of the recipe.
        method: Name of the method in `METHODS`.
        loss: What was fitted.
        choice: Settings of the method, as text.
        seed: Of the split and of the members.
    """

    recipe: str
    method: str
    loss: str
    choice: str
    seed: int


class Value(NamedTuple):
    """One number of a fit, `at` a place (an epoch, a point of a map) or nowhere."""

    metric: str
    value: float
    at: str = ""


@dataclass(frozen=True)
class Record:
    """Everything known about one fit: values by metric and place."""

    values: dict[tuple[str, str], float]
    seconds: float
    versions: str

    def __getitem__(self, metric: str) -> float:
        """Return the value of a metric that has only one."""
        return self.values[metric, ""]

    def along(self, metric: str) -> dict[str, float]:
        """Return the metric's values by their places, in the order of the rows."""
        return {
            at: value for (name, at), value in self.values.items() if name == metric
        }


COLUMNS = (*Key._fields, "metric", "at", "value", "seconds", "versions")


class Book:
    """The rows of a folder, read again when another process has added to them."""

    def __init__(self, folder: Path) -> None:
        """Remember the folder; it need not exist."""
        self.folder = folder
        self._read: dict[str, tuple[int, dict[Key, Record]]] = {}

    def records(self, recipe: str) -> dict[Key, Record]:
        """Return all fits of a recipe, in the order they were added."""
        path = self.folder / f"{recipe}.csv"
        changed = path.stat().st_mtime_ns if path.exists() else 0
        if recipe not in self._read or self._read[recipe][0] != changed:
            records = _parsed(path) if changed else {}
            self._read[recipe] = (changed, records)
        return self._read[recipe][1]

    def get(self, key: Key) -> Record | None:
        """Return a fit, if it was recorded."""
        return self.records(key.recipe).get(key)

    def add(
        self, key: Key, values: Iterable[Value], seconds: float, versions: str
    ) -> None:
        """Record a fit, unless it is there already."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{key.recipe}.csv"
        with FileLock(self.folder / ".lock"):
            if key in self.records(key.recipe):
                return
            before = path.read_text() if path.exists() else _line(COLUMNS)
            after = (f"{seconds:.1f}", versions)
            lines = [
                _line((*key, v.metric, v.at, repr(float(v.value)), *after))
                for v in values
            ]
            write_whole(path, (before + "".join(lines)).encode())


def _line(cells: Sequence[object]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue()


def _parsed(path: Path) -> dict[Key, Record]:
    records: dict[Key, Record] = {}
    with path.open(newline="") as file:
        lines = csv.DictReader(file, strict=True)
        if tuple(lines.fieldnames or ()) != COLUMNS:
            raise ValueError(
                f"{path} must have the columns {', '.join(COLUMNS)}, got "
                f"{', '.join(lines.fieldnames or ()) or 'none'}. Name another folder "
                "with --out, or move the file away."
            )
        try:
            for line in lines:
                _keep(line, records)
        except (ValueError, csv.Error) as error:
            raise ValueError(
                f"{path} must hold one number of a fit in each line, but line "
                f"{lines.reader.line_num} is damaged ({error}). Put back a whole copy, "
                "or delete this line and the others of its fit, which is then done "
                "again."
            ) from error
    return records


def _keep(line: dict[str, str], records: dict[Key, Record]) -> None:
    """Add a line of the file to the record of its fit."""
    # The reader fills short lines with None, and puts extra cells under None.
    if None in line or None in line.values():
        raise ValueError(f"it must have {len(COLUMNS)} cells")
    recipe, method, loss, choice = (line[name] for name in Key._fields[:-1])
    key = Key(recipe, method, loss, choice, int(line["seed"]))
    record = records.setdefault(
        key, Record({}, float(line["seconds"]), line["versions"])
    )
    record.values[line["metric"], line["at"]] = float(line["value"])
