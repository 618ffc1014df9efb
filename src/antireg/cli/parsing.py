"""The parser of the commands, and the values that their arguments take."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

from antireg.tables.names import meant


class Parser(argparse.ArgumentParser):
    """A parser that adds some options only when its own command is run.

    Attributes:
        later: Adds these options.
        whole: Whether all arguments must be known to it, as those of a command.
    """

    later: Callable[[argparse.ArgumentParser], None] | None = None
    whole = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Return known and unknown arguments, as any parser does."""
        if self.later is not None:
            add, self.later = self.later, None
            add(self)
        found, unknown = super().parse_known_args(args, namespace)
        if unknown and self.whole:
            options = re.findall(r"--[\w-]+", self.format_help())
            question = meant(unknown[0].partition("=")[0], options)
            self.error(f"unknown argument {unknown[0]!r}.{question}")
        return found, unknown


def command(commands: Any, name: str, run: str, words: str) -> Parser:
    """Add a command with the options that all commands have; `run` is its function."""
    parser: Parser = commands.add_parser(
        name, help=words, description=f"{words[0].upper()}{words[1:]}."
    )
    parser.add_argument("--quiet", action="store_true", help="print only errors")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=run, module="table_commands")
    parser.whole = True
    return parser


def names(text: str) -> list[str]:
    """Return names separated by commas."""
    return text.split(",")


def count(text: str) -> int:
    """Return a whole number, 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {text}")
    return value


def share(text: str) -> float:
    """Return a number between 0 and 1."""
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"must be between 0 and 1, got {text}")
    return value


def separator(text: str) -> str:
    """Return a sign between cells, by itself or by its name."""
    return _sign(text, {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"})


def decimal(text: str) -> str:
    """Return a decimal mark, by itself or by its name."""
    return _sign(text, {"point": ".", "comma": ","})


def _sign(text: str, known: dict[str, str]) -> str:
    if text in known.values():
        return text
    if text not in known:
        raise argparse.ArgumentTypeError(f"must be {' or '.join(known)}, got {text!r}")
    return known[text]
