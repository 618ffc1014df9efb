"""The drawings of the evaluation page."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from antireg.history import History
from antireg.methods.base import Shown
from antireg.report.charts import FAMILIAR, THIRD, UNFAMILIAR, Chart
from antireg.report.evaluation import Evaluation
from antireg.report.page import Html

COLOURS = (FAMILIAR, UNFAMILIAR)
Drawn = list[tuple[str, Evaluation, str]]
"""Name of a file, what was found, and its colour."""

MOST_DOTS = 500
BARS = 40


def histogram(drawn: Drawn, limit: float) -> Html:
    """Draw the share of rows by OOD score, with the threshold."""
    scores = np.concatenate([found.scores for _, found, _ in drawn])
    smallest = float(scores[scores > 0].min()) if (scores > 0).any() else 1.0
    low, high = min(smallest, limit), max(float(scores.max()), limit)
    low = max(low, high * 1e-12)
    edges = np.geomspace(low, max(high, low * 1.01), BARS + 1)
    shares = [
        np.histogram(np.clip(found.scores, low, high), edges)[0] / len(found.scores)
        for _, found, _ in drawn
    ]
    chart = Chart(
        "OOD score", "score", "share of rows", x=edges, y=[0, *shares[0], *shares[-1]],
        log_x=True,
    )  # fmt: skip
    for (name, _, colour), heights in zip(drawn, shares, strict=True):
        chart.bars(edges, heights, colour, name)
    chart.limit(limit, "threshold")
    return chart.html()


def calibration(drawn: Drawn) -> Html:
    """Draw what share of targets is where the model says."""
    if drawn[0][1].coverage is None:
        title, x, y = "Calibration", "confidence", "accuracy"
    else:
        title, x, y = "Calibration", "quantile", "share of targets under it"
    chart = Chart(title, x, y, x=[0, 1], y=[0, 1])
    chart.line([0, 1], [0, 1], "var(--soft)", dashed=True)
    for name, found, colour in drawn:
        expected, observed = found.calibration
        chart.line(expected, observed, colour, name)
    return chart.html()


def coverage(drawn: Drawn) -> Html:
    """Draw how many targets intervals hold."""
    chart = Chart(
        "Interval coverage", "coverage asked for", "targets inside", x=[0, 1], y=[0, 1]
    )
    chart.line([0, 1], [0, 1], "var(--soft)", dashed=True)
    for name, found, colour in drawn:
        assert found.coverage is not None
        expected, observed = found.coverage
        chart.line(expected, observed, colour, name)
    return chart.html()


def error(drawn: Drawn) -> Html:
    """Draw errors against what the model expects of them."""
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
        chart.points(u, e, colour, name)
    bottom = max(chart.range[0][0], chart.range[1][0])
    top = min(chart.range[0][1], chart.range[1][1])
    if top > bottom:
        chart.line([bottom, top], [bottom, top], "var(--soft)", dashed=True)
    return chart.html()


def losses(history: History, shown: Sequence[Shown]) -> Html:
    """Draw the losses of training, with what the method shows beside them."""
    train, held_out = history.loss.mean(1), history.validation_loss.mean(1)
    middle = np.quantile(np.concatenate([train, held_out]), [0, 0.97])
    lines = [one for one in shown if math.isfinite(one.value)]
    values = [*middle, *(line.value for line in lines)]
    chart = Chart("Loss", "epoch", "loss", x=[1, history.n_epochs], y=values)
    chart.line(history.epochs, train, FAMILIAR, "training")
    chart.line(history.epochs, held_out, UNFAMILIAR, "held out")
    for line in lines:
        chart.limit(line.value, line.symbol, axis=1)
    return chart.html()


def growth(history: History) -> Html:
    """Draw how often λ was on, and how the weights grew."""
    weight, control = history.weight.mean(1), history.control.mean(1)
    chart = Chart(
        "λ and size of the weights", "epoch", "share; weights of their largest",
        x=[1, history.n_epochs], y=[0, 1],
    )  # fmt: skip
    chart.line(history.epochs, control, THIRD, "share of batches with λ = 1")
    largest = float(weight.max())
    chart.line(
        history.epochs, weight / largest, FAMILIAR, f"mean |θ|, up to {largest:.3g}"
    )
    return chart.html()


def _error_rates(drawn: Drawn) -> Html:
    """Draw the share of wrong labels in tenths of the rows, by OOD score."""
    tenths = []
    for _, found, _ in drawn:
        parts = np.array_split(np.argsort(found.scores), min(10, len(found.scores)))
        pairs = [(found.scores[p].mean(), found.error[p].mean()) for p in parts]
        tenths.append(np.array(pairs).T)
    chart = Chart(
        "Error against uncertainty", "OOD score, by tenths of the rows",
        "share of wrong labels", x=np.concatenate([t[0] for t in tenths]), y=[0, 1],
        log_x=True,
    )  # fmt: skip
    for (name, _, colour), values in zip(drawn, tenths, strict=True):
        chart.line(values[0], values[1], colour, name)
        chart.points(values[0], values[1], colour)
    return chart.html()
