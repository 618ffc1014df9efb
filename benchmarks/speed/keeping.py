"""Where measurements are kept: one CSV per kind, written whole."""

from __future__ import annotations

import csv
import io
import platform
from pathlib import Path
from typing import Any

from antireg.disk.atomic import write_whole

RESULTS = Path(__file__).parents[2] / "results" / "bench"


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """Replace a CSV; a row without a field leaves it empty."""
    fields = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, fields, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: _short(v) for k, v in row.items()} for row in rows)
    write_whole(path, text.getvalue().encode())


def read(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV, all text."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def processor() -> str:
    """Return what this machine calls its processor."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _short(value: Any) -> Any:
    return f"{value:.4g}" if isinstance(value, float) else value
