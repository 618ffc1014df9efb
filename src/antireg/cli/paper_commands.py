"""The commands `antireg reproduce` and `antireg report`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from joblib import cpu_count

from antireg.methods import METHODS
from antireg.paper.experiments import recipes
from antireg.paper.experiments.plan import cells
from antireg.paper.experiments.progress import Progress
from antireg.paper.experiments.runner import ROWS, run_all
from antireg.paper.report import writing

Say = Callable[[str], None]


def reproduce(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Do every fit that the named experiments still need."""
    unknown = [name for name in args.methods or () if name not in METHODS]
    if unknown:
        raise ValueError(
            f"--methods must name some of {', '.join(METHODS)}, got {unknown[0]!r}."
        )
    wanted = cells(recipes.named(args.names), args.seeds, args.methods)
    if not wanted:
        raise ValueError(
            f"--methods must name some that {' '.join(args.names)} compares, got "
            f"{','.join(args.methods)}. Leave it out to run all of them."
        )
    _make_writable(args.out)
    n_jobs = min(args.jobs or cpu_count(), len(wanted))
    progress = Progress(wanted, n_jobs, args.quiet)
    try:
        troubles = run_all(wanted, args.out, n_jobs, progress)
    except KeyboardInterrupt:
        say("finished fits are kept; the same command resumes from there.")
        raise
    finally:
        progress.close()
    if troubles:
        raise ValueError("; ".join(troubles))
    return {"runs": len(wanted), "rows": str(args.out / ROWS)}


def report(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Write the paper's tables and figures, and a page with them, from rows."""
    rows = args.rows / ROWS if (args.rows / ROWS).is_dir() else args.rows
    known = {study.recipe.name for study in recipes.named(["all"])}
    if not any((rows / f"{name}.csv").exists() for name in known):
        raise ValueError(
            f"--rows must name a folder with rows, got {args.rows}. Make some with: "
            "antireg reproduce toys"
        )
    folder = args.out or args.rows / "report"
    _make_writable(folder)
    counts = writing.write(rows, folder)
    return {**counts, "page": str(folder / "index.html")}


def _make_writable(folder: Path) -> None:
    """Make a folder, or say at once that nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        why = "" if os.access(folder, os.W_OK) else "Permission denied"
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise ValueError(
            f"--out must be a folder that can be written to, got {folder} ({why}). "
            "Name another one."
        )
