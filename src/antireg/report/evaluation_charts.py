"""The charts of the evaluation page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from antireg.history import History
from antireg.methods.base import Shown
from antireg.predictive.values import Array
from antireg.report import axes, readable
from antireg.report.charts import Chart
from antireg.report.evaluation import Evaluation
from antireg.report.pictures import FIRST, SECOND, SOFT, THIRD, Picture

COLOURS = (FIRST, SECOND)
Drawn = list[tuple[str, Evaluation, str]]
"""Name of each file, what was measured on it, and its colour."""

MOST_DOTS = 500
TALLEST = 4.0
"""Height of the loss chart, in distances of the median from the lowest loss."""

BARS = 40
LEAST = 0.01
"""Share of scores that may lie below the axis; they are in its first bar."""


def histogram(
    scores: Mapping[str, Array], threshold: float, title: str = "OOD score"
) -> Picture:
    """Draw the share of rows by OOD score, with the threshold.

    Args:
        scores: (rows,) each, by name; those of familiar rows first.
        threshold: The score above which rows are flagged.
        title: Of the chart.
    """
    together = np.concatenate([*scores.values(), [threshold]])
    high = float(together.max())
    above = together[together > 0]
    least = float(np.quantile(above, LEAST)) if above.size else high
    # Few rows far below the others, often at 0, would take most of the chart.
    low = max(least, high * 1e-12, 1e-300)
    edges = np.geomspace(low, max(high, low * 1.01), BARS + 1)
    shares = {
        name: np.histogram(np.clip(found, low, edges[-1]), edges)[0] / len(found)
        for name, found in scores.items()
    }
    tallest = max(map(np.max, shares.values()))
    chart = Chart(title, "score", "share of rows", x=edges, y=[0, tallest], log_x=True)
    for (name, heights), colour in zip(shares.items(), COLOURS, strict=False):
        chart.bars(edges, heights, colour, name)
    chart.columns(edges, _bar_words(edges, shares))
    chart.limit(threshold, f"threshold {readable.number(threshold, 3)}")
    return Picture(chart)


def _bar_words(edges: Array, shares: Mapping[str, Array]) -> list[str]:
    """Return what is said of each bar: its scores, and its share of each file."""
    ends = [readable.number(edge, 3) for edge in edges]
    said = []
    for k in range(len(ends) - 1):
        parts = [
            f"{name} {readable.percent(found[k])}" for name, found in shares.items()
        ]
        scores = f"up to {ends[1]}" if k == 0 else f"{ends[k]} to {ends[k + 1]}"
        said.append(f"score {scores}: {', '.join(parts)}")
    return said


def calibration(drawn: Drawn) -> Picture:
    """Draw observed against nominal levels; see `Evaluation.calibration`."""
    if drawn[0][1].coverage is None:
        labels = "confidence", "accuracy"
    else:
        labels = "quantile", "share of targets under it"
    curves = [found.calibration for _, found, _ in drawn]
    return _beside_diagonal("Calibration", *labels, drawn, curves)


def coverage(drawn: Drawn) -> Picture:
    """Draw the share of targets inside intervals, by nominal coverage."""
    labels = "nominal coverage", "targets inside"
    curves = [found.coverage for _, found, _ in drawn if found.coverage is not None]
    return _beside_diagonal("Interval coverage", *labels, drawn, curves)


def _beside_diagonal(
    title: str, x_label: str, y_label: str, drawn: Drawn, curves: Sequence[Array]
) -> Picture:
    chart = Chart(title, x_label, y_label, x=[0, 1], y=[0, 1])
    chart.line([0, 1], [0, 1], SOFT, dashed=True)
    for (name, _, colour), (expected, observed) in zip(drawn, curves, strict=True):
        chart.line(expected, observed, colour, name)
    return Picture(chart)


def error(drawn: Drawn) -> Picture:
    """Draw errors against the model's uncertainty."""
    if drawn[0][1].coverage is None:
        return _error_rates(drawn)
    values = [(f.uncertainty[:MOST_DOTS], f.error[:MOST_DOTS]) for _, f, _ in drawn]
    x = np.concatenate([u for u, _ in values])
    y = np.concatenate([e for _, e in values])
    floor = np.maximum(y, 1e-3 * max(float(np.median(y)), 1e-300))
    chart = Chart(
        "Error against uncertainty", "standard deviation", "error",
        x=x, y=floor, log_x=True, log_y=True,
    )  # fmt: skip
    for (name, _, colour), (u, e) in zip(drawn, values, strict=True):
        chart.points(u, e, colour, name, "dot")
    bottom = max(chart.range[0][0], chart.range[1][0])
    top = min(chart.range[0][1], chart.range[1][1])
    if top > bottom:
        chart.line([bottom, top], [bottom, top], SOFT, dashed=True)
    return Picture(chart)


