"""What a chart says where the pointer rests: places with a title, without a script.

Browsers show the title of a shape as a tooltip, and screen readers read it. Places are
invisible until the pointer is there, so that they change nothing in a printed page.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement

from antireg.report import readable

SPOTS = "spots"
"""Class of the groups of such places; the style sheet shows the one that is hovered."""

MOST_SPOTS = 120
"""Places along one line; more could not be hit one by one."""

SIZE = 6.0
"""Radius of a place."""


def add_spots(drawn: Element, places: Iterable[tuple[str, str]]) -> None:
    """Add round places with their titles.

    Args:
        drawn: The shapes of a chart.
        places: "x,y" in SVG units, and what is said there.
    """
    group = _group(drawn)
    for place, words in places:
        x, y = place.split(",")
        title(SubElement(group, "circle", cx=x, cy=y, r=f"{SIZE:g}"), words)


def add_boxes(drawn: Element, boxes: Iterable[tuple[str, str]]) -> None:
    """Add places of any shape: an SVG path, and what is said there."""
    group = _group(drawn)
    for path, words in boxes:
        title(SubElement(group, "path", d=path), words)


def without_spots(root: Element) -> Element:
    """Return a picture after removing the places, which a file cannot show."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("class") == SPOTS:
                parent.remove(child)
    return root


def at(name: str, labels: tuple[str, str], x: float, y: float) -> str:
    """Return what is said of a point: the name of its line, and both its values."""
    values = (
        f"{label} {readable.number(value, 3)}" if label else readable.number(value, 3)
        for label, value in zip(labels, (float(x), float(y)), strict=True)
    )
    said = ", ".join(values)
    return f"{name}: {said}" if name else said


def title(shape: Element, words: str) -> None:
    """Say something where the pointer is on a shape."""
    SubElement(shape, "title").text = words


def _group(drawn: Element) -> Element:
    group = SubElement(drawn, "g", style="fill:transparent;stroke:none")
    group.set("class", SPOTS)
    return group
