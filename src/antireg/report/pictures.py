"""Charts in one frame, as part of a page or as a separate file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol
from xml.etree.ElementTree import Element, SubElement, tostring

from antireg.report.hovering import without_spots

COLOURS = {
    "paper": ("#fbfaf8", "#12161c"),
    "card": ("#ffffff", "#1b212a"),
    "ink": ("#1d2430", "#e8eaee"),
    "soft": ("#5b6574", "#a3adba"),
    "line": ("#e2e0da", "#313a46"),
    "accent": ("#0b62a8", "#7dbcf2"),
    "warn": ("#a84300", "#ffab4d"),
    "first": ("#0072b2", "#56b4e9"),
    "second": ("#c25e00", "#ffab4d"),
    "third": ("#0b7f63", "#3ecfa3"),
    "doubt": ("#4a3a94", "#a99cf5"),
    "wrong": ("#b8322a", "#ff7a70"),
}
"""For a light and for a dark page; colour-blind readers can tell them apart."""
INK, SOFT, LINE, CARD = "var(--ink)", "var(--soft)", "var(--line)", "var(--card)"
FIRST, SECOND, THIRD = "var(--first)", "var(--second)", "var(--third)"
DOUBT, WRONG = "var(--doubt)", "var(--wrong)"
WIDTH = 400.0


class Panel(Protocol):
    """One part of a picture, such as a `Chart`."""

    title: str

    def panel(self) -> tuple[Element, float]:
        """Return an SVG group that is `WIDTH` wide, and its height."""


class Picture:
    """Charts in one or several columns; templates insert it without escaping.

    Args:
        charts: Row by row.
        columns: Number of charts in a row.
    """

    def __init__(self, *charts: Panel, columns: int = 1) -> None:
        """Store the charts."""
        self.charts = charts
        self.columns = columns

    def __html__(self) -> str:
        """Return the picture for a page that defines the colours."""
        return tostring(self._svg(), encoding="unicode")

    def file(self) -> bytes:
        """Return the picture as an SVG file, in the colours of a light page.

        Colours are written as values, since many programs do not know CSS variables.
        """
        root = without_spots(self._svg())
        root.set("xmlns", "http://www.w3.org/2000/svg")
        text = tostring(root, encoding="unicode")
        text = re.sub(r"var\(--(\w+)\)", lambda found: COLOURS[found[1]][0], text)
        return text.encode()

    def _svg(self) -> Element:
        root = Element("svg", role="img")
        root.set("aria-label", "; ".join(c.title for c in self.charts if c.title))
        root.set("style", "font:12px system-ui,sans-serif")
        style = css({"fill": CARD, "stroke": LINE})
        frame = SubElement(root, "rect", x="0.5", y="0.5", rx="9", style=style)
        y, height = 0.0, 0.0
        for number, chart in enumerate(self.charts):
            column = number % self.columns
            y, height = (y + height, 0.0) if column == 0 else (y, height)
            group, own = chart.panel()
            group.set("transform", f"translate({column * WIDTH:.0f} {y:.0f})")
            root.append(group)
            height = max(height, own)
        whole = self.columns * WIDTH, y + height
        root.set("viewBox", f"0 0 {whole[0]:.0f} {whole[1]:.0f}")
        frame.set("width", f"{whole[0] - 1:.0f}")
        frame.set("height", f"{whole[1] - 1:.0f}")
        return root


def css(style: Mapping[str, str]) -> str:
    """Return the value of an attribute `style`."""
    return ";".join(f"{name}:{value}" for name, value in style.items())


def text(
    parent: Element,
    x: float,
    y: float,
    words: str,
    anchor: str = "start",
    colour: str = SOFT,
) -> Element:
    """Add text that starts, ends or is centred at a place, depending on `anchor`."""
    place = {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor}
    written = SubElement(parent, "text", place, style=css({"fill": colour}))
    written.text = words
    return written
