"""The charts of the large experiments, drawn from plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from antireg.paper.report.entries import Entry
from antireg.predictive.values import Array
from antireg.report.charts import Chart
from antireg.report.pictures import CARD, FIRST, INK, SECOND, SOFT, THIRD, Picture

COLOURS = (FIRST, SECOND, THIRD)
OURS, PAPER = FIRST, SECOND


def dots(entries: Mapping[str, Entry], title: str) -> Picture:
    """Draw our mean ± sd and, below it, the paper's; one line per method."""
    names = {-float(place): name for place, name in enumerate(entries)}
    shown = []
    for place, entry in zip(names, entries.values(), strict=True):
        if entry:
            sd = float(np.nan_to_num(entry.sd))
            shown.append((entry.mean, sd, place + 0.15, OURS, OURS, "circle", "ours"))
        if entry.printed:
            where = place - 0.15
            shown.append((*entry.printed, where, PAPER, CARD, "diamond", "paper"))
    chart = Chart(
        title,
        "",
        "",
        x=_around([mean + side * sd for mean, sd, *_ in shown for side in (-1, 1)]),
        y=[0.5, 0.5 - len(names)],
        y_ticks=names,
        height=30 + 25 * len(names),
    )
    for mean, sd, place, colour, filled, marker, name in shown:
        chart.line([mean - sd, mean + sd], [place, place], colour)
        known = name in (key for key, *_ in chart.keys)
        chart.points([mean], [place], filled, "" if known else name, marker, colour)
    return Picture(chart)


def inside(
    values: Mapping[str, Array], title: str, tops: tuple[float, float]
) -> Picture:
    """Draw a layer's activations on the training rows and on a far point.

    Args:
        values: `mean` and `std` of each component over the training rows, its value
            at the far point (`stranger`), and the mean |`weight`| that follows it,
            (components,) each, by decreasing training variance.
        title: Method and layer.
        tops: Largest values of the two vertical axes.
    """
    mean, std = values["mean"], values["std"]
    x = np.arange(len(mean))
    edges = np.arange(len(mean) + 1) - 0.5
    upper = Chart(title, "", "activation", x=edges, y=[0, 1.05 * tops[0]])
    upper.bars(edges, values["stranger"], SECOND, "far point")
    low, high = np.maximum(mean - 2 * std, 0), mean + 2 * std
    upper.band(x, low, high, FIRST, "training, ±2 sd")
    label = "component, by decreasing training variance"
    lower = Chart("", label, "mean |weight|", x=edges, y=[0, 1.05 * tops[1]])
    lower.bars(edges, values["weight"], SOFT)
    return Picture(upper, lower)


def curves(
    lines: Mapping[str, tuple[Array, Array]],
    title: str,
    label: str,
    level: tuple[str, float] | None = None,
    log: bool = False,
) -> Picture:
    """Draw values by epoch, (epochs,) each, and a dashed line at `level` if given."""
    x, y = (np.concatenate(each) for each in zip(*lines.values(), strict=True))
    y = np.append(y, [] if level is None else level[1])
    chart = Chart(title, "epoch", label, x=x, y=y, log_y=log)
    for (name, line), colour in zip(lines.items(), COLOURS, strict=False):
        chart.line(*line, colour, name)
    if level is not None:
        chart.line(chart.range[0], [level[1]] * 2, INK, level[0], dashed=True)
    return Picture(chart)


def ablation(
    deltas: Sequence[float],
    lines: Mapping[str, Sequence[Entry]],
    levels: Mapping[str, Entry],
    title: str,
) -> Picture:
    """Draw NLL against δ, mean ± sd.

    Args:
        deltas: Values of δ, ascending.
        lines: NLL inside and outside, one per δ.
        levels: NLL of the deep ensemble, under the same names.
        title: Name of the task.
    """
    there = {
        name: [
            (delta, entry.mean, float(np.nan_to_num(entry.sd)))
            for delta, entry in zip(deltas, entries, strict=True)
            if entry
        ]
        for name, entries in lines.items()
    }
    values = [mean + side * sd for found in there.values() for _, mean, sd in found
              for side in (-1, 1)]  # fmt: skip
    values += [level.mean for level in levels.values() if level]
    ticks = {delta: f"{delta:g}" for delta in deltas}
    chart = Chart(title, "δ", "NLL", x=deltas, y=_around(values), x_ticks=ticks)
    for (name, found), colour in zip(there.items(), COLOURS, strict=False):
        if found:
            x, means, _ = np.array(found).T
            chart.line(x, means, colour)
            for place, mean, sd in found:
                chart.line([place, place], [mean - sd, mean + sd], colour)
            chart.points(x, means, colour, name)
        if levels[name]:
            level = [levels[name].mean] * 2
            chart.line(chart.range[0], level, colour, f"DE (NLL) {name}", dashed=True)
    return Picture(chart)


def filling(
    moments: Array, predicted: Array, measured: Array, without_log: Array, title: str
) -> Picture:
    """Draw the variance of each feature's weight, strongest first, (features,) each.

    Predictions of 0 are drawn at the bottom, as the axis is logarithmic.
    """
    order = np.argsort(-moments, kind="stable")
    x = np.arange(len(order))
    floor = 0.5 * measured.min()
    ticks = {float(k): f"{m:.2g}" for k, m in enumerate(moments[order])}
    ends = [floor * 0.8, 2 * max(without_log.max(), measured.max())]
    chart = Chart(
        title,
        "second moment of the feature",
        "variance of its weight",
        x=[-0.5, len(x) - 0.5],
        y=ends,
        log_y=True,
        x_ticks=ticks,
    )
    chart.line(x, np.maximum(predicted[order], floor), SECOND)
    for values, marker, colour, name in (
        (without_log, "cross", SOFT, "without log"),
        (predicted, "square", SECOND, "theorem 1"),
        (measured, "circle", FIRST, "measured"),
    ):
        chart.points(x, np.maximum(values[order], floor), colour, name, marker)
    return Picture(chart)


def _around(values: Sequence[float]) -> Array:
    """Return axis ends that leave some room around the values."""
    low, high = min(values), max(values)
    return np.array([low, high]) + 0.05 * (high - low) * np.array([-1, 1])
