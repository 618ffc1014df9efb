"""How the cells of a column are written in files of text, and a cell that is not so."""

from __future__ import annotations

from typing import NamedTuple


class Notation(NamedTuple):
    """How the cells of one column are written.

    Attributes:
        gaps: Words that mean a missing value in it.
        day_first: Whether 3/4/2024 is in April; None if that was never asked.
    """

    gaps: tuple[str, ...] = ()
    day_first: bool | None = None


class BadCell(NamedTuple):
    """A cell that is not of its column's kind."""

    row: int
    column: str
    text: str


USUAL = Notation()
