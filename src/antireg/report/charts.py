"""Charts as SVG whose colours follow the light or dark mode of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import ArrayLike

from antireg.predictive.values import Array
from antireg.report import axes, grid, hovering
from antireg.report.grid import LETTER, Box
from antireg.report.hovering import MOST_SPOTS
from antireg.report.pictures import CARD, INK, WIDTH, css, text
from antireg.report.shapes import AREA_KEY, LINE_KEY, MARKERS, POINT_KEY, boxes, runs
from antireg.tables.names import short

HEIGHT = 236.0
RIGHT, TOP = 18.0, 4.0
ENDS = np.array([0.0, 1.0])


class Chart:
    """One chart with two axes; later shapes are drawn over earlier ones.

    Args:
        title: What it shows.
        x_label: Name of the horizontal axis.
        y_label: Name of the vertical axis.
        x: Values that must fit on the horizontal axis, any shape.
        y: Values that must fit on the vertical axis, any shape.
        log_x: Whether the axis is logarithmic; values up to 0 are drawn at its end.
        log_y: As `log_x`.
        x_ticks: Labels by value, instead of round numbers.
        y_ticks: As `x_ticks`.
        height: Of the axes and their labels; title and legend are added above.
    """

    def __init__(
        self,
        title: str,
        x_label: str,
        y_label: str,
        *,
        x: ArrayLike,
        y: ArrayLike,
        log_x: bool = False,
        log_y: bool = False,
        x_ticks: Mapping[float, str] | None = None,
        y_ticks: Mapping[float, str] | None = None,
        height: float = HEIGHT,
    ) -> None:
        """Set up the axes."""
        self.title = title
        self.labels = (x_label, y_label)
        self.log = (log_x, log_y)
        self.range = (axes.ends(x, log_x), axes.ends(y, log_y))
        self.ticks = [
            given or axes.ticks(*ends, log)
            for given, ends, log in zip(
                (x_ticks, y_ticks), self.range, self.log, strict=True
            )
        ]
        widest = max(map(len, self.ticks[1].values()), default=0)
        self.left = (30 if y_label else 20) + LETTER * widest
        self.bottom = 44.0 if x_label else 26.0
        self.height = height
        self.drawn = Element("g")
        self.keys: list[tuple[str, str, dict[str, str]]] = []

    def line(
        self,
        x: ArrayLike,
        y: ArrayLike,
        colour: str,
        name: str = "",
        dashed: bool = False,
    ) -> None:
        """Draw a line through points, (points,) each."""
        style = {"fill": "none", "stroke": colour, "stroke-width": "2"}
        style |= {"stroke-dasharray": "5 4"} if dashed else {}
        low, high = self.range[1]
        beyond = (np.asarray(y) < low) | (np.asarray(y) > high)
        # A line that leaves the chart must not be drawn along its edge.
        moves = np.append(True, beyond[:-1] & beyond[1:])
        steps = zip(np.where(moves, "M", "L"), self._places(x, y), strict=True)
        path = "".join(step + place for step, place in steps)
        self._path(path, style, LINE_KEY, name)
        if name and not dashed:
            self._hover(x, y, name)

    def points(
        self,
        x: ArrayLike,
        y: ArrayLike,
        colour: str,
        name: str = "",
        marker: str = "circle",
        edge: str = CARD,
    ) -> None:
        """Draw a marker at each point, (points,) each, with an outline."""
        x, y = np.ravel(x), np.ravel(y)
        style = {"fill": colour, "stroke": edge}
        if marker == "dot":
            style = {"fill": colour, "fill-opacity": ".45"}
        elif marker == "cross":
            style = {"fill": "none", "stroke": colour, "stroke-width": "1.6"}
        shape = MARKERS[marker]
        group = SubElement(self.drawn, "g", style=css(style))
        # One path per marker, so that overlapping dots look darker.
        for place, values in zip(
            self._places(x, y), zip(x, y, strict=True), strict=True
        ):
            mark = SubElement(group, "path", d=f"M{place}{shape}")
            hovering.title(mark, hovering.at(name, self.labels, *values))
        self._name(name, style, POINT_KEY + shape)

    def bars(
        self, edges: ArrayLike, heights: ArrayLike, colour: str, name: str = ""
    ) -> None:
        """Draw bars from 0, edges (bars + 1,), heights (bars,)."""
        edges = np.asarray(edges, dtype=np.float64)
        first, last = self._along(edges, 0)[:-1], self._along(edges, 0)[1:]
        tops = self._along(heights, 1)
        floor = np.broadcast_to(self._along([0.0], 1), tops.shape)
        style = {"fill": colour, "fill-opacity": ".55"}
        self._path(boxes(first, last, floor, tops), style, AREA_KEY, name)

    def band(
        self,
        x: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        colour: str,
        name: str = "",
        opacity: float = 0.28,
    ) -> None:
        """Fill the area between two lines, (points,) each."""
        around = [*self._places(x, low), *reversed(self._places(x, high))]
        style = {"fill": colour, "fill-opacity": str(opacity)}
        self._path(f"M{'L'.join(around)}z", style, AREA_KEY, name)

    def shade(
        self, values: Array, levels: ArrayLike, colour: str, name: str = ""
    ) -> None:
        """Fill where values, (rows, columns) upwards, exceed levels; more for each."""
        levels = np.atleast_1d(np.asarray(levels, dtype=np.float64))
        style = {
            "fill": colour,
            "fill-opacity": f"{1 - 0.15 ** (1 / len(levels)):.3f}",
        }
        (left, right), (low, high) = (self._between(axis, ENDS) for axis in (0, 1))
        size = (right - left) / values.shape[1], (high - low) / values.shape[0]
        place = f"translate({left:.1f} {low:.1f}) scale({size[0]:.4f} {size[1]:.4f})"
        for level in levels:
            path = self._path(runs(values > level), style)
            path.set("transform", place)
            path.set("shape-rendering", "crispEdges")
        self._name(name, {"fill": colour, "fill-opacity": ".85"}, AREA_KEY)

    def columns(self, edges: ArrayLike, words: Sequence[str]) -> None:
        """Say something where the pointer is between two edges, (columns + 1,)."""
        across = self._along(edges, 0)
        low, high = (np.full(len(words), end) for end in self._between(1, ENDS))
        paths = [
            boxes(*(ends[k : k + 1] for ends in (across[:-1], across[1:], low, high)))
            for k in range(len(words))
        ]
        hovering.add_boxes(self.drawn, zip(paths, words, strict=True))

    def limit(self, value: float, name: str, axis: int = 0) -> None:
        """Draw a dashed line across the chart at a value of axis 0 (x) or 1 (y).

        Its name is in the legend: in the chart it would be printed over other shapes.
        """
        low, high = self.range[1 - axis]
        ends, same = [low, high], [value, value]
        both = (same, ends) if axis == 0 else (ends, same)
        self.line(*both, INK, name, dashed=True)

    def panel(self) -> tuple[Element, float]:
        """Return title, legend, axes and all shapes, and their height."""
        group = Element("g")
        text(group, 12, 20, self.title, colour=INK).set("font-weight", "600")
        x, y = 12.0, 39.0
        for name, key, style in self.keys:
            width = 38 + LETTER * len(name)
            if x > 12 and x + width > WIDTH:
                x, y = 12.0, y + 17
            place = f"translate({x:.0f} {y:.0f})"
            SubElement(group, "path", d=key, style=css(style), transform=place)
            text(group, x + 20, y, name)
            x += width
        top = y + 8 if self.keys else 28.0 if self.title else 4.0
        plot = SubElement(group, "g", transform=f"translate(0 {top:.0f})")
        bottom, upper = self._between(1, ENDS)
        left, right = self._between(0, ENDS)
        places = [self._along(list(ticks), a) for a, ticks in enumerate(self.ticks)]
        words = [list(ticks.values()) for ticks in self.ticks]
        box = Box(left, right, upper, bottom, self.height)
        grid.horizontal(plot, box, places[0], words[0], self.labels[0])
        grid.vertical(plot, box, places[1], words[1], self.labels[1])
        plot.append(self.drawn)
        return group, top + self.height

    def _along(self, values: ArrayLike, axis: int) -> Array:
        """Return the position of values of an axis, in SVG units."""
        array = np.asarray(values, dtype=np.float64)
        share = axes.share(array, *self.range[axis], self.log[axis])
        return self._between(axis, share)

    def _between(self, axis: int, share: Array) -> Array:
        """Return the position of shares of an axis, from 0 to 1, in SVG units."""
        if axis == 0:
            return self.left + share * (WIDTH - RIGHT - self.left)
        return self.height - self.bottom - share * (self.height - TOP - self.bottom)

    def _places(self, x: ArrayLike, y: ArrayLike) -> list[str]:
        both = zip(self._along(x, 0), self._along(y, 1), strict=True)
        return [f"{across:.1f},{down:.1f}" for across, down in both]

    def _hover(self, x: ArrayLike, y: ArrayLike, name: str) -> None:
        """Say both values where the pointer is at a point, (points,) each."""
        both = np.stack([np.ravel(x), np.ravel(y)]).astype(np.float64)
        kept = np.linspace(0, both.shape[1] - 1, min(MOST_SPOTS, both.shape[1]))
        both = both[:, kept.astype(int)]
        said = [hovering.at(name, self.labels, *pair) for pair in both.T]
        hovering.add_spots(self.drawn, zip(self._places(*both), said, strict=True))

    def _path(
        self, path: str, style: dict[str, str], key: str = "", name: str = ""
    ) -> Element:
        self._name(name, style, key)
        return SubElement(self.drawn, "path", d=path, style=css(style))

    def _name(self, name: str, style: dict[str, str], key: str) -> None:
        if name:
            self.keys.append((short(name, 54), key, style))
