"""The arguments of the commands that watch rows and answer requests."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from antireg.cli.arguments import MODEL, TABLE, add_reading, command, share


def add_service_commands(commands: Any) -> None:
    """Add monitor."""
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