def losses(history: History, shown: Sequence[Shown]) -> Picture:
    """Draw training and validation losses, and the losses that the method shows."""
    train, validation = history.loss.mean(1), history.validation_loss.mean(1)
    low, high = _learned_range(np.stack([train, validation]))
    near = (low - TALLEST * (high - low), high + TALLEST * (high - low))
    lines = [one for one in shown if near[0] < one.value < near[1]]
    ends = axes.rounded([low, high, *(line.value for line in lines)])
    x = axes.rounded([0, history.n_epochs])
    chart = Chart("Loss", "epoch", "loss", x=x, y=ends)
    chart.line(history.epochs, train, FIRST, "training")
    chart.line(history.epochs, validation, SECOND, "validation")
    for line in lines:
        value = readable.number(line.value, 3)
        chart.limit(line.value, f"{line.symbol} = {value}", axis=1)
    return Picture(chart)


def _learned_range(curves: Array) -> tuple[float, float]:
    """Return the losses that matter: not the fall of the first epochs, nor a blow-up.

    It is the range after the first tenth of the epochs, but no more than `TALLEST`
    times as high as from the lowest loss to the median.

    Args:
        curves: (curves, epochs).
    """
    later = curves[:, curves.shape[1] // 10 :]
    low, middle, high = np.quantile(later[np.isfinite(later)], [0, 0.5, 1])
    tallest = low + TALLEST * (middle - low) if middle > low else high
    return float(low), float(min(high, tallest))


def growth(history: History) -> Picture | None:
    """Draw how often λ was on, and how the weights grew; None if it never was."""
    weight, control = history.weight.mean(1), history.control.mean(1)
    if not control.any():
        return None
    chart = Chart(
        "λ and size of the weights", "epoch", "share of batches; of largest |θ|",
        x=axes.rounded([0, history.n_epochs]), y=[0, 1],
    )  # fmt: skip
    chart.line(history.epochs, control, THIRD, "share of batches with λ = 1")
    largest = float(weight.max())
    chart.line(
        history.epochs, weight / largest, FIRST, f"mean |θ|, up to {largest:.3g}"
    )
    return Picture(chart)


def _error_rates(drawn: Drawn) -> Picture:
    """Draw the share of wrong labels in ten groups of rows, by OOD score."""
    tenths = []
    for _, found, _ in drawn:
        parts = np.array_split(np.argsort(found.scores), min(10, len(found.scores)))
        pairs = [(found.scores[p].mean(), found.error[p].mean()) for p in parts]
        tenths.append(np.array(pairs).T)
    chart = Chart(
        "Error against uncertainty", "OOD score, ten groups of rows",
        "share of wrong labels", x=np.concatenate([t[0] for t in tenths]), y=[0, 1],
        log_x=True,
    )  # fmt: skip
    for (name, _, colour), values in zip(drawn, tenths, strict=True):
        chart.line(values[0], values[1], colour, name)
        chart.points(values[0], values[1], colour)
    return Picture(chart)
