"""Rows in a CSV file that runs append to: what is there, and what is added."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def done(path: Path, names: Sequence[str]) -> set[tuple[str, ...]]:
    """Return what these columns hold, each combination once; nothing of no file."""
    if not path.exists():
        return set()
    with path.open(newline="") as file:
        return {tuple(row[name] for name in names) for row in csv.DictReader(file)}


def append(path: Path, fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Add rows at the end of a file; a new one gets the names of the columns first."""
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if not file.tell():
            writer.writerow(fields)
        writer.writerows(rows)
