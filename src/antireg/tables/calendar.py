"""Points in time as numbers, and as people write them.

A date becomes the days since 1970, and sine and cosine of where it is in the year, in
the week and, if training rows had times, in the day: 31 December is beside 1 January.
Times with a zone count as UTC.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from antireg.predictive.values import Array

YEAR, WEEK, DAY = 365.2425, 7.0, 1.0
"""Days of a year, as the calendar has them on average, of a week and of a day."""

FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""Of the years 1 to 9999, in days since 1970; a date outside is read as missing."""

CYCLES = {"year": YEAR, "week": WEEK, "day": DAY}


SECONDS = 86_400.0
"""Of a day."""


def periods(clock: bool) -> list[float]:
    """Return the days of each cycle; that of the day only if there are times."""
    return [days for name, days in CYCLES.items() if clock or name != "day"]


def cycle_names(clock: bool) -> list[str]:
    """Return the words for each feature after the first."""
    used = [name for name in CYCLES if clock or name != "day"]
    return [f"{wave} of the {name}" for name in used for wave in ("sine", "cosine")]


def cycles(days: Array, clock: bool) -> Array:
    """Return sine and cosine of 2π · days / period for each cycle, (rows, features)."""
    angles = [2 * np.pi * np.remainder(days, p) / p for p in periods(clock)]
    waves = [wave(angle) for angle in angles for wave in (np.sin, np.cos)]
    return np.stack(waves, axis=1)


def shown(days: float, clock: bool) -> str:
    """Return a point in time as people write it: 2026-03-01, or with its time."""
    moment = datetime(1970, 1, 1) + timedelta(days=days)
    return f"{moment:%Y-%m-%d %H:%M}" if clock else f"{moment:%Y-%m-%d}"
