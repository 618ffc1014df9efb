"""How one column of a table becomes numbers, and what training rows had in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.predictive.values import Array
from antireg.storage.fields import Fields
from antireg.tables import calendar, wording
from antireg.tables.names import short
from antireg.tables.notation import USUAL, Notation

KINDS = ("numeric", "boolean", "categorical", "date")
TARGET_KINDS = KINDS[:3]
LARGEST = float(np.finfo(np.float64).max)
MISSING = "(missing)"
EARLIEST_YEAR, LAST_YEAR = 1500, 2200
"""A column of numbers between these is taken for years when it is written."""


@dataclass(frozen=True)
class Seen:
    """What training rows had in a column of numbers or dates.

    Attributes:
        rows: How many had a value.
        low: The smallest; of dates in days since 1970.
        high: The largest.
    """

    rows: int
    low: float
    high: float


@dataclass(frozen=True)
class Column:
    """How one column of a table is read.

    Attributes:
        name: In the table.
        kind: One of `KINDS`.
        fill: What stands for a missing number or date: the mean of the training rows.
        missing: Whether some training rows lack its value.
        categories: The values of a categorical column, sorted.
        seen: What training rows had; None for categories, and in older models.
        clock: Whether dates have a time of the day.
        notation: How its cells are written in files of text.
    """

    name: str
    kind: str
    fill: float = 0.0
    missing: bool = False
    categories: tuple[str, ...] = ()
    seen: Seen | None = None
    clock: bool = False
    notation: Notation = USUAL

    @property
    def parts(self) -> list[list[str]]:
        """Names of the features it becomes, grouped by what they tell.

        A number, and whether it is missing; a category, and whether it is unseen.
        """
        gap = [[f"{self.name} is missing"]] if self.missing else []
        if self.kind == "categorical":
            known = [*self.categories, *([MISSING] if self.missing else [])]
            named = [f"{self.name} = {value}" for value in known]
            return [*([named] if named else []), [f"{self.name} is unseen"]]
        if self.kind == "date":
            waves = calendar.cycle_names(self.clock)
            named = [f"{self.name}, {wave}" for wave in waves]
            pairs = [named[k : k + 2] for k in range(0, len(named), 2)]
            return [[self.name], *pairs, *gap]
        return [[self.name], *gap]

    @property
    def features(self) -> list[str]:
        """Names of the features it becomes."""
        return [name for part in self.parts for name in part]

    def shown(self, value: float) -> str:
        """Return a value of its first feature as people write it."""
        if self.kind == "date":
            return calendar.shown(value, self.clock)
        if self.kind == "boolean":
            return str(bool(value)).lower()
        if abs(value) == LARGEST:
            return "infinite"
        if self._holds_years and abs(value) < 10_000:
            return f"{value:.0f}"  # 2009, not 2,009
        return wording.number(value)

    @property
    def _holds_years(self) -> bool:
        """Whether its numbers look like years."""
        seen = self.seen
        return seen is not None and seen.low >= EARLIEST_YEAR and seen.high < LAST_YEAR

    def said(self, features: Array) -> list[str]:
        """Return the column and its value in each row: heating 'oil', (rows,).

        Args:
            features: Of this column, (rows, features).
        """
        if self.kind == "categorical":
            return [self._categories[place] for place in features.argmax(1).tolist()]
        values = features[:, 0].tolist()
        # Rows by the thousand ask, often of the same few values.
        words = {value: f"{self.name} {self.shown(value)}" for value in set(values)}
        said = [words[value] for value in values]
        for row in np.flatnonzero(self.gaps(features)).tolist():
            said[row] = f"{self.name} missing"
        return said

    def gaps(self, features: Array) -> NDArray[np.bool_]:
        """Return in which rows a number, date or truth value is missing, (rows,)."""
        if self.missing and self.kind != "categorical":
            return np.asarray(features[:, -1] != 0)
        return np.zeros(len(features), bool)

    @cached_property
    def _categories(self) -> list[str]:
        """What is said of each category, of a gap if there can be one, and of others.

        The last is of values that training never had.
        """
        known = [short(repr(value), 60) for value in self.categories]
        known += ["missing"] if self.missing else []
        return [f"{self.name} {value}" for value in [*known, repr("(unseen)")]]

    def strange(self, value: str | None) -> str:
        """Return in words that no training row had this value, None for a gap."""
        if value is None:
            return wording.never_missing(self.name)
        return wording.unseen(self.name, value)

    def outside_by(self, values: Array) -> NDArray[np.int8]:
        """Return 1 for values above all of training, −1 below, else 0, (rows,)."""
        if self.seen is None:
            return np.zeros(len(values), np.int8)
        above, below = values > self.seen.high, values < self.seen.low
        return above.astype(np.int8) - below.astype(np.int8)

    def outside(self, value: float) -> str:
        """Return in words that a value is outside the range of training, or ""."""
        if self.seen is None or self.seen.low <= value <= self.seen.high:
            return ""
        return f"{self.name} {self.shown(value)}: {self.beyond(value > self.seen.high)}"

    def beyond(self, larger: bool) -> str:
        """Return what is said of values on that side of all training rows, or ""."""
        return self._beyond[int(larger)]

    @cached_property
    def _beyond(self) -> tuple[str, str]:
        """What is said of smaller and of larger values; rows by the thousand ask."""
        if self.seen is None:
            return "", ""
        rows, low, high = self.seen.rows, self.seen.low, self.seen.high
        seen = rows, self.shown(low), self.shown(high)
        below, above = (self.side(larger) for larger in (False, True))
        return wording.outside(below, *seen), wording.outside(above, *seen)

    def side(self, larger: bool) -> str:
        """Return the word for values that are larger, or smaller, than others."""
        sides = ("before", "after") if self.kind == "date" else ("below", "above")
        return sides[int(larger)]

    def described(self) -> dict[str, Any]:
        """Return the column as JSON."""
        values = asdict(self) | {"notation": self.notation._asdict()}
        told = {
            "fill": self.kind != "categorical",
            "categories": self.kind == "categorical",
            "seen": self.seen is not None,
            "clock": self.kind == "date",
            "notation": self.notation != USUAL,
        }
        return {name: value for name, value in values.items() if told.get(name, True)}


def column_from(fields: Fields) -> Column:
    """Return a column of a stored model, every value checked."""
    kind, missing = fields.choice("kind", KINDS), fields.flag("missing")
    notation = _notation(fields)
    if kind == "categorical":
        categories = tuple(fields.texts("categories"))
        if len(set(categories)) < len(categories):
            raise fields.wrong("categories", "must differ")
        return Column(
            fields.text("name"), kind, 0.0, missing, categories, notation=notation
        )
    seen = _seen(fields.inner("seen")) if "seen" in fields.values else None
    clock = fields.flag("clock") if kind == "date" else False
    fill = fields.number("fill")
    if kind == "date":
        _check_dates(fields, [fill, *([seen.low, seen.high] if seen else [])])
    name = fields.text("name")
    return Column(name, kind, fill, missing, seen=seen, clock=clock, notation=notation)


def _seen(fields: Fields) -> Seen:
    seen = Seen(fields.count("rows"), fields.number("low"), fields.number("high"))
    if seen.low > seen.high:
        raise fields.wrong("low", "must be at most high")
    return seen


def _notation(fields: Fields) -> Notation:
    if "notation" not in fields.values:
        return USUAL
    inner = fields.inner("notation")
    first = None if inner.get("day_first") is None else inner.flag("day_first")
    return Notation(tuple(inner.texts("gaps")), first)


def _check_dates(fields: Fields, days: Iterable[float]) -> None:
    if not all(calendar.FIRST_DAY <= day < calendar.LAST_DAY + 1 for day in days):
        raise fields.wrong("fill", "and what was seen must be days of the calendar")
