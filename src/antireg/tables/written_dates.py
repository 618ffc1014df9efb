"""Dates as people write them, in many notations, as points in time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, timezone

_TIME = (
    r"(?:(?:t|,?\s+)(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)"
    r"(?:[.,](?P<part>\d{1,9}))?)?\s*(?P<half>[ap]\.?m\.?)?"
    r"\s*(?P<zone>z|utc|[+-]\d\d:?\d\d)?)?"
)
NUMBERED = re.compile(
    r"(?P<first>\d{1,4})(?P<mark>[-/.])(?P<middle>\d{1,2})(?P=mark)(?P<last>\d{1,4})"
    + _TIME
)
NAMED = re.compile(
    r"(?:(?P<day>\d{1,2})[-\s]?(?P<month>[a-z]{3,9})\.?,?[-\s]?"
    r"|(?P<month2>[a-z]{3,9})\.?\s(?P<day2>\d{1,2}),?\s)(?P<year>\d{4})" + _TIME
)
LONGEST = 64
"""Characters of a date."""

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)


def date_of(text: str, day_first: bool | None = None) -> datetime | None:
    """Return the point in time that a text says, or None."""
    lower = _matched(text)
    if found := NUMBERED.fullmatch(lower):
        day = _numbered(found, day_first)
    elif found := NAMED.fullmatch(lower):
        day = _named(found)
    else:
        return None
    if day is None:
        return None
    try:
        return datetime(*day) + _time(found)
    except (ValueError, OverflowError):
        return None


def looks_like_date(text: str) -> bool:
    """Return whether a text is written as dates are, if not of the calendar."""
    lower = _matched(text)
    return bool(NUMBERED.fullmatch(lower) or NAMED.fullmatch(lower))


def first_is_day(texts: Iterable[str]) -> bool | None:
    """Return whether days come before months, or None if nothing or all of it is said.

    31/1/2024 says so, 1/31/2024 says the opposite, and points are German.
    """
    said = set()
    for text in texts:
        found = NUMBERED.fullmatch(_matched(text))
        if found and len(found["first"]) <= 2:
            said.add(_order(found))
    said.discard(None)
    return said.pop() if len(said) == 1 else None


def _matched(text: str) -> str:
    """Return a text as patterns take it; none that is too long for a date.

    The time that a pattern takes may grow with the square of the length.
    """
    return text.lower() if len(text) <= LONGEST else ""


def _order(found: re.Match[str]) -> bool | None:
    """Return whether the first number of a date is the day, if it says so."""
    if found["mark"] == "." or int(found["first"]) > 12:
        return True
    return False if int(found["middle"]) > 12 else None


def _numbered(
    found: re.Match[str], day_first: bool | None
) -> tuple[int, int, int] | None:
    first, middle, last = (int(found[name]) for name in ("first", "middle", "last"))
    if len(found["first"]) == 4:
        return first, middle, last
    if len(found["first"]) == 3 or len(found["last"]) not in (2, 4):
        return None
    # As POSIX has it: 69 is 1969, 68 is 2068.
    year = last if len(found["last"]) == 4 else last + (1900 if last > 68 else 2000)
    order = day_first if day_first is not None else _order(found)
    if order is None:
        return None
    return (year, middle, first) if order else (year, first, middle)


def _named(found: re.Match[str]) -> tuple[int, int, int] | None:
    name = found["month"] or found["month2"]
    fitting = [k for k, month in enumerate(MONTHS, 1) if month.startswith(name)]
    if name == "sept":
        fitting = [9]
    if not fitting:
        return None
    return int(found["year"]), fitting[0], int(found["day"] or found["day2"])


def _time(found: re.Match[str]) -> timedelta:
    """Return the time of the day, in UTC if a zone is said."""
    if found["hour"] is None:
        return timedelta()
    hour, minute, second = (int(found[n] or 0) for n in ("hour", "minute", "second"))
    half = found["half"]
    if half and not 1 <= hour <= 12:
        raise ValueError("no such hour")
    if half:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    part = int((found["part"] or "0").ljust(6, "0")[:6])
    moment = datetime(2000, 1, 1, hour, minute, second, part, tzinfo=_zone(found))
    return moment.astimezone(UTC) - datetime(2000, 1, 1, tzinfo=UTC)


def _zone(found: re.Match[str]) -> timezone:
    zone = found["zone"]
    if zone in (None, "z", "utc"):
        return UTC
    digits = zone[1:].replace(":", "")
    size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-size if zone[0] == "-" else size)
