"""The lines of a chart at its ticks, and the labels beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element, SubElement

from antireg.predictive.values import Array
from antireg.report.pictures import LINE, css, text

LETTER = 6.3
"""Approximate width of a letter."""


class Box(NamedTuple):
    """Where the axes end, in SVG units, and how high the whole chart is."""

    left: float
    right: float
    top: float
    bottom: float
    height: float


def horizontal(
    plot: Element, box: Box, places: Array, words: Sequence[str], label: str
) -> None:
    """Draw the labels below, leaving out those that would overlap.

    Args:
        plot: To draw in.
        box: The chart.
        places: Of the ticks, in SVG units, (ticks,).
        words: Of the ticks, (ticks,).
        label: Name of the axis.
    """
    free = 0.0
    for x, shown in zip(places.tolist(), words, strict=True):
        _rule(plot, x, box.bottom, x, box.top)
        half = LETTER * len(shown) / 2
        if x - half >= free:
            text(plot, x, box.bottom + 16, shown, "middle")
            free = x + half + 4
    middle = (box.left + box.right) / 2
    text(plot, middle, box.height - 10, label, "middle")


def vertical(
    plot: Element, box: Box, places: Array, words: Sequence[str], label: str
) -> None:
    """Draw the labels at the left; the arguments are those of `horizontal`."""
    for y, shown in zip(places.tolist(), words, strict=True):
        _rule(plot, box.left, y, box.right, y)
        text(plot, box.left - 6, y + 4, shown, "end")
    if label:
        middle = (box.top + box.bottom) / 2
        written = text(plot, 0, 0, label, "middle")
        written.set("transform", f"translate(14 {middle:.0f}) rotate(-90)")


def _rule(plot: Element, x: float, y: float, x_end: float, y_end: float) -> None:
    path = f"M{x:.1f},{y:.1f}L{x_end:.1f},{y_end:.1f}"
    SubElement(plot, "path", d=path, style=css({"stroke": LINE}))
