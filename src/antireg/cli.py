"""The command line: from a table to a model, a scored table, a page, an ONNX graph.

Exit codes: 0 done, 1 the files or values do not allow it, 2 the command was mistyped,
130 interrupted. Results go to stdout, all else to stderr.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Threads that spin for a core another process holds make small networks many times
# slower. This must be said before PyTorch starts its threads.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import antireg
from antireg.options import add_settings


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = _parser().parse_args(arguments)

    def say(text: str) -> None:
        if not args.quiet:
            print(f"Note: {text}", file=sys.stderr)

    try:
        # Imported where used: most commands need the extra `tables`, data does not.
        module = importlib.import_module(f"antireg.{args.module}")
        result = getattr(module, args.run)(args, say)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    except ModuleNotFoundError as error:
        extras = {"pyarrow": "tables", "onnx": "onnx", "PIL": "images"}
        extra = extras.get(error.name or "")
        if extra is None:
            raise
        print(
            f"Error: {error.name} is needed for this. Use: pip install "
            f"'antireg[{extra}]'",
            file=sys.stderr,
        )
        return 1
    except (ValueError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    try:
        if args.json:
            print(json.dumps(result))
        elif not args.quiet:
            _show(result)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="antireg", description=antireg.__doc__)
    parser.add_argument("--version", action="version", version=antireg.__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_fit(commands)
    predict = _command(commands, "predict", "predict", "score a table, of any size")
    predict.add_argument("model", type=Path)
    predict.add_argument("table", type=Path, help="CSV or Parquet")
    predict.add_argument("--out", type=Path, required=True, help="CSV or Parquet")
    predict.add_argument("--coverage", type=_share, default=0.9)
    predict.add_argument("--false-alarm-rate", type=_share)
    predict.add_argument(
        "--keep", type=_names, default=[], help="columns to copy, or all", metavar="A,B"
    )
    evaluate = _command(
        commands, "evaluate", "evaluate_model", "measure a model, and write a page"
    )
    evaluate.add_argument("model", type=Path)
    evaluate.add_argument("table", type=Path, help="rows like those of training")
    evaluate.add_argument("--ood", type=Path, help="rows that are not", metavar="TABLE")
    evaluate.add_argument("--report", type=Path, metavar="PAGE.html")
    inspect = _command(commands, "inspect", "inspect", "say what a stored model is")
    inspect.add_argument("model", type=Path)
    export = _command(commands, "export", "export", "write a model as an ONNX graph")
    export.add_argument("model", type=Path)
    export.add_argument("--onnx", type=Path, required=True, metavar="FILE.onnx")
    export.add_argument("--coverage", type=_share, default=0.9)
    _add_data(commands)
    _add_experiments(commands)
    return parser


def _add_experiments(commands: Any) -> None:
    reproduce = _command(
        commands, "reproduce", "reproduce", "run the paper's experiments, or go on"
    )
    reproduce.set_defaults(module="experiment_commands")
    reproduce.add_argument(
        "names",
        nargs="*",
        default=["all"],
        metavar="NAME",
        help="toys, citycam, images, uci-gaps, lambda, delta, one of their parts such "
        "as citycam-weather or fashion-mnist, or all (the default)",
    )
    reproduce.add_argument(
        "--seeds", type=_count, default=5, metavar="N", help="default: 5"
    )
    reproduce.add_argument(
        "--methods", type=_names, metavar="A,B", help="only these of the methods"
    )
    reproduce.add_argument(
        "--jobs",
        type=_count,
        metavar="N",
        help="fits side by side, one thread each; default: one per core",
    )
    reproduce.add_argument(
        "--out", type=Path, default=Path("results"), help="default: results"
    )
    report = _command(
        commands, "report", "report", "draw the paper's tables and figures from rows"
    )
    report.set_defaults(module="experiment_commands")
    report.add_argument(
        "--rows",
        type=Path,
        default=Path("results"),
        metavar="FOLDER",
        help="what reproduce wrote; default: results",
    )
    report.add_argument(
        "--out", type=Path, metavar="FOLDER", help="default: report, beside the rows"
    )


def _add_data(commands: Any) -> None:
    data = commands.add_parser(
        "data", help="list and get the data sets of the experiments"
    )
    kinds = data.add_subparsers(required=True, metavar="list | get | where")
    for name, words in (
        ("list", "say what there is, and what of it is here"),
        ("get", "fetch data sets, checked by their sums"),
        ("where", "say which folders are read and written"),
    ):
        kind = _command(kinds, name, f"{name}_data", words)
        kind.set_defaults(module="data_commands")
        if name == "get":
            kind.add_argument("names", nargs="+", metavar="NAME")


def _add_fit(commands: Any) -> None:
    fit = _command(commands, "fit", "fit", "train on a table and store the model")
    fit.add_argument("table", type=Path, help="CSV or Parquet")
    fit.add_argument("--target", required=True, help="the column to predict")
    fit.add_argument("--out", type=Path, required=True, help="folder of the model")
    fit.add_argument("--validation", type=Path, help="held-out rows", metavar="TABLE")
    tasks = ["auto", "regression", "classification"]
    fit.add_argument("--task", choices=tasks, default="auto")
    fit.add_argument("--drop", type=_names, default=[], metavar="A,B")
    fit.add_argument(
        "--categorical",
        type=_names,
        default=[],
        metavar="A,B",
        help="columns of numbers that are mere names",
    )
    fit.add_argument("--most-categories", type=int, default=100, metavar="N")
    fit.add_argument(
        "--checkpoint",
        type=Path,
        metavar="FOLDER",
        help="write the training there; the same command goes on after a crash "
        "(needs --random-state)",
    )
    fit.add_argument(
        "--keep-interrupted",
        action="store_true",
        help="on Ctrl-C stop after the epoch and store the model as it is",
    )
    add_settings(fit)


def _command(commands: Any, name: str, run: str, words: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=words, description=f"{words[0].upper()}{words[1:]}."
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run, module="commands")
    return parser


def _names(text: str) -> list[str]:
    return text.split(",")


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text}")
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, got {text}")
    return value


def _show(result: Mapping[str, Any], indent: str = "") -> None:
    """Print names and values, one per line."""
    for name, value in result.items():
        words = name.replace("_", " ") if not indent else name
        if isinstance(value, Mapping):
            print(f"{indent}{words}:")
            _show(value, indent + "  ")
        else:
            shown = f"{value:.6g}" if isinstance(value, float) else value
            print(f"{indent}{words}: {shown}")


if __name__ == "__main__":
    sys.exit(main())
