"""The command line: from a table to a model, a scored table, a page, an ONNX graph.

Exit codes: 0 done, 1 a file or value cannot be used, 2 the command was mistyped, 3
`monitor` has found drift, 130 interrupted. Results go to stdout, everything else to
stderr.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Threads that spin while another process occupies their core make small networks many
# times slower. This must be set before PyTorch starts its threads.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from antireg.cli.arguments import add_table_commands
from antireg.cli.parsing import Parser, command, count, names
from antireg.cli.service_arguments import add_service_commands
from antireg.report import readable
from antireg.version import __version__

DRIFT = 3
"""Exit code of `monitor` once drift was found."""

ABOUT = "Ensembles of neural networks that know when they do not know."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    args = _parser().parse_args(arguments)

    def say(text: str) -> None:
        if not args.quiet:
            print(f"Note: {readable.printable(text)}", file=sys.stderr)

    try:
        # Imported where used: most commands need the extra `tables`, data does not.
        module = importlib.import_module(f"antireg.cli.{args.module}")
        result = getattr(module, args.run)(args, say)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    except ModuleNotFoundError as error:
        missing = _what_to_install(error.name or "")
        if missing is None:
            raise
        print(f"Error: {missing}", file=sys.stderr)
        return 1
    except (ValueError, OSError) as error:
        print(f"Error: {readable.printable(str(error))}", file=sys.stderr)
        return 1
    try:
        if args.json:
            print(json.dumps(result))
        elif not args.quiet:
            _show(result)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DRIFT if result.get("drift") else 0


def _what_to_install(module: str) -> str | None:
    """Return how to install a missing module, if it is an optional one."""
    if module.startswith("antireg.paper"):
        return (
            "this command needs antireg.paper, which is not part of this "
            "installation. Install antireg as it is published."
        )
    extras = {"pyarrow": "tables", "openpyxl": "xlsx", "onnx": "onnx", "PIL": "images"}
    extras |= dict.fromkeys(("anyio", "onnxruntime", "starlette", "uvicorn"), "serve")
    extra = extras.get(module)
    if extra is None:
        return None
    return f"{module} is needed for this. Use: pip install 'antireg[{extra}]'"


def _parser() -> Parser:
    parser = Parser(prog="antireg", description=ABOUT)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_table_commands(commands)
    add_service_commands(commands)
    _add_data(commands)
    _add_experiments(commands)
    return parser


def _add_experiments(commands: Any) -> None:
    reproduce = command(
        commands, "reproduce", "reproduce", "run or resume the paper's experiments"
    )
    reproduce.set_defaults(module="paper_commands")
    reproduce.add_argument(
        "names",
        nargs="*",
        default=["all"],
        metavar="NAME",
        help="toys, citycam, images, uci-gaps, lambda, delta, one of their parts such "
        "as citycam-weather or fashion-mnist, or all (the default)",
    )
    reproduce.add_argument(
        "--seeds", type=count, default=5, metavar="N", help="default: 5"
    )
    reproduce.add_argument(
        "--methods",
        type=names,
        metavar="A,B",
        help="such as dare,deep_ensemble; default: all",
    )
    reproduce.add_argument(
        "--jobs",
        type=count,
        metavar="N",
        help="fits side by side, one thread each; default: one per core",
    )
    reproduce.add_argument(
        "--out",
        type=Path,
        default=Path("results"),
        metavar="FOLDER",
        help="rows of finished fits go to rows/ in it; these fits are not repeated; "
        "default: results",
    )
    report = command(
        commands, "report", "report", "draw the paper's tables and figures from rows"
    )
    report.set_defaults(module="paper_commands")
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
        ("list", "list the data sets, and which of them are here"),
        ("get", "fetch data sets, and verify their checksums"),
        ("where", "show which folders are read and written"),
    ):
        kind = command(kinds, name, f"{name}_data", words)
        kind.set_defaults(module="data_commands")
        if name == "get":
            kind.add_argument("names", nargs="+", metavar="NAME")


def _show(result: Mapping[str, Any], indent: str = "") -> None:
    """Print names and values, one per line."""
    for name, value in result.items():
        words = readable.printable(name if indent else name.replace("_", " "))
        if isinstance(value, Mapping):
            print(f"{indent}{words}:")
            _show(value, indent + "  ")
        else:
            shown = readable.printable(readable.named(name, value, digits=6))
            print(f"{indent}{words}: {shown}")
