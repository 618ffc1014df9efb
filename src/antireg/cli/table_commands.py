"""The commands on tables and models; each returns its result."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tqdm.auto import tqdm

from antireg.cli.inputs import (
    TASKS,
    Say,
    choose_task,
    encoded_rows,
    kept_columns,
    labelled_rows,
    open_model,
    say_extra,
    some_rows,
)
from antireg.cli.settings import settings
from antireg.disk.atomic import check_writable, write_whole
from antireg.disk.scratch import scratch
from antireg.estimators import saving
from antireg.onnx.export import to_onnx
from antireg.report.evaluation import detection_metrics, evaluate
from antireg.report.evaluation_page import report_page
from antireg.storage import model_folder
from antireg.tables import (
    Encoding,
    TableWriter,
    column_names,
    learn_encoding,
    open_table,
    stream_table,
)
from antireg.tables.names import listing
from antireg.tables.scoring import score_pieces
from antireg.training.interrupt import StopOnInterrupt


def fit(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Train on a table and store the model."""
    model_folder.check_writable(args.out, "--out")  # before training, not after
    if model_folder.names(args.out) and not args.overwrite:
        raise ValueError(
            f"--out must be a new folder, got {str(args.out)!r}, which holds a model. "
            "Add --overwrite to replace it."
        )
    names = column_names(args.table)
    for name in [args.target, *args.drop, *args.categorical]:
        if name not in names:
            raise ValueError(
                f"{args.table.name!r} must have the column {name!r}, got "
                f"{listing(names)}."
            )
    for option, given in (("target", [args.target]), ("categorical", args.categorical)):
        both = [name for name in given if name in args.drop]
        if both:
            raise ValueError(
                f"--drop must not name a column of --{option}, got {both[0]!r} for "
                "both. Leave it out of one of them."
            )
    dropped = set(args.drop)
    wanted = [name for name in names if name not in dropped]
    table = open_table(args.table, wanted, args.categorical)
    with _spoken_warnings(say):
        encoding = learn_encoding(
            table,
            args.target,
            categorical=args.categorical,
            most_categories=args.most_categories,
        )
    with scratch() as folder:
        rows = encoded_rows(table.to_batches(), encoding, say, folder)
        return _fit_rows(args, encoding, rows, say)


def _fit_rows(
    args: argparse.Namespace, encoding: Encoding, rows: tuple[Any, ...], say: Say
) -> dict[str, Any]:
    """Train on encoded rows and store the model."""
    X, _, y = rows
    task, y = choose_task(args.task, encoding, y, say)
    live = not args.quiet and sys.stderr.isatty()
    model: Any = TASKS[task](**settings(args, TASKS[task]), verbose=live)
    held_out = None
    if args.validation is not None:
        held_X, _, held_y = labelled_rows(args.validation, encoding, say)
        held_out = held_X, held_y.astype(y.dtype)
    with _spoken_warnings(say), ExitStack() as stack:
        if args.keep_interrupted:
            model.set_params(callbacks=[stack.enter_context(StopOnInterrupt())])
        model.fit(X, y, validation_data=held_out, checkpoint=args.checkpoint)
        if held_out is None:
            held_out = some_rows(X, y, model.held_out_rows_, say)
        measured = evaluate(model, *held_out).metrics
        described = encoding.described()
        saving.save(model, args.out, table=described, metrics=measured)
    return {
        "task": task,
        "model": str(args.out),
        "rows": len(X) - (0 if args.validation else len(model.held_out_rows_)),
        "features": X.shape[1],
        "ood_threshold": model.ood_threshold(),
        "held_out": measured,
    }


