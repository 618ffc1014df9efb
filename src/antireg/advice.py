"""Warnings that point to the line of the user, however deep they arise."""

from __future__ import annotations

import inspect
import warnings
from types import FrameType

BETWEEN = ("antireg", "sklearn", "joblib")
"""Packages whose code may stand between the user's line and a warning."""


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that led here.

    Args:
        text: What to do and why, in the user's terms.
        category: Of the warning.
    """
    frame, level = inspect.currentframe(), 1
    while frame is not None and _is_between(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _is_between(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] in BETWEEN
