"""Figures of the measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from benchmarks.speed.contestants import (
    LEAN,
    OURS,
    SCIKIT,
    TORCH_UNCERTAINTY,
    TUTORIAL,
)
from benchmarks.speed.sizes import SIZES

mpl.use("svg")
plt.rcParams.update({"svg.hashsalt": "antireg", "svg.fonttype": "none"})
COLOURS = {
    TUTORIAL: "#c2571a",
    LEAN: "#e5a36f",
    SCIKIT: "#3b7ea1",
    TORCH_UNCERTAINTY: "#7a5195",
}


def draw_speed(rows: list[dict[str, str]], path: Path) -> None:
    """Draw how many times longer everyone takes than the library, by size."""
    compared = [row["cores"] for row in rows if row["contestant"] in COLOURS]
    cores = max(compared)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axis, task in zip(axes, ("train", "predict"), strict=True):
        shown = [r for r in rows if r["task"] == task and r["cores"] == cores]
        sizes = [s.name for s in SIZES if any(r["size"] == s.name for r in shown)]
        present = [n for n in COLOURS if any(r["contestant"] == n for r in shown)]
        for place, name in enumerate(present):
            own = [row for row in shown if row["contestant"] == name]
            times = {row["size"]: row["times_ours"] for row in own}
            shift = (place - (len(present) - 1) / 2) * 0.2
            at = [k + shift for k, size in enumerate(sizes) if size in times]
            heights = [float(times[size]) for size in sizes if size in times]
            axis.bar(at, heights, 0.18, label=name, color=COLOURS[name])
            for x, height in zip(at, heights, strict=True):
                axis.text(x, height * 1.05, f"{height:.3g}", ha="center", fontsize=6)
        axis.axhline(1, color="#333", linewidth=0.8)
        axis.set_yscale("log")
        axis.set_xticks(range(len(sizes)), sizes, fontsize=8)
        axis.set_title({"train": "training with DARE", "predict": "prediction"}[task])
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel(f"times as long as {OURS}, {cores} cores")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="lower center", ncols=4, fontsize=8, frameon=False
    )
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def draw_scaling(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the time of a fit by rows, members and epochs, and memory by epochs."""
    panels = [("rows", "seconds"), ("members", "seconds")]
    panels += [("epochs", "seconds"), ("epochs", "megabytes")]
    figure, axes = plt.subplots(1, 4, figsize=(11, 2.6))
    for axis, (what, measure) in zip(axes, panels, strict=True):
        own = [row for row in rows if row["what"] == what]
        values = [row["value"] for row in own]
        axis.plot(values, [row[measure] for row in own], "o-", color="#3b7ea1")
        axis.set_xlim(0)
        axis.set_ylim(0, 1.15 * max(row[measure] for row in own))
        axis.set_xlabel(what)
        axis.set_ylabel("seconds" if measure == "seconds" else "most memory, MB")
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
