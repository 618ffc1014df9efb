"""The commands `antireg reproduce` and `antireg report`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from joblib import cpu_count

from antireg.experiments import recipes
from antireg.experiments.plan import cells
from antireg.experiments.progress import Progress
from antireg.experiments.runner import run_all
from antireg.methods import METHODS
from antireg.paper_report import writing

Say = Callable[[str], None]


def reproduce(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Do every fit that the named experiments still need."""
    unknown = [name for name in args.methods or () if name not in METHODS]
    if unknown:
        raise ValueError(
            f"--methods must name some of {', '.join(METHODS)}, got {unknown[0]!r}."
        )
    wanted = cells(recipes.named(args.names), args.seeds, args.methods)
    n_jobs = args.jobs or cpu_count()
    progress = Progress(wanted, n_jobs, args.quiet)
    try:
        troubles = run_all(wanted, args.out, n_jobs, progress)
    finally:
        progress.close()
    if troubles:
        raise ValueError("; ".join(troubles))
    return {"cells": len(wanted), "rows": str(args.out / "rows")}


def report(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Write the paper's tables and figures from rows, and a page of them."""
    rows = args.rows / "rows" if (args.rows / "rows").is_dir() else args.rows
    if not any(rows.glob("*.csv")):
        raise ValueError(
            f"--rows must name a folder with rows, got {args.rows}. Make some with: "
            "antireg reproduce toys"
        )
    folder = args.out or args.rows / "report"
    counts = writing.write(rows, folder)
    return {**counts, "page": str(folder / "index.html")}
