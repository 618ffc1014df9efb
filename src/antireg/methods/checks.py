"""What settings of methods may be; errors say so."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection
from typing import Any

from antireg.rows.checks import LARGEST, shown


def is_auto(name: str, value: object) -> bool:
    """Return whether a setting is "auto"; raise if it is not a number either."""
    if isinstance(value, str) and value == "auto":
        return True
    if not _is_number(value):
        raise ValueError(f'{name} must be a number or "auto", got {shown(value)}.')
    return False


def not_negative(name: str, value: Any) -> None:
    """Raise if a setting is not a number of at least 0."""
    if not _is_number(value) or not value >= 0:
        raise ValueError(f"{name} must be a number, 0 or more, got {shown(value)}.")
    if value > LARGEST:
        raise ValueError(f"{name} must be {LARGEST:g} at most, got {shown(value)}.")


def is_one_of(name: str, value: Any, words: Collection[str]) -> None:
    """Raise if a setting is none of these words."""
    if not isinstance(value, str) or value not in words:
        listed = " or ".join(f'"{word}"' for word in words)
        raise ValueError(f"{name} must be {listed}, got {shown(value)}.")


def is_count(name: str, value: Any, most: int) -> None:
    """Raise if a setting is not a whole number from 1 to `most`."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or not 1 <= int(value) <= most:
        raise ValueError(
            f"{name} must be a whole number from 1 to {most}, got {shown(value)}."
        )


def _is_number(value: object) -> bool:
    """Return whether this is a real number that a float can hold."""
    try:
        return isinstance(value, numbers.Real) and not math.isnan(value)
    except OverflowError:
        return False
