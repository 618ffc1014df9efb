"""Names of columns and cells, short enough for a message."""

from __future__ import annotations

from collections.abc import Sequence


def short(text: str, most: int = 200) -> str:
    """Return a text, or its beginning if it is long."""
    return text if len(text) <= most else f"{text[:most]} …"


def listing(names: Sequence[str], most: int = 8) -> str:
    """Return names in quotes, or the first and how many there are more."""
    some = ", ".join(short(repr(name), 60) for name in names[:most])
    left = len(names) - most
    return f"{some} and {left} more" if left > 0 else some
