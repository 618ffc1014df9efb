"""Values of a stored description, each checked as it is read."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from typing import Any

from antireg.storage.model_folder import damaged

MOST_AXES = 64
"""As many as NumPy has. A product of very many numbers takes minutes."""


class Fields:
    """One object of a stored description, whose values are checked as they are read."""

    def __init__(
        self, path: str | os.PathLike[str], values: Any, name: str = ""
    ) -> None:
        """Keep the object and where it comes from."""
        self.path, self.name = path, name
        if not isinstance(values, dict):
            raise damaged(path, f"{name or 'model.json'} must be an object")
        self.values: dict[str, Any] = values

    def wrong(self, name: str, rule: str) -> ValueError:
        """Return the error of a field that breaks a rule."""
        return damaged(self.path, f"{self.name}{name} {rule}")

    def get(self, name: str) -> Any:
        """Return a field as it is."""
        if name not in self.values:
            raise self.wrong(name, "is missing")
        return self.values[name]

    def inner(self, name: str) -> Fields:
        """Return an object within."""
        return Fields(self.path, self.get(name), f"{self.name}{name}.")

    def count(self, name: str) -> int:
        """Return a whole number, 1 or more."""
        value = self.get(name)
        if type(value) is not int or not 1 <= value < 2**40:
            raise self.wrong(name, "must be a whole number, 1 or more")
        return value

    def version(self, what: str, most: int) -> int:
        """Return the number of a format that is known.

        Args:
            what: The stored thing, such as "gate", for the message.
            most: The newest that can be read.
        """
        number = self.count("format")
        if number > most:
            raise ValueError(
                f"The {what} in {os.fspath(self.path)!r} must have a format up to "
                f"{most}, which this version of antireg reads, got {number}. Upgrade "
                "antireg."
            )
        return number

    def number(self, name: str) -> float:
        """Return a finite number."""
        value = self.get(name)
        if type(value) not in (int, float) or not _is_finite(value):
            raise self.wrong(name, "must be a finite number")
        return float(value)

    def flag(self, name: str) -> bool:
        """Return true or false."""
        value = self.get(name)
        if type(value) is not bool:
            raise self.wrong(name, "must be true or false")
        return value

    def text(self, name: str) -> str:
        """Return a string."""
        value = self.get(name)
        if type(value) is not str:
            raise self.wrong(name, "must be a string")
        return value

    def choice(self, name: str, choices: Collection[str]) -> str:
        """Return one of these strings."""
        value = self.text(name)
        if value not in choices:
            raise self.wrong(name, f"must be one of {', '.join(choices)}")
        return value

    def texts(self, name: str) -> list[str]:
        """Return a list of strings."""
        return self._list(name, str, "strings")

    def counts(self, name: str) -> list[int]:
        """Return a list of whole numbers, 1 or more."""
        values: list[int] = self._list(name, int, "whole numbers, 1 or more")
        if any(not 1 <= value < 2**40 for value in values):
            raise self.wrong(name, "must be a list of whole numbers, 1 or more")
        return values

    def axes(self, name: str) -> tuple[int, ...]:
        """Return the lengths of the axes of an array."""
        values = self.counts(name)
        if len(values) > MOST_AXES:
            raise self.wrong(name, f"must have at most {MOST_AXES} axes")
        return tuple(values)

    def numbers(self, name: str) -> list[float]:
        """Return a list of finite numbers."""
        values = self.get(name)
        if type(values) is not list or not all(
            type(value) in (int, float) and _is_finite(value) for value in values
        ):
            raise self.wrong(name, "must be a list of finite numbers")
        return [float(value) for value in values]

    def _list(self, name: str, kind: type, what: str) -> list[Any]:
        values = self.get(name)
        if type(values) is not list or any(type(value) is not kind for value in values):
            raise self.wrong(name, f"must be a list of {what}")
        return values


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        return False
