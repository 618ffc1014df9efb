"""How far the nearest reference is when only the direction of rows counts."""

from __future__ import annotations

import numpy as np

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import (
    ALL_SCORES,
    Memory,
    Reference,
    Seen,
    Signal,
    log_nearest,
)

FEWEST_COLUMNS = 50
"""So many columns of more than two values are taken for pixels or features of one kind,
whose length is a matter of brightness. In a table it is not, also if it has many
columns of zeros and ones."""


class Direction(Signal):
    """`Nearest`, with inputs divided by their length.

    docs/choices.md says what it is worth, and why it is not for tables.
    """

    for_doubt = False
    asks_last = True

    def usable(self, reference: Reference) -> bool:
        """Return whether many columns have more than two values."""
        x = reference.inputs
        between = (x > x.min(axis=0)) & (x < x.max(axis=0))
        return int(between.any(axis=0).sum()) >= FEWEST_COLUMNS

    def init(self, reference: Reference) -> Memory:
        """Learn φ."""
        return {"floor": np.array([reference.by_direction.floor])}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shape: one number."""
        return {"floor": (1,)}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return the signal, (rows,)."""
        return self.score_above(rows, reference, memory, ALL_SCORES)

    def score_above(
        self, rows: Seen, reference: Reference, memory: Memory, least: float | Array
    ) -> Array:
        """Return log(d₁ + φ), (rows,)."""
        where = reference.by_direction, reference.directions(rows.inputs)
        return log_nearest(rows, reference, where, memory["floor"], least)
