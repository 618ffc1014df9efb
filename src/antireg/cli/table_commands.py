"""The commands on tables and models; each returns its result."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.cli.inputs import (
    TASKS,
    choose_task,
    encoded_rows,
    has_targets,
    labelled_rows,
    open_model,
    some_rows,
    unlabelled_rows,
)
from antireg.cli.predicting import predict_table
from antireg.cli.settings import settings
from antireg.cli.sources import Say, Source, group_numbers, named, open_source
from antireg.disk.atomic import check_writable
from antireg.disk.scratch import scratch
from antireg.estimators import saving
from antireg.onnx.export import to_onnx
from antireg.report.evaluating import FAMILIAR, OOD, Rows, report_on
from antireg.report.evaluation import measure
from antireg.report.promises import promises
from antireg.storage import model_folder
from antireg.tables import Encoding, learn_encoding, open_table
from antireg.tables.encoder import Encoded
from antireg.tables.names import counted, listing, meant
from antireg.training.interrupt import StopOnInterrupt


def fit(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Train on a table and store the model."""
    model_folder.check_writable(args.out, "--out")  # before training, not after
    if model_folder.names(args.out) and not args.overwrite:
        raise ValueError(
            f"--out must be a new folder, got {str(args.out)!r}, which holds a model. "
            "Add --overwrite to replace it."
        )
    with open_source(args.table, args, say) as source:
        table = _table_to_fit(args, source, say)
        with _spoken_warnings(say):
            groups = None
            if args.groups is not None:
                groups = group_numbers(args.groups, source, table[args.target])
            encoding = learn_encoding(
                table,
                args.target,
                categorical=args.categorical,
                most_categories=args.most_categories,
                notations=table.notations,
            )
        with scratch() as folder:
            rows = encoded_rows(table.to_batches(), encoding, say, folder)
            return _fit_rows(args, encoding, rows, groups, say)


def _table_to_fit(args: argparse.Namespace, source: Source, say: Say) -> Any:
    """Return the columns that were not dropped; names in `args` are made whole."""
    names = source.columns
    args.drop, args.categorical = (
        named(args.drop, names),
        named(args.categorical, names),
    )
    by = [] if args.groups is None else [args.groups]
    for name in [args.target, *by, *args.drop, *args.categorical]:
        if name not in names:
            raise ValueError(
                f"{args.table.name!r} must have the column {name!r}, got "
                f"{listing(names)}.{meant(name, names)}"
            )
    inputs = {"target": [args.target], "categorical": args.categorical}
    others = {"drop": args.drop, "groups": by}
    for (one, apart), (other, wanted) in product(others.items(), inputs.items()):
        both = [name for name in wanted if name in apart]
        if both:
            raise ValueError(
                f"--{one} must not name a column of --{other}, got {both[0]!r} for "
                "both. Leave it out of one of them."
            )
    dropped = {*args.drop, *by}
    with _spoken_warnings(say):
        return open_table(
            source.path,
            [name for name in names if name not in dropped],
            args.categorical,
            stated=source.stated,
            day_first=args.day_first,
            most_categories=args.most_categories,
        )


def _fit_rows(
    args: argparse.Namespace,
    encoding: Encoding,
    read: tuple[Any, ...],
    groups: NDArray[np.integer] | None,
    say: Say,
) -> dict[str, Any]:
    """Train on encoded rows and store the model."""
    X, _, y = read
    task, y = choose_task(args.task, encoding, y, say)
    live = not args.quiet and sys.stderr.isatty()
    model: Any = TASKS[task](**settings(args, TASKS[task]), verbose=live)
    held_out = None
    if args.validation is not None:
        with open_source(args.validation, args, say) as source:
            held_X, _, held_y = labelled_rows(source.path, encoding, say, source.stated)
        held_out = held_X, held_y.astype(y.dtype)
    with _spoken_warnings(say), ExitStack() as stack:
        if args.keep_interrupted:
            model.set_params(callbacks=[stack.enter_context(StopOnInterrupt())])
        rows = Encoded(X, (), encoding)
        model.fit(
            rows,
            y,
            validation_data=held_out,
            checkpoint=args.checkpoint,
            groups=groups,
        )
        if held_out is None:
            held_out = some_rows(X, y, model.held_out_rows_, say)
        measured = measure(model, *held_out).metrics
        saving.save(model, args.out, metrics=measured)
    return {
        "task": task,
        "model": str(args.out),
        "rows": model.training_data_.n_rows,
        "features": X.shape[1],
        "ood_threshold": model.ood_threshold(),
        "held_out": measured,
    } | ({"promises": promises(model)} if promises(model) else {})


def predict(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Score a table of any size, piece by piece."""
    check_writable(args.out, "--out")
    stored, encoding = open_model(args.model)
    if args.out.exists() and args.table.exists() and args.out.samefile(args.table):
        raise ValueError(
            f"--out must not be the table itself, got {str(args.out)!r} for both."
        )
    replaced = args.out.exists()
    with _spoken_warnings(say):
        detector = stored.model.detector(args.false_alarm_rate)
    with open_source(args.table, args, say) as source:
        found = predict_table(args, source, stored.model, encoding, detector, say)
    if replaced:
        say(f"Replaced {str(args.out)!r}.")
    return found


def evaluate_model(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Judge a model on rows, with or without targets, and write a report."""
    if args.report and args.report.suffix not in (".html", ".htm"):
        raise ValueError(
            f"--report must be a file ending in .html, got {str(args.report)!r}."
        )
    if args.report:
        check_writable(args.report, "--report")
    stored, encoding = open_model(args.model)
    files = {FAMILIAR: args.table} | ({OOD: args.ood} if args.ood else {})
    rows = {}
    with _spoken_warnings(say):
        for name, file in files.items():
            with open_source(file, args, say) as source:
                rows[name] = _rows_to_measure(source, encoding, say)
        titles = {name: file.name for name, file in files.items()}
        if len(set(titles.values())) < len(titles):
            titles = {name: str(file) for name, file in files.items()}
        version = stored.versions.get("antireg", "")
        found = report_on(stored.model, rows, titles=titles, version=version)
    said = {name: verdict.text for name, verdict in found.verdicts.items()}
    summary: dict[str, Any] = {"verdict": said}
    if found.promises:
        summary["promises"] = found.promises
    summary |= found.metrics
    if args.report:
        found.save(args.report)
        summary["report"] = str(args.report)
    return summary


def _rows_to_measure(source: Source, encoding: Encoding, say: Say) -> Rows:
    """Return inputs, what training never saw in them, and targets if there are any."""
    if not has_targets(source, encoding):
        X, words = unlabelled_rows(source, encoding, say)
        return Rows(X, None, words)
    X, words, y = labelled_rows(source.path, encoding, say, source.stated)
    return Rows(X, y, words)


def inspect(args: argparse.Namespace, say: Say) -> dict[str, Any]:
    """Describe a stored model."""
    stored, encoding = open_model(args.model)
    model = stored.model
    sizes = [len(column.features) for column in encoding.columns]
    kinds = {
        column.name: f"{column.kind}, {counted(size, 'feature')}"
        for column, size in zip(encoding.columns, sizes, strict=True)
    }
    return {
        "estimator": type(model).__name__,
        "target": encoding.target,
        "columns": kinds,
        "method": repr(model.method_),
        "members": model.network_.n_members,
        "weights_per_member": model.network_.flat.shape[1],
        "training_rows": model.training_data_.n_rows,
        "groups": model.n_groups_,
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
