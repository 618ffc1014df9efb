"""Names of columns and cells, and counts, as messages show them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def short(text: str, most: int = 200) -> str:
    """Return a text, or its beginning if it is long."""
    return text if len(text) <= most else f"{text[:most]} …"


def listing(names: Sequence[str], most: int = 8) -> str:
    """Return names in quotes, or the first and how many there are more."""
    some = ", ".join(short(repr(name), 60) for name in names[:most])
    left = len(names) - most
    return f"{some} and {left} more" if left > 0 else some


def columns(names: Sequence[str]) -> str:
    """Return "column 'a'" or "columns 'a', 'b'"."""
    return f"{'column' if len(names) == 1 else 'columns'} {listing(names)}"


def meant(name: str, known: Sequence[str]) -> str:
    """Return a question that follows a wrong name: Did you mean 'strength'?

    It is empty if no name is like it.
    """
    near = difflib.get_close_matches(name, known, 1)
    return f" Did you mean {near[0]!r}?" if near else ""


def counted(count: int, noun: str) -> str:
    """Return "1 row" or "2,344 rows"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
