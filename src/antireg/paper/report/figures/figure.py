"""One figure of the page: the pictures it has, and the names of those still missing."""

from __future__ import annotations

from dataclasses import dataclass, field

from antireg.report.pictures import Picture


@dataclass
class Figure:
    """Pictures side by side.

    Attributes:
        pictures: By file name.
        missing: Names of pictures that have no rows yet.
    """

    pictures: dict[str, Picture] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def add(self, name: str, picture: Picture | None) -> None:
        """Add a picture under its name; None if it has no rows yet."""
        if picture is None:
            self.missing.append(name)
        else:
            self.pictures[name] = picture


def slug(text: str) -> str:
    """Return text in a form that suits a file name."""
    kept = (c if c.isalnum() else "-" for c in text.lower())
    return "-".join(filter(None, "".join(kept).split("-")))
