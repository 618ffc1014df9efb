"""Figures of the measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.speed.contestants import (
    LEAN,
    OURS,
    SCIKIT,
    TORCH_UNCERTAINTY,
    TUTORIAL,
)
from benchmarks.speed.sizes import SIZES

from antireg.disk.atomic import write_whole
from antireg.report.charts import Chart
from antireg.report.pictures import DOUBT, FIRST, SECOND, THIRD, Picture

LOOKS = {
    TUTORIAL: (SECOND, "circle"),
    LEAN: (THIRD, "square"),
    SCIKIT: (FIRST, "triangle"),
    TORCH_UNCERTAINTY: (DOUBT, "diamond"),
}
"""Colour and marker of each contestant."""

TITLES = {"train": "Training with DARE", "predict": "Prediction"}


def draw_speed(rows: list[dict[str, str]], path: Path) -> None:
    """Draw how many times longer everyone takes than the library, by size."""
    cores = max(row["cores"] for row in rows if row["contestant"] in LOOKS)
    charts = []
    for task, title in TITLES.items():
        shown = [r for r in rows if r["task"] == task and r["cores"] == cores]
        found = {(r["contestant"], r["size"]): float(r["times_ours"]) for r in shown}
        sizes = [s.name for s in SIZES if any(size == s.name for _, size in found)]
        ends = [-0.5, len(sizes) - 0.5]
        # Short enough to stand side by side.
        ticks = {float(k): s.removesuffix("-features") for k, s in enumerate(sizes)}
        label = f"times as long as {OURS}, {cores} cores"
        times = [0.8 * min(found.values()), 1.2 * max(found.values())]
        chart = Chart(title, "", label, x=ends, y=times, log_y=True, x_ticks=ticks)
        chart.limit(1.0, OURS, axis=1)
        for name, (colour, marker) in LOOKS.items():
            at = [k for k, size in enumerate(sizes) if (name, size) in found]
            heights = [found[name, sizes[k]] for k in at]
            if at:
                chart.points(at, heights, colour, name, marker)
        charts.append(chart)
    write_whole(path, Picture(*charts, columns=2).file())


def draw_scaling(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the time of a fit by rows, members and epochs, and memory by epochs."""
    labels = {"seconds": "seconds", "megabytes": "most memory, MB"}
    panels = [("rows", "seconds"), ("members", "seconds")]
    panels += [("epochs", "seconds"), ("epochs", "megabytes")]
    charts = []
    for what, measure in panels:
        own = [row for row in rows if row["what"] == what]
        x, y = ([float(row[name]) for row in own] for name in ("value", measure))
        chart = Chart("", what, labels[measure], x=[0, *x], y=[0, 1.15 * max(y)])
        chart.line(x, y, FIRST)
        chart.points(x, y, FIRST)
        charts.append(chart)
    write_whole(path, Picture(*charts, columns=2).file())
