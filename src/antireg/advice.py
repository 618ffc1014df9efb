"""Warnings that point to the line of the user, however deep they arise."""

from __future__ import annotations

import inspect
import warnings
from types import FrameType


def warn_user(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's code that led here.

    Args:
        text: What to do and why, in the user's terms.
        category: Of the warning.
    """
    frame, level = inspect.currentframe(), 1
    while frame is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def _is_ours(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0] == "antireg"
