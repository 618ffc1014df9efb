"""The arguments of the commands that watch rows and answer requests."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from antireg.cli.arguments import MODEL, TABLE, add_reading
from antireg.cli.parsing import command, count, share


def add_service_commands(commands: Any) -> None:
    """Add monitor and serve."""
    _add_monitor(commands)
    serve = command(
        commands, "serve", "serve", "answer rows over HTTP, as JSON, without PyTorch"
    )
    serve.set_defaults(module="serve_command")
    serve.add_argument("model", type=Path, help=f"{MODEL}, or a file of `export`")
    serve.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1")
    serve.add_argument("--port", type=whole, default=8000, help="default: 8000")
    serve.add_argument(
        "--most-bytes",
        type=count,
        default=2**20,
        metavar="N",
        help="largest body of a request (default: 1048576)",
    )
    serve.add_argument(
        "--most-rows",
        type=count,
        default=1000,
        metavar="N",
        help="most rows of a request (default: 1000)",
    )


def _add_monitor(commands: Any) -> None:
    monitor = command(
        commands, "monitor", "monitor", "notice drift in new rows, without targets"
    )
    monitor.set_defaults(module="monitor_command")
    monitor.add_argument("model", type=Path, help=MODEL)
    monitor.add_argument("table", type=Path, help=f"the rows that came since: {TABLE}")
    monitor.add_argument(
        "--state",
        type=Path,
        metavar="STATE.json",
        help="what was seen before, and file to write; without, a file stands alone",
    )
    monitor.add_argument(
        "--level",
        type=share,
        help="probability of a false alarm, ever (default: 0.01)",
    )
    monitor.add_argument(
        "--random-state",
        type=whole,
        metavar="N",
        help="decides between equal scores (default: 0)",
    )
    monitor.add_argument(
        "--out", type=Path, help="file for the p-value of each row: CSV or Parquet"
    )
    add_reading(monitor)


def whole(text: str) -> int:
    """Return a whole number, 0 or more."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or more, got {text}")
    return value