def predict(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Score a table of any size, piece by piece."""
    check_writable(args.out, "--out")
    stored, encoding = open_model(args.model)
    if args.out.exists() and args.table.exists() and args.out.samefile(args.table):
        raise ValueError(
            f"--out must not be the table itself, got {str(args.out)!r} for both."
        )
    also = kept_columns(args.keep, args.table)
    say_extra(args.table, encoding, also, say)
    with _spoken_warnings(say):
        detector = stored.model.detector(args.false_alarm_rate)
    n_rows = n_flagged = 0
    pieces = stream_table(args.table, encoding.types, also=also)
    found = score_pieces(
        stored.model, encoding, pieces, detector, coverage=args.coverage, kept=also
    )
    with TableWriter(args.out, kept=also) as writer, _bar(args.quiet) as bar:
        for piece in found:
            writer.write(piece.rows)
            n_rows += piece.rows.num_rows
            n_flagged += piece.n_flagged
            bar.set_postfix_str(f"{n_rows} rows", refresh=False)
            bar.update(piece.share - bar.n)
        if not n_rows:
            raise ValueError(
                f"{args.table.name!r} must have at least one row, got none."
            )
    return {
        "out": str(args.out),
        "rows": n_rows,
        "flagged": n_flagged,
        "flagged_share": n_flagged / n_rows,
    }


def evaluate_model(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Measure a model on rows with known targets, and write a report."""
    if args.report and args.report.suffix not in (".html", ".htm"):
        raise ValueError(
            f"--report must be a file ending in .html, got {str(args.report)!r}."
        )
    if args.report:
        check_writable(args.report, "--report")
    stored, encoding = open_model(args.model)
    files = {"in_distribution": args.table} | ({"ood": args.ood} if args.ood else {})
    rows, measured = {}, {}
    with _spoken_warnings(say):
        for name, file in files.items():
            X, words, y = labelled_rows(file, encoding, say)
            rows[name] = X, words
            measured[name] = evaluate(stored.model, X, y, words)
    found = detection_metrics(*measured.values()) if args.ood else None
    summary: dict[str, Any] = {name: m.metrics for name, m in measured.items()}
    summary |= {"detection": found} if found else {}
    if args.report:
        titles = {name: file.name for name, file in files.items()}
        if len(set(titles.values())) < len(titles):
            titles = {name: str(file) for name, file in files.items()}
        rows = {titles[name]: value for name, value in rows.items()}
        measured = {titles[name]: value for name, value in measured.items()}
        text = report_page(stored, encoding, rows, measured, found)
        write_whole(args.report, text.encode())
        summary["report"] = str(args.report)
    return summary


def inspect(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Describe a stored model."""
    stored, encoding = open_model(args.model)
    model = stored.model
    sizes = [len(column.features) for column in encoding.columns]
    columns = {
        column.name: f"{column.kind}, {size} feature{'s' if size > 1 else ''}"
        for column, size in zip(encoding.columns, sizes, strict=True)
    }
    return {
        "estimator": type(model).__name__,
        "target": encoding.target,
        "columns": columns,
        "method": repr(model.method_),
        "members": model.network_.n_members,
        "weights_per_member": model.network_.flat.shape[1],
        "training_rows": model.training_data_.n_rows,
        "training_sha256": model.training_data_.fingerprint,
        "epochs": model.history_.n_epochs,
        "ood_threshold": model.ood_threshold(),
        "false_alarm_rate": model.false_alarm_rate,
        "held_out": stored.metrics,
        "versions": stored.versions,
    }


def export(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Write a model as an ONNX graph."""
    check_writable(args.onnx, "--onnx")
    stored, encoding = open_model(args.model)
    with _spoken_warnings(say):
        to_onnx(stored.model, args.onnx, encoding=encoding, coverage=args.coverage)
    return {"onnx": str(args.onnx), "bytes": args.onnx.stat().st_size}


@contextmanager
def _spoken_warnings(say: Say) -> Iterator[None]:
    """Turn warnings into sentences."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for text in dict.fromkeys(str(warning.message) for warning in caught):
        say(text)


def _bar(quiet: bool) -> Any:
    """Return a bar from 0 to 1, the share of the file that is done."""
    shape = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
    return tqdm(total=1.0, bar_format=shape, disable=True if quiet else None)
