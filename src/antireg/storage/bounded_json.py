"""Untrusted JSON, whose values and depth are counted before it is parsed.

A value of three bytes takes a hundred in memory, and a deep list a deep stack.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

MOST_VALUES = 2**20
"""Twice as many values as a table of a hundred thousand columns needs."""

MOST_DEPTH = 32

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def parse(content: bytes) -> Any:
    """Return what the JSON holds; anything wrong with it raises a ValueError."""
    if content.count(b'"') > 2 * MOST_VALUES:
        raise ValueError(f"it holds more than {MOST_VALUES} strings")
    outside = _STRING.sub(b"", content)
    opened = outside.count(b"[") + outside.count(b"{")
    if opened + outside.count(b",") > MOST_VALUES:
        raise ValueError(f"it holds more than {MOST_VALUES} values")
    if _depth(outside) > MOST_DEPTH:
        raise ValueError(f"it is nested more than {MOST_DEPTH} deep")
    found = json.loads(content.decode(), parse_constant=_refuse)
    if _SURROGATE.search(content):
        json.dumps(found, ensure_ascii=False).encode()  # half a character is an error
    return found


def _depth(outside: bytes) -> int:
    brackets = bytes(sign for sign in range(256) if sign not in b"[]{}")
    signs = np.frombuffer(outside.translate(None, brackets), dtype=np.uint8)
    steps = np.where((signs == ord("[")) | (signs == ord("{")), 1, -1)
    return int(np.cumsum(steps).max(initial=0))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number of JSON")
