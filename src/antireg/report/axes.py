"""The axes of a chart: their ends, their ticks, and where a value lies on them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from antireg.predictive.values import Array


def ends(values: ArrayLike, log: bool) -> tuple[float, float]:
    """Return the ends of an axis that contains all values."""
    array = np.asarray(values, dtype=np.float64).ravel()
    array = array[np.isfinite(array) & ((array > 0) | (not log))]
    low, high = (array.min(), array.max()) if array.size else (1.0, 10.0)
    if log:
        # At most twelve decades: otherwise one odd row flattens all others.
        low = max(low, high * 1e-12)
        return (float(low), float(high)) if high > low else (low / 2, high * 2)
    return (float(low), float(high)) if high > low else (low - 0.5, high + 0.5)


def share(values: Array, low: float, high: float, log: bool) -> Array:
    """Return where values lie between the ends of an axis, from 0 to 1."""
    if log:
        values = np.log(np.maximum(values, low))
        low, high = math.log(low), math.log(high)
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def ticks(low: float, high: float, log: bool) -> dict[float, str]:
    """Return about five round values and their labels."""
    return {value: shown(value) for value in _round_values(low, high, log)}


def shown(tick: float) -> str:
    """Return a short label for a round value: 0.5, 2,500, 10⁴, 3·10⁷."""
    size = math.floor(math.log10(abs(tick)) + 1e-9) if tick else 0
    if -4 < size < 4:
        return f"{tick:,.6g}"
    power = "10" + str(size).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    part = f"{tick / 10.0**size:.6g}"
    return power if part == "1" else f"{part}·{power}"


def _round_values(low: float, high: float, log: bool) -> list[float]:
    if log:
        first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
        if last - first >= 2:
            step = max(1, round((last - first) / 5))
            return [10.0**k for k in range(first, last + 1, step)]
        steps = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
        inside = [step for step in steps if low <= step <= high]
        return inside if len(inside) > 2 else _round_values(low, high, False)
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(m for m in (1, 2, 2.5, 5, 10) if (high - low) / (step * m) <= 5)
    first = math.ceil(low / step - 1e-9)
    return [k * step for k in range(first, math.floor(high / step + 1e-9) + 1)]
