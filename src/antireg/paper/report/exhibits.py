"""Pictures that belong together, and those that no rows are there for yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from antireg.report.page import Templates
from antireg.report.pictures import Picture

TEMPLATES = Templates("antireg.paper.report")


@dataclass
class Exhibit:
    """Pictures side by side.

    Attributes:
        pictures: By the name of their file.
        missing: What cannot be drawn yet.
    """

    pictures: dict[str, Picture] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    def add(self, name: str, picture: Picture | None) -> None:
        """Add a picture, or what should have been one."""
        if picture is None:
            self.missing.append(name)
        else:
            self.pictures[name] = picture


def slug(text: str) -> str:
    """Return text as the name of a file."""
    kept = (c if c.isalnum() else "-" for c in text.lower())
    return "-".join(filter(None, "".join(kept).split("-")))
