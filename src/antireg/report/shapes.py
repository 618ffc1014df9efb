"""The shapes in charts, as SVG paths."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.predictive.values import Array

MARKERS = {
    "dot": "m-2,0a2,2 0 1,0 4,0a2,2 0 1,0-4,0",
    "circle": "m-3.5,0a3.5,3.5 0 1,0 7,0a3.5,3.5 0 1,0 -7,0z",
    "triangle": "m0,-4.2l4,7h-8z",
    "diamond": "m0,-4.5l4.5,4.5l-4.5,4.5l-4.5,-4.5z",
    "square": "m-3.2,-3.2h6.4v6.4h-6.4z",
    "cross": "m-3.5,-3.5l7,7m0,-7l-7,7",
}
AREA_KEY, LINE_KEY, POINT_KEY = "M0,-9h11v10h-11z", "M0,-4h15", "M6,-4"
"""What the legend shows beside a name: a box, a line, or the place of a marker."""


def boxes(left: Array, right: Array, low: Array, high: Array) -> str:
    """Return the path of boxes, given their edges in SVG units, (boxes,) each."""
    corners = np.stack([left, high, right, low], axis=1)
    return "".join(
        f"M{a:.1f},{b:.1f}H{c:.1f}V{d:.1f}H{a:.1f}z" for a, b, c, d in corners
    )


def runs(inside: NDArray[np.bool_]) -> str:
    """Return the path around the true cells of a grid, (rows, columns), of size 1."""
    change = np.diff(np.pad(inside, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    row, start = np.nonzero(change > 0)
    _, end = np.nonzero(change < 0)
    return "".join(
        f"M{a} {r}h{b - a}v1h{a - b}z" for r, a, b in zip(row, start, end, strict=True)
    )
