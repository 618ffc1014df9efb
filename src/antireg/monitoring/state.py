"""The state of a monitor as a JSON file, written whole and read with care."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from antireg.disk.atomic import write_whole
from antireg.monitoring.betting import N_BETS
from antireg.storage import bounded_json

FORMAT = 1
LARGEST = 2**26
"""Bytes of the largest file that is read."""

MOST_ROWS = 2**53


@dataclass(frozen=True)
class State:
    """All that a monitor knows, as JSON.

    Attributes:
        model: Fingerprint of the model.
        level: Of the alarm.
        random_state: Decides between equal scores.
        rows: Rows seen.
        capital: Money on each bet.
        gain: Log of what each bet has won since `since`.
        since: The row at which a drift would have begun, by each bet.
        named: Unusual rows since then that name each column, by each bet.
        keys: Rounded scores, of validation rows and of rows seen, ascending.
        counts: How many have each.
        alarm: Its row, since when, and columns; None without.
    """

    model: str
    level: float
    random_state: int
    rows: int
    capital: list[float]
    gain: list[float]
    since: list[int]
    named: list[int]
    keys: list[int]
    counts: list[int]
    alarm: list[Any] | None


def write(state: State, path: str | os.PathLike[str]) -> None:
    """Write a state; an older one is replaced at once or not at all."""
    values = {"format": FORMAT, **asdict(state)}
    text = json.dumps({**values, "sha256": checksum(values)}, allow_nan=False)
    write_whole(path, text.encode() + b"\n")


def checksum(values: dict[str, Any]) -> str:
    """Return the SHA-256 of all other fields, by which a changed bit is noticed."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def read(path: str | os.PathLike[str]) -> State:
    """Return a state, every value checked."""
    found = _sealed_values(path)
    for name, rule in RULES.items():
        if not rule(found[name]):
            raise damaged(path, f"{name} cannot be what it is")
    state = State(**found)
    if len(state.keys) != len(state.counts) or state.keys != sorted(set(state.keys)):
        raise damaged(path, "keys and counts do not belong together")
    if not state.rows <= sum(state.counts) < MOST_ROWS:
        raise damaged(path, "counts must be of the rows seen and of validation rows")
    latest = max([*state.since, *(state.alarm or [0])[:1]])
    if latest > state.rows + 1:
        raise damaged(path, "since and alarm must be among the rows seen")
    return state


def _sealed_values(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of a state; raise unless they are those of its checksum."""
    if not Path(path).is_file():
        raise damaged(path, "it is no plain file")
    with Path(path).open("rb") as stream:
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise damaged(path, "it is far too large")
    try:
        found = bounded_json.parse(content)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"it is not JSON ({error})") from None
    wanted = {"format", "sha256", *(one.name for one in fields(State))}
    if type(found) is not dict or set(found) != wanted:
        raise damaged(path, "it must hold the fields of a state, and no others")
    if found.pop("sha256") != checksum(found):
        raise damaged(path, "its numbers are not those of its checksum")
    if found.pop("format") != FORMAT:
        raise damaged(path, f"its format must be {FORMAT}")
    return found


def damaged(path: str | os.PathLike[str], reason: str) -> ValueError:
    """Return the error of a file that is not the state of a monitor."""
    return ValueError(
        f"{os.fspath(path)!r} must be the state of a monitor, got something else: "
        f"{reason}. Restore it from a copy, or remove it to start anew."
    )


def _whole(least: int) -> Any:
    return lambda value: type(value) is int and least <= value < MOST_ROWS


def _number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= 1e300


def _numbers(value: Any) -> bool:
    return type(value) is list and all(_number(one) and one >= 0 for one in value)


def _wholes(least: int) -> Any:
    rule = _whole(least)
    return lambda value: type(value) is list and all(map(rule, value))


def _alarm(value: Any) -> bool:
    if value is None:
        return True
    if type(value) is not list or len(value) < 2 or not _wholes(1)(value[:2]):
        return False
    row, since, *names = value
    return since <= row and all(type(name) is str for name in names)


RULES: dict[str, Any] = {
    "model": lambda value: type(value) is str,
    "level": lambda value: _number(value) and 0 < value < 1,
    "random_state": _whole(0),
    "rows": _whole(0),
    "capital": lambda value: _numbers(value) and len(value) == N_BETS,
    "gain": lambda value: _numbers(value) and len(value) == N_BETS,
    "since": lambda value: _wholes(1)(value) and len(value) == N_BETS,
    "named": _wholes(0),
    "keys": _wholes(-MOST_ROWS),
    "counts": _wholes(1),
    "alarm": _alarm,
}
"""What each field must be."""
