"""The axes of a chart: their ends, their ticks, and where a value lies on them."""

from __future__ import annotations

import math
from collections.abc import Sequence

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
    """Return about five round values and their labels, all written alike."""
    values = _round_values(low, high, log)
    return dict(zip(values, labels(values), strict=True))


def rounded(values: ArrayLike) -> tuple[float, float]:
    """Return the ends of an axis without logarithms that lie on ticks."""
    low, high = ends(values, False)
    for _ in range(4):  # wider ends may have ticks farther apart
        step = _step(low, high)
        low = math.floor(low / step + 1e-9) * step
        high = math.ceil(high / step - 1e-9) * step
    return low, high


def labels(values: Sequence[float]) -> list[str]:
    """Return labels that are written alike: 0.00, 0.25; 5,000, 10,000; 10⁶, 10⁷.

    Values of one size have equally many decimals; a logarithmic axis, whose values are
    of many sizes, only those it needs.
    """
    sizes = [_size(value) for value in values if value]
    if not sizes:
        return ["0" for _ in values]
    if min(sizes) < -4 or max(sizes) >= 6:
        return [_power(value) for value in values]
    n_decimals = [_n_decimals(value) for value in values]
    if max(sizes) - min(sizes) < 2:
        n_decimals = [max(n_decimals)] * len(values)
    both = zip(values, n_decimals, strict=True)
    return [_minus(f"{value + 0.0:,.{n}f}") for value, n in both]


def _power(value: float) -> str:
    """Return a value with an exponent: 10⁴, 3·10⁷; 0 stays 0."""
    if not value:
        return "0"
    size = _size(value)
    power = "10" + str(size).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    part = f"{value / 10.0**size:.6g}"
    return power if part == "1" else _minus(f"{part}·{power}")


def _size(value: float) -> int:
    return math.floor(math.log10(abs(value)) + 1e-9)


def _n_decimals(value: float) -> int:
    text = f"{value:.6f}".rstrip("0")
    return len(text) - text.index(".") - 1


def _minus(text: str) -> str:
    return text.replace("-", "−")


def _round_values(low: float, high: float, log: bool) -> list[float]:
    if log:
        first, last = math.ceil(math.log10(low)), math.floor(math.log10(high))
        if last - first >= 2:
            step = max(1, round((last - first) / 5))
            return [10.0**k for k in range(first, last + 1, step)]
        steps = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 5)]
        inside = [step for step in steps if low <= step <= high]
        return inside if len(inside) > 2 else _round_values(low, high, False)
    apart = _step(low, high)
    first = math.ceil(low / apart - 1e-9)
    return [k * apart for k in range(first, math.floor(high / apart + 1e-9) + 1)]


def _step(low: float, high: float) -> float:
    """Return a round distance of about five ticks."""
    step: float = 10.0 ** math.floor(math.log10((high - low) / 4))
    return step * next(m for m in (1, 2, 2.5, 5, 10) if (high - low) / (step * m) <= 5)
