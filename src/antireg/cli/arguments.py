"""The arguments of the commands on tables, with their help."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from antireg.cli.parsing import Parser, command, decimal, names, separator, share

MODEL = "folder that `antireg fit` wrote"
TABLE = "CSV or other text, Parquet, or Excel"
WRITTEN = "CSV or Parquet"
COVERAGE = "probability of the interval from low to high (default: 0.9)"


def add_table_commands(commands: Any) -> None:
    """Add fit, predict, evaluate, inspect and export."""
    _add_fit(commands)
    _add_predict(commands)
    _add_evaluate(commands)
    inspect = command(commands, "inspect", "inspect", "describe a stored model")
    inspect.add_argument("model", type=Path, help=MODEL)
    export = command(commands, "export", "export", "write a model as an ONNX graph")
    export.add_argument("model", type=Path, help=MODEL)
    export.add_argument(
        "--onnx", type=Path, required=True, metavar="FILE.onnx", help="file to write"
    )
    export.add_argument("--coverage", type=share, default=0.9, help=COVERAGE)


def _add_fit(commands: Any) -> None:
    fit = command(commands, "fit", "fit", "train on a table and store the model")
    fit.add_argument("table", type=Path, help=TABLE)
    fit.add_argument("--target", required=True, help="the column to predict")
    fit.add_argument("--out", type=Path, required=True, help="folder for the model")
    fit.add_argument(
        "--overwrite", action="store_true", help="replace the model that is there"
    )
    fit.add_argument(
        "--validation",
        type=Path,
        metavar="TABLE",
        help="validation rows, instead of a share of the table",
    )
    fit.add_argument(
        "--task",
        choices=["auto", "regression", "classification"],
        default="auto",
        help="auto: text, true or false, and a few whole numbers are classes",
    )
    _add_columns(fit)
    add_reading(fit)
    fit.add_argument(
        "--checkpoint",
        type=Path,
        metavar="FOLDER",
        help="write the training there; the same command resumes after a crash "
        "(needs --random-state)",
    )
    fit.add_argument(
        "--keep-interrupted",
        action="store_true",
        help="on Ctrl-C stop after the epoch and store the model as it is",
    )
    fit.later = _add_settings


def _add_predict(commands: Any) -> None:
    predict = command(commands, "predict", "predict", "score a table, of any size")
    predict.add_argument("model", type=Path, help=MODEL)
    predict.add_argument("table", type=Path, help=TABLE)
    predict.add_argument(
        "--out",
        type=Path,
        required=True,
        help=f"file to write, or to replace: {WRITTEN}",
    )
    predict.add_argument("--coverage", type=share, default=0.9, help=COVERAGE)
    predict.add_argument(
        "--false-alarm-rate",
        type=share,
        help="share of familiar rows that may be flagged (default: that of the fit)",
    )
    predict.add_argument(
        "--keep",
        action="extend",
        type=names,
        default=[],
        metavar="A,B",
        help="columns of the table to copy to the results, or all",
    )
    predict.add_argument(
        "--strict",
        action="store_true",
        help="stop at a cell that cannot be read, instead of flagging its row",
    )
    add_reading(predict)


def _add_evaluate(commands: Any) -> None:
    evaluate = command(
        commands,
        "evaluate",
        "evaluate_model",
        "say how far to trust a model, and write a page",
    )
    evaluate.add_argument("model", type=Path, help=MODEL)
    evaluate.add_argument(
        "table",
        type=Path,
        help=f"rows to judge, with targets if they are known: {TABLE}",
    )
    evaluate.add_argument(
        "--ood",
        type=Path,
        metavar="TABLE",
        help="shifted rows to compare with; targets are not needed",
    )
    evaluate.add_argument(
        "--report", type=Path, metavar="PAGE.html", help="page to write"
    )
    add_reading(evaluate)


def _add_columns(fit: Any) -> None:
    """Add how the columns of a table are taken."""
    fit.add_argument(
        "--drop",
        action="extend",
        type=names,
        default=[],
        metavar="A,B",
        help="columns to leave out; may be repeated",
    )
    fit.add_argument(
        "--categorical",
        action="extend",
        type=names,
        default=[],
        metavar="A,B",
        help="columns whose numbers are only names, such as post codes",
    )
    fit.add_argument(
        "--groups",
        metavar="COLUMN",
        help="hold out rows with the same value together, such as those of a day or a "
        "camera, if new rows will be of new ones; the column is not an input",
    )
    fit.add_argument(
        "--most-categories",
        type=int,
        default=100,
        metavar="N",
        help="refuse columns with more different values (default: 100)",
    )
    fit.add_argument(
        "--day-first",
        action=argparse.BooleanOptionalAction,
        help="whether 3/4/2024 is in April (default: as other dates of the column say)",
    )


def add_reading(parser: Parser) -> None:
    """Add how files of text are written; by default, that is recognised."""
    parser.add_argument(
        "--encoding",
        metavar="NAME",
        help="of files of text, such as cp1252 or utf-16 (default: UTF-8, or what the "
        "first bytes say)",
    )
    parser.add_argument(
        "--separator",
        type=separator,
        metavar="SIGN",
        help="between cells: comma, semicolon, tab or bar (default: as recognised)",
    )
    parser.add_argument(
        "--decimal",
        type=decimal,
        metavar="SIGN",
        help="of numbers: point or comma (default: as recognised)",
    )


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the settings of the estimators, which import PyTorch."""
    from antireg.cli.settings import add_settings  # noqa: PLC0415

    add_settings(parser)
