"""Small charts as inline SVG, whose colours follow the reader's light or dark page."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from antireg.report.page import Html

Array = NDArray[np.float64]

FAMILIAR = "light-dark(#0072b2, #56b4e9)"
UNFAMILIAR = "light-dark(#c25e00, #ffab4d)"
THIRD = "light-dark(#0b7f63, #3ecfa3)"
WIDTH, HEIGHT = 400, 290
LEFT, RIGHT, TOP, BOTTOM = 52, 18, 54, 44


class Chart:
    """One drawing with two axes; what is drawn later lies above.

    Args:
        title: What it shows.
        x_label: Name of the horizontal axis.
        y_label: Name of the vertical axis.
        x: Values that must fit on the horizontal axis, any shape.
        y: Values that must fit on the vertical axis, any shape.
        log_x: Whether the axis is logarithmic; values at or below 0 go to its end.
        log_y: As `log_x`.
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
    ) -> None:
        """Set up the axes."""
        self.title = title
        self.labels = (x_label, y_label)
        self.log = (log_x, log_y)
        self.range = (_range(x, log_x), _range(y, log_y))
        self.parts: list[str] = []
        self.names: list[tuple[str, str]] = []

    def line(
        self,
        x: ArrayLike,
        y: ArrayLike,
        colour: str,
        name: str = "",
        dashed: bool = False,
    ) -> None:
        """Draw a line through points, (points,) each."""
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in self._places(x, y))
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        style = f'style="stroke:{colour}"'
        self.parts.append(
            f'<polyline fill="none" stroke-width="2"{dashes} {style} '
            f'points="{points}"/>'
        )
        self._name(name, colour)

    def points(self, x: ArrayLike, y: ArrayLike, colour: str, name: str = "") -> None:
        """Draw dots, (points,) each."""
        dots = "".join(
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2"/>' for a, b in self._places(x, y)
        )
        self.parts.append(f'<g style="fill:{colour}" fill-opacity=".45">{dots}</g>')
        self._name(name, colour)

    def bars(
        self, edges: Array, heights: ArrayLike, colour: str, name: str = ""
    ) -> None:
        """Draw bars from 0, edges (bars + 1,), heights (bars,)."""
        tops = self._places(edges[:-1], heights)
        ends = self._places(edges[1:], np.zeros(len(edges) - 1))
        bars = "".join(
            f'<rect x="{a:.1f}" y="{b:.1f}" width="{c - a:.1f}" height="{d - b:.1f}"/>'
            for (a, b), (c, d) in zip(tops, ends, strict=True)
        )
        self.parts.append(f'<g style="fill:{colour}" fill-opacity=".55">{bars}</g>')
        self._name(name, colour)

    def limit(self, value: float, name: str, axis: int = 0) -> None:
        """Draw a dashed line across at a value of the axis, 0 for x and 1 for y."""
        low, high = self.range[1 - axis]
        ends, same = [low, high], [value, value]
        x, y = (same, ends) if axis == 0 else (ends, same)
        self.line(x, y, "var(--ink)", dashed=True)
        (a, _), (_, b) = self._places(x, y)
        across = a > WIDTH / 2
        if axis == 1:
            self._text(LEFT + 4, b - 5, name, "start")
        elif across:
            self._text(a - 5, TOP + 12, name, "end")
        else:
            self._text(a + 5, TOP + 12, name, "start")

    def html(self) -> Html:
        """Return the drawing."""
        frame = "".join([*self._axis(0), *self._axis(1)])
        names = self._legend()
        title = html.escape(self.title)
        return Html(
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}" '
            'style="width:100%;max-width:40rem;height:auto;'
            "background:var(--card);border:1px solid var(--line);"
            'border-radius:.6rem;font:12px system-ui,sans-serif">'
            f'<text x="12" y="20" style="fill:var(--ink);font-weight:600">{title}'
            f"</text>{frame}{''.join(self.parts)}{names}</svg>\n"
        )

    def _places(self, x: ArrayLike, y: ArrayLike) -> list[tuple[float, float]]:
        """Return where points lie on the drawing."""
        shares = [
            _share(np.asarray(values, dtype=np.float64), *ends, log)
            for values, ends, log in zip((x, y), self.range, self.log, strict=True)
        ]
        across = LEFT + shares[0] * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - shares[1] * (HEIGHT - TOP - BOTTOM)
        return list(zip(across.tolist(), down.tolist(), strict=True))

    def _axis(self, axis: int) -> list[str]:
        ticks = _ticks(*self.range[axis], self.log[axis])
        parts = []
        for tick in ticks:
            other = self.range[1 - axis]
            x, y = ([tick] * 2, other) if axis == 0 else (other, [tick] * 2)
            (x1, y1), (x2, y2) = self._places(x, y)
            parts.append(
                f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                'style="stroke:var(--line)"/>'
            )
            shown = _shown(tick)
            if axis == 0:
                parts.append(_text(x1, HEIGHT - BOTTOM + 16, shown, "middle"))
            else:
                parts.append(_text(LEFT - 6, y1 + 4, shown, "end"))
        middle = (LEFT + WIDTH - RIGHT) / 2
        if axis == 0:
            return [*parts, _text(middle, HEIGHT - 10, self.labels[0], "middle")]
        height = (TOP + HEIGHT - BOTTOM) / 2
        turned = _text(0, 0, self.labels[1], "middle")
        return [
            *parts,
            f'<g transform="translate(13 {height}) rotate(-90)">{turned}</g>',
        ]

    def _legend(self) -> str:
        """Return the names in a row under the title."""
        parts, x = [], 12.0
        for name, colour in self.names:
            parts.append(
                f'<rect x="{x:.0f}" y="31" width="10" height="10" rx="2" '
                f'style="fill:{colour}"/>'
            )
            parts.append(_text(x + 15, 40, name, "start"))
            x += 33 + 6.2 * len(name)
        return "".join(parts)

    def _name(self, name: str, colour: str) -> None:
        if name:
            self.names.append((name, colour))

    def _text(self, x: float, y: float, text: str, anchor: str) -> None:
        self.parts.append(_text(x, y, text, anchor, "var(--ink)"))


