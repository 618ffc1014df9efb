"""Drawings that belong together, and those that no rows are there for yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antireg.paper import figures
from antireg.report import page
from antireg.report.page import Html

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass
class Exhibit:
    """Drawings side by side.

    Attributes:
        pictures: SVG by the name of its file.
        missing: What cannot be drawn yet.
    """

    pictures: dict[str, bytes] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def add(self, name: str, figure: Figure | None) -> None:
        """Add a drawing, or what should have been one."""
        if figure is None:
            self.missing.append(name)
        else:
            self.pictures[name] = figures.svg(figure)

    def html(self, caption: str) -> Html:
        """Return the drawings and what to see in them."""
        blocks = []
        if self.pictures:
            pictures = [page.picture(svg, name) for name, svg in self.pictures.items()]
            blocks.append(page.figure(pictures, caption))
        if self.missing:
            blocks.append(page.note(f"Not drawn, for want of rows: {self.listed}."))
        return Html("".join(blocks))

    @property
    def listed(self) -> str:
        """What is missing, in words."""
        return ", ".join(self.missing)


def slug(text: str) -> str:
    """Return text as the name of a file."""
    kept = (c if c.isalnum() else "-" for c in text.lower())
    return "-".join(filter(None, "".join(kept).split("-")))
