"""Self-contained HTML pages, made from templates that escape.

Text from a user's file cannot break a page: everything but `Markup` and pictures is
escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from antireg.report.pictures import COLOURS


class Cells(NamedTuple):
    """A table: names in the first column, numbers in the others.

    Attributes:
        header: Name of each column.
        rows: The cells of each row.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Templates:
    """The templates of a package, and those that all pages share.

    Args:
        package: Name of a package with a folder `templates`.
    """

    def __init__(self, package: str = "antireg.report") -> None:
        """Find the templates."""
        names = dict.fromkeys((package, "antireg.report"))
        self._environment = Environment(
            loader=ChoiceLoader([PackageLoader(name) for name in names]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        blocks: Any = self._environment.get_template("blocks.html").module
        known = {"table": blocks.table, "figure": blocks.figure, "colours": COLOURS}
        self._environment.globals.update(known)

    def render(self, name: str, /, **values: Any) -> Markup:
        """Return a template filled with values."""
        return Markup(self._environment.get_template(name).render(values))


def strong(text: str) -> Markup:
    """Return text in bold, such as the best number of a column."""
    return Markup("<strong>{}</strong>").format(text)


def wide(text: str, rest: str) -> Markup:
    """Return both texts; the first is hidden where there is no room."""
    return Markup('<span class="wide">{} </span>{}').format(text, rest)


def far(text: str) -> Markup:
    """Return a number marked as far from what it should be."""
    return Markup('<span class="far">{}</span>').format(text)


def absent(text: str) -> Markup:
    """Return a word in place of a missing number."""
    return Markup('<span class="absent">{}</span>').format(text)


def words(text: str) -> Markup:
    """Return text for a table cell that is not a number."""
    return Markup('<span class="words">{}</span>').format(text)


def stacked(first: str, *others: str) -> Markup:
    """Return a table cell of several lines, in small print after the first."""
    below = Markup("").join(Markup("<small>{}</small>").format(text) for text in others)
    return Markup("{}{}").format(first, below)
