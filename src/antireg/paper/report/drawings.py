"""The drawings that only the paper's experiments need; arrays in, figures out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from antireg.paper.figures import (
    FAMILIAR,
    INK,
    LINE,
    SOFT,
    UNFAMILIAR,
    frame,
    legend,
    new_figure,
)
from antireg.paper.report.entries import Entry
from antireg.predictive.values import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAPER = UNFAMILIAR
COLOURS = (FAMILIAR, UNFAMILIAR, "#0b8f6f")


def dots(entries: Mapping[str, Entry], title: str) -> Figure:
    """Draw ours, mean ± sd, and below it the paper's, a line for each method."""
    figure = new_figure(4.0, 0.9 + 0.32 * len(entries))
    axes = frame(title, figure.subplots())
    names = list(entries)
    for place, entry in enumerate(entries.values()):
        axes.axhline(place, color=LINE, lw=0.6, zorder=0)
        if entry:
            sd = np.nan_to_num(entry.sd)
            _dot(axes, entry.mean, sd, place - 0.13, FAMILIAR, "o")
        if entry.printed:
            _dot(axes, *entry.printed, place + 0.13, PAPER, "D")
    axes.set_yticks(range(len(names)), names, color=INK)
    axes.set_ylim(len(names) - 0.5, -0.5)
    (ours,) = axes.plot([], [], "o", color=FAMILIAR, ms=5, label="ours")
    (paper,) = axes.plot([], [], "D", color=PAPER, mfc="white", ms=5, label="paper")
    _above(axes, [ours, paper])
    return figure


def inside(
    values: Mapping[str, Array], title: str, tops: tuple[float, float]
) -> Figure:
    """Draw what a layer says of the training rows and of a stranger.

    Args:
        values: `mean` and `std` of each component over the training rows, its value
            for the `stranger`, and the mean |`weight`| in front of it, (components,)
            each, by falling training variance.
        title: Which method and layer.
        tops: Upper ends of the two axes.
    """
    figure = new_figure(4.0, 3.4)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.4, 1))
    frame(title, upper)
    mean, std = values["mean"], values["std"]
    x = np.arange(len(mean))
    stranger = upper.vlines(
        x, 0, values["stranger"], color=UNFAMILIAR, lw=1.4, label="stranger"
    )
    band = upper.fill_between(
        x,
        np.maximum(mean - 2 * std, 0),
        mean + 2 * std,
        color=FAMILIAR,
        alpha=0.45,
        lw=0,
        label="training, ±2 sd",
    )
    upper.set(ylim=(0, 1.05 * tops[0]), xlim=(-1, len(mean)))
    _label(upper, "", "activation")
    legend(upper, [band, stranger], loc="upper right", ncols=2)
    frame("", lower)
    edges = np.arange(len(mean) + 1) - 0.5
    lower.stairs(values["weight"], edges, fill=True, color=SOFT)
    lower.set(ylim=(0, 1.05 * tops[1]))
    _label(lower, "component, by falling training variance", "mean |weight|")
    return figure


def curves(
    lines: Mapping[str, tuple[Array, Array]],
    title: str,
    label: str,
    level: tuple[str, float] | None = None,
    log: bool = False,
) -> Figure:
    """Draw values over epochs, (epochs,) each, and perhaps a level beside them."""
    axes = frame(title)
    for (name, (x, y)), colour in zip(lines.items(), COLOURS, strict=False):
        axes.plot(x, y, color=colour, lw=1.5, label=name)
    if level is not None:
        axes.axhline(level[1], color=INK, lw=1, ls=(0, (4, 2)), label=level[0])
    if log:
        _logarithmic(axes)
    _label(axes, "epoch", label)
    _above(axes, axes.get_legend_handles_labels()[0])
    return axes.figure  # type: ignore[return-value]


