"""Why a row is unfamiliar, in the words of its table: column, value, what was seen."""

from __future__ import annotations

from collections.abc import Sequence

from antireg.tables.names import short

MOST_REASONS = 3
"""Reasons given for one row, the most telling first."""


class About(str):
    """Words about a column, and the index of that column."""

    __slots__ = ("column",)  # three times as quick to make, and rows have several
    column: int

    @classmethod
    def of(cls, words: str, column: int) -> About:
        """Return the words with the column that they begin with."""
        said = cls(words)
        said.column = column
        return said

    def reasons(self) -> list[str]:
        """Return the reasons of which these are made, the first with its column."""
        one, *others = self.split("; ")
        return [About.of(one, self.column), *others]


def outside(side: str, n_seen: int, low: str, high: str) -> str:
    """Return what follows a column and its value that is on that side of all seen.

    For example, after area -999: "below all 2,344 seen (12 … 2,150)".
    """
    between = "to" if side in ("before", "after") else "…"
    return f"{side} all {n_seen:,} seen ({low} {between} {high})"


def unseen(column: str, value: str) -> str:
    """Return that no training row had this category."""
    return f"{column} {short(repr(value), 60)}: not seen"


def never_missing(column: str) -> str:
    """Return that every training row had a value."""
    return f"{column} missing: never missing in training"


def rare(said: str) -> str:
    """Return that few training rows had a category or a gap: income missing."""
    return f"{said}: rare in training"


def far(said: str, side: str, mean: str) -> str:
    """Return that a value is far below, above, before or after the mean.

    For example: area 2,100: far above the mean of training (431).
    """
    return f"{said}: far {side} the mean of training ({mean})"


def few_near(said: str) -> str:
    """Return that hardly any training row had such a value."""
    return f"{said}: few seen near it"


def never_together(first: str, second: str, n_seen: int) -> str:
    """Return that two values are usual, but not together.

    For example: heating 'oil' with built 2009: no such pair seen in 2,000 rows.
    """
    return f"{first} with {second}: no such pair seen in {n_seen:,} rows"


def in_a_gap(said: str, n_seen: int, below: str, above: str) -> str:
    """Return that a number is where no other was.

    For example: area 900: none of 1,000 seen between 431 and 1,600.
    """
    return f"{said}: none of {n_seen:,} seen between {below} and {above}"


def beside_others(said: str) -> str:
    """Return that a value is usual by itself, but not in its row."""
    return f"{said}: unusual beside the other columns"


def unreadable(column: str, text: str, kind: str) -> str:
    """Return that a cell is not of its column's kind."""
    nouns = {"numeric": "a number", "boolean": "true or false", "date": "a date"}
    return f"{column} {short(repr(text), 60)}: not {nouns.get(kind, 'text')}"


def joined(reasons: Sequence[str]) -> str:
    """Return the first few reasons as one text."""
    return "; ".join(reasons[:MOST_REASONS])


def number(value: float) -> str:
    """Return a number with enough digits to be told from its neighbours."""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{value:,.0f}"
    return f"{value:,.6g}"