def _text(
    x: float, y: float, text: str, anchor: str, colour: str = "var(--soft)"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'style="fill:{colour}">{html.escape(text)}</text>'
    )


def _shown(tick: float) -> str:
    """Return a round value in few signs: 0.5, 2,500, 10⁴, 3·10⁷."""
    size = math.floor(math.log10(abs(tick)) + 1e-9) if tick else 0
    if -4 < size < 4:
        return f"{tick:,.6g}"
    power = "10" + str(size).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    part = f"{tick / 10.0**size:.6g}"
    return power if part == "1" else f"{part}·{power}"


def _range(values: ArrayLike, log: bool) -> tuple[float, float]:
    """Return the ends of an axis that holds all values."""
    array = np.asarray(values, dtype=np.float64).ravel()
    array = array[np.isfinite(array) & ((array > 0) | (not log))]
    low, high = (array.min(), array.max()) if array.size else (1.0, 10.0)
    if log:
        # No more than twelve decades, or one odd row flattens all others.
        low = max(low, high * 1e-12)
        return (float(low), float(high)) if high > low else (low / 2, high * 2)
    return (float(low), float(high)) if high > low else (low - 0.5, high + 0.5)


def _share(values: Array, low: float, high: float, log: bool) -> Array:
    """Return where values lie between the ends of an axis, from 0 to 1."""
    if log:
        values = np.log(np.maximum(values, low))
        low, high = math.log(low), math.log(high)
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def _ticks(low: float, high: float, log: bool) -> Sequence[float]:
    """Return about five round values."""
    if log:
        first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
        if last - first >= 2:
            step = max(1, round((last - first) / 5))
            return [10.0**k for k in range(first, last + 1, step)]
        steps = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
        return [step for step in steps if low <= step <= high] or [low, high]
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(m for m in (1, 2, 2.5, 5, 10) if (high - low) / (step * m) <= 5)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]
