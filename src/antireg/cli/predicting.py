"""Scores a table piece by piece, writes the results, and counts what was found."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from tqdm.auto import tqdm

from antireg.cli.inputs import bad_example, say_bad, stream_encoded
from antireg.cli.sources import Say, Source, kept_columns, say_extra
from antireg.estimators.base import Ensemble
from antireg.familiarity.detection import Detector
from antireg.tables import Encoding, TableWriter
from antireg.tables.names import counted
from antireg.tables.pieces import strictly
from antireg.tables.scoring import score_pieces


def predict_table(
    args: argparse.Namespace,
    source: Source,
    model: Ensemble,
    encoding: Encoding,
    detector: Detector,
    say: Say,
) -> dict[str, Any]:
    """Write what a model says of a table; return how many rows it has and flags.

    Args:
        args: Of the command: out, keep, coverage, strict, quiet.
        source: The table.
        model: Fitted.
        encoding: How the table becomes its inputs.
        detector: What decides which rows are flagged.
        say: Called with sentences on the table.
    """
    also = kept_columns(args.keep, source)
    say_extra(source, encoding, also, say)
    pieces = stream_encoded(source, encoding.types, encoding, also)
    if args.strict:
        pieces = strictly(pieces, encoding.types)
    found = score_pieces(
        model, encoding, pieces, detector, coverage=args.coverage, kept=also
    )
    n_rows = n_flagged = n_bad = 0
    example, outside = "", Counter[str]()
    writing = TableWriter(args.out, kept=also, notation=source.notation)
    with writing as writer, _bar(args.quiet) as bar:
        for piece in found:
            writer.write(piece.rows)
            n_rows += piece.rows.num_rows
            n_flagged += piece.n_flagged
            n_bad += len({cell.row for cell in piece.bad})
            example = example or bad_example(piece.bad, piece.start)
            outside.update(piece.outside_period)
            bar.set_postfix_str(f"{n_rows} rows", refresh=False)
            bar.update(piece.share - bar.n)
        if not n_rows:
            raise ValueError(
                f"{args.table.name!r} must have at least one row, got none."
            )
    if args.out.suffix == ".csv" and (alike := source.notation.marks):
        say(f"Wrote {args.out.name!r} in the same way: {alike}.")
    say_bad(n_bad, example, say)
    _say_outside(encoding, outside, n_rows, say)
    return {
        "out": str(args.out),
        "rows": n_rows,
        "flagged": n_flagged,
        "flagged_share": n_flagged / n_rows,
        "rows_with_bad_cells": n_bad,
    }


def _say_outside(
    encoding: Encoding, outside: Counter[str], n_rows: int, say: Say
) -> None:
    """Say how many rows have dates before or after those of training."""
    for column in encoding.columns:
        if outside[column.name] and column.seen is not None:
            first, last = column.shown(column.seen.low), column.shown(column.seen.high)
            say(
                f"{outside[column.name]:,} of {counted(n_rows, 'row')} "
                f"{'has' if outside[column.name] == 1 else 'have'} "
                f"{column.name!r} outside the time of training ({first} to {last})."
            )


def _bar(quiet: bool) -> Any:
    """Return a bar from 0 to 1, the share of the file that is done."""
    shape = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
    return tqdm(total=1.0, bar_format=shape, disable=True if quiet else None)
