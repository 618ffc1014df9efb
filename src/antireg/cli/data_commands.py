"""The commands of `antireg data`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from antireg.paper.data import catalogue

Say = Callable[[str], None]


def list_data(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Return the available data sets by name."""
    return {
        entry.name: {
            "about": entry.about,
            "licence": entry.licence,
            "megabytes": round(entry.size / 1e6, 1) or "unknown",
            "from": ", or ".join(entry.sources),
            "here": "yes" if entry.present else "no",
        }
        for entry in catalogue.list()
    }


def get_data(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Fetch the files that are missing, and return all of them."""
    known = {entry.name for entry in catalogue.list()}
    unknown = [name for name in args.names if name not in known]
    if unknown:
        raise ValueError(
            f"NAME must be one of {', '.join(sorted(known))}, got {unknown[0]!r}."
        )
    return {
        name: {part: str(path) for part, path in catalogue.get(name).items()}
        for name in args.names
    }


def where_data(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Return the folders that are read, in order, and the one that is written."""
    read, written = catalogue.where()
    return {"read": ", ".join(map(str, read)), "written": str(written)}
