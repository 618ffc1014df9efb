"""Numbers in a readable form: 19,540, not 1.954e+04, and 3.2%, not 0.032."""

from __future__ import annotations

import math
import sys
import unicodedata
from typing import Any

SHARES = (
    "accuracy",
    "coverage_90",
    "false_alarm_rate",
    "flagged_share",
    "unknown_classes",
)
"""Names of values that are shares of rows."""


def number(value: float, digits: int = 4) -> str:
    """Return a number rounded to that many digits; very large ones have an exponent."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    size = math.floor(math.log10(abs(value)))
    if not -4 <= size < 9:
        return f"{value:.{digits - 1}e}"
    places = digits - 1 - size
    shown = f"{round(value, places):,.{max(places, 0)}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def printable(text: str) -> str:
    """Return text with characters escaped that a terminal would obey.

    These are control characters and marks that change the direction of writing.
    """
    return "".join(
        sign.encode("unicode_escape").decode()
        if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp")
        else sign
        for sign in text
    )


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.1f}%"


def named(name: str, value: Any, digits: int = 4) -> str:
    """Return a value in the form that suits its name: a percentage, a whole number."""
    if not isinstance(value, int | float) or abs(value) > sys.float_info.max:
        return str(value)
    if name in SHARES:
        return percent(value)
    if isinstance(value, float):
        whole = name == "rows" and math.isfinite(value)
        return str(int(value)) if whole else number(value, digits)
    return str(value)
