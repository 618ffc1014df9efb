"""The command that watches files of rows for drift, day by day."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from antireg.cli.inputs import open_model, stream_encoded
from antireg.cli.sources import Say, open_source, say_extra
from antireg.disk.atomic import check_writable
from antireg.monitoring import Monitor
from antireg.report.verdict import UNSEEN
from antireg.tables import TableWriter
from antireg.tables.encoder import Encoded
from antireg.tables.formats import Format
from antireg.tables.pieces import Piece

LEVEL = 0.01


def monitor(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Add the rows of a file to those seen before, and say whether they drift."""
    for path, option in ((args.state, "--state"), (args.out, "--out")):
        if path is not None:
            check_writable(path, option)
    stored, encoding = open_model(args.model)
    watching = _started(args, stored.model)
    before, first = watching.alarm, watching.n_rows
    with (
        open_source(args.table, args, say) as source,
        _writer(args.out, source.notation) as write,
    ):
        say_extra(source, encoding, [], say)
        for piece in stream_encoded(source, encoding.types, encoding):
            write(_updated(watching, piece, encoding))
    if watching.n_rows == first:
        raise ValueError(f"{args.table.name!r} must have at least one row, got none.")
    if args.state is not None:
        watching.save(args.state)
    return _found(watching, first, before is not None)


def _started(args: argparse.Namespace, model: Any) -> Monitor:
    """Return a new monitor, or that of the state."""
    if args.state is None or not args.state.exists():
        level = LEVEL if args.level is None else args.level
        seed = 0 if args.random_state is None else args.random_state
        return Monitor(model, level=level, random_state=seed)
    watching = Monitor.load(args.state, model)
    asked = {"level": args.level, "random_state": args.random_state}
    for name, value in asked.items():
        if value is not None and value != getattr(watching, name):
            raise ValueError(
                f"--{name.replace('_', '-')} must be that of the state, "
                f"{getattr(watching, name)}, got {value}. Leave it out, or start a new "
                "state."
            )
    return watching


def _updated(watching: Monitor, piece: Piece, encoding: Any) -> pa.RecordBatch:
    X, words = encoding.encode(piece.rows, piece.bad)
    first = watching.n_rows + 1
    values = watching.update(Encoded(X, words, encoding))
    numbers = np.arange(first, first + len(X))
    return pa.record_batch({"row": numbers, "p_value": values})


def _found(watching: Monitor, first: int, known: bool) -> dict[str, Any]:
    """Return what was found, the verdict first."""
    alarm = watching.alarm
    found = {
        "verdict": _verdict(watching, known),
        "drift": alarm is not None,
        "rows": watching.n_rows - first,
        "rows_since_the_start": watching.n_rows,
        "evidence": watching.evidence,
        "evidence_of_an_alarm": 1 / watching.level,
    }
    if alarm is not None:
        found |= {"found_at_row": alarm.row, "since_row": alarm.since}
        found["columns"] = ", ".join(alarm.columns)
    return found


def _verdict(watching: Monitor, known: bool) -> str:
    alarm = watching.alarm
    if alarm is None:
        return f"No drift so far in {watching.n_rows:,} rows. {UNSEEN}"
    said = "was found before" if known else "found"
    why = (
        f"mostly because of {', '.join(alarm.columns)}"
        if alarm.columns
        else "because of no single column"
    )
    return (
        f"Drift {said}, at row {alarm.row:,}, and began about row {alarm.since:,}, "
        f"{why}."
    )


@contextmanager
def _writer(path: Path | None, notation: Format) -> Iterator[Any]:
    """Yield what writes p-values, to a file if there is one."""
    if path is None:
        yield lambda rows: None
        return
    with TableWriter(path, notation=notation) as writer:
        yield writer.write
