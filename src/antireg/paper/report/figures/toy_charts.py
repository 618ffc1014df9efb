"""The charts of two small problems: points in a plane, and a curve along a line."""

from __future__ import annotations

import numpy as np

from antireg.predictive.values import Array
from antireg.report.charts import Chart
from antireg.report.pictures import DOUBT, FIRST, INK, SECOND, THIRD, WRONG, Picture

CLASSES = (("circle", SECOND), ("triangle", THIRD))
"""Marker and colour of the two classes of points in a plane."""
SHADES = np.arange(10) / 10 + 0.05


def uncertainty_map(
    unsure: Array, reach: float, points: Array, labels: Array, title: str
) -> Picture:
    """Draw how uncertain an ensemble is of two classes, over a square of the plane.

    Args:
        unsure: From 0, certain, to 1, a coin toss, (side, side), bottom row first.
        reach: The square is [−reach, reach]².
        points: Training points, (rows, 2).
        labels: Their classes, 0 and 1, (rows,).
        title: Name of the method.
    """
    chart = _plane(reach, title)
    chart.shade(unsure, SHADES, DOUBT, "coin toss")
    return _with_classes(chart, points, labels)


def ood_map(
    flagged: Array, reach: float, points: Array, labels: Array, title: str
) -> Picture:
    """Draw where a row would be flagged as unfamiliar.

    Args:
        flagged: 1 where it would, else 0, (side, side), bottom row first.
        reach: As in `uncertainty_map`, like the arguments below.
    """
    chart = _plane(reach, title)
    chart.shade(flagged, 0.5, DOUBT, "flagged")
    return _with_classes(chart, points, labels)


def bands(
    x: Array,
    mean: Array,
    std: Array,
    truth: Array,
    points: tuple[Array, Array],
    title: str,
) -> Picture:
    """Draw a ±2σ band along a line, with marks below where it misses the truth.

    Args:
        x: Inputs, (rows,).
        mean: Predictions at `x`, (rows,).
        std: σ at `x`, (rows,).
        truth: The noise-free targets at `x`, (rows,).
        points: Training inputs and targets, (points,) each.
        title: Name of the method.
    """
    chart = Chart(title, "", "", x=x, y=[-2.4, 2.4])
    low, high = mean - 2 * std, mean + 2 * std
    chart.band(x, low, high, FIRST, "±2σ")
    chart.line(x, mean, FIRST, "mean")
    chart.line(x, truth, INK, "truth", dashed=True)
    chart.points(*points, SECOND, "data")
    missed = (truth < low) | (truth > high)
    turns = missed[1:] != missed[:-1]
    ends = np.append(turns, True) | np.append(True, turns)
    floor = np.full(ends.sum(), chart.range[1][0])
    chart.band(x[ends], floor, floor + 0.16 * missed[ends], WRONG, "missed", 0.9)
    return Picture(chart)


def _plane(reach: float, title: str) -> Chart:
    ends = [-reach, reach]
    ticks = {value: f"{value:g}" for value in (-reach, 0.0, reach)}
    return Chart(
        title, "", "", x=ends, y=ends, x_ticks=ticks, y_ticks=ticks, height=379
    )


def _with_classes(chart: Chart, points: Array, labels: Array) -> Picture:
    for label, (marker, colour) in enumerate(CLASSES):
        x, y = points[labels == label].T
        chart.points(x, y, colour, f"class {label}", marker)
    return Picture(chart)
