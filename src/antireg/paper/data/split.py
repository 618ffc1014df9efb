"""A data set split for an experiment: rows to learn from, and rows to test on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rows:
    """Inputs and their targets.

    Args:
        x: Inputs, (rows, features).
        y: Targets, (rows,); None if unknown.
    """

    x: Array
    y: Array | None = None

    def __post_init__(self) -> None:
        """Raise if targets and inputs differ in length."""
        if self.y is not None and len(self.x) != len(self.y):
            raise ValueError(
                f"x and y must have as many rows, got {len(self.x)} and "
                f"{len(self.y)}. Cut both by the same indices."
            )

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.x)

    def __getitem__(self, index: Any) -> Rows:
        """Return the rows at `index`, anything that indexes a numpy array."""
        return Rows(self.x[index], None if self.y is None else self.y[index])


@dataclass(frozen=True, eq=False)
class Split:
    """One data set, split.

    Args:
        name: What the split is, in one word.
        train: Rows to learn from.
        validation: Rows that choose the epoch, the threshold, the settings.
        test: In-distribution rows, used only for the final measurements.
        ood: Out-of-distribution rows by name.
        groups: Which of `train` belong together, (rows,), if new ones will come.
    """

    name: str
    train: Rows
    validation: Rows
    test: Rows
    ood: dict[str, Rows] = field(default_factory=dict)
    groups: Array | None = None


def cut(n_rows: int, shares: Sequence[float], rng: np.random.Generator) -> list[Array]:
    """Return shuffled row indices cut into pieces: one per share, then the rest.

    Each share is a fraction of the rows that earlier shares left, at least one row.
    """
    left = rng.permutation(n_rows)
    pieces = []
    for share in shares:
        size = max(1, round(share * len(left)))
        pieces.append(left[:size])
        left = left[size:]
    if len(left) == 0:
        raise ValueError(
            f"n_rows must leave rows to train on, got {n_rows} cut by {list(shares)}. "
            "Give more rows or smaller shares."
        )
    return [*pieces, left]