def ablation(
    deltas: Sequence[float],
    lines: Mapping[str, Sequence[Entry]],
    levels: Mapping[str, Entry],
    title: str,
) -> Figure:
    """Draw NLL against δ, mean ± sd.

    Args:
        deltas: Where, ascending.
        lines: Numbers inside and outside, one per δ.
        levels: The deep ensemble's, under the same names.
        title: Which task.
    """
    axes = frame(title)
    for (name, entries), colour in zip(lines.items(), COLOURS, strict=False):
        there = [(d, e) for d, e in zip(deltas, entries, strict=True) if e]
        if there:
            x = [d for d, _ in there]
            means = [e.mean for _, e in there]
            sds = [np.nan_to_num(e.sd) for _, e in there]
            axes.errorbar(
                x, means, sds, fmt="o-", color=colour, ms=4, lw=1.5, capsize=2.5
            )
            axes.plot([], [], "o-", color=colour, ms=4, lw=1.5, label=name)
        if levels[name]:
            axes.axhline(levels[name].mean, color=colour, lw=1, ls=(0, (4, 2)))
    axes.plot([], [], color=SOFT, lw=1, ls=(0, (4, 2)), label="DE (NLL)")
    axes.set_xscale("symlog", linthresh=0.5)
    axes.set_xticks(list(deltas), [f"{d:g}" for d in deltas])
    axes.minorticks_off()
    _label(axes, "δ", "NLL")
    _above(axes, axes.get_legend_handles_labels()[0])
    return axes.figure  # type: ignore[return-value]


def filling(
    moments: Array, predicted: Array, measured: Array, without_log: Array, title: str
) -> Figure:
    """Draw the weights' spread per feature, strongest first, (features,) each.

    What is predicted to be 0 stands on the floor of the drawing.
    """
    order = np.argsort(-moments, kind="stable")
    axes = frame(title)
    x = np.arange(len(order))
    floor = 0.5 * measured.min()
    _logarithmic(axes)
    for values, style, colour, name in (
        (without_log, "x", SOFT, "without log"),
        (predicted, "s-", UNFAMILIAR, "theorem 1"),
        (measured, "o", FAMILIAR, "measured"),
    ):
        y = np.maximum(values[order], floor)
        axes.plot(x, y, style, color=colour, ms=5, lw=1.3, label=name)
    axes.set_ylim(floor * 0.8, 2 * max(without_log.max(), measured.max()))
    axes.set_xticks(x, [f"{m:.2g}" for m in moments[order]])
    _label(axes, "second moment of the feature", "variance of its weight")
    _above(axes, axes.get_legend_handles_labels()[0])
    return axes.figure  # type: ignore[return-value]


def _dot(
    axes: Axes, mean: float, sd: float, place: float, colour: str, marker: str
) -> None:
    axes.plot([mean - sd, mean + sd], [place, place], color=colour, lw=1.4)
    filled = colour if marker == "o" else "white"
    axes.plot([mean], [place], marker, color=colour, mfc=filled, ms=5)


def _logarithmic(axes: Axes) -> None:
    """Let the vertical axis be logarithmic, and its numbers plain."""
    from matplotlib.ticker import LogLocator, NullFormatter  # noqa: PLC0415

    low, high = axes.dataLim.intervaly
    few_decades = axes.has_data() and high < 50 * low
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if few_decades else (1,)))
    axes.yaxis.set_major_formatter(
        lambda x, _: f"{x:g}" if x < 1e5 else f"$10^{{{round(math.log10(x))}}}$"
    )
    axes.yaxis.set_minor_formatter(NullFormatter())


def _above(axes: Axes, handles: Sequence[object]) -> None:
    legend(
        axes,
        handles,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=len(handles),
        borderaxespad=0.2,
    )
    title = axes.get_title(loc="left")
    axes.set_title(title, loc="left", fontsize=11, fontweight="bold", color=INK, pad=22)


def _label(axes: Axes, x: str, y: str) -> None:
    axes.set_xlabel(x, fontsize=8, color=SOFT)
    axes.set_ylabel(y, fontsize=8, color=SOFT)
