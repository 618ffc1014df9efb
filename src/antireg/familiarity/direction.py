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
from antireg.networks.bins import has_features


class Direction(Signal):
    """`Nearest`, with inputs divided by their length.

    The length of pixels and features is a matter of brightness; in a table it is not.
    docs/choices.md says what it is worth.
    """

    for_doubt = False
    by_agreement = True
    asks_last = True

    def usable(self, reference: Reference) -> bool:
        """Return whether rows are pixels or features."""
        return has_features(reference.inputs)

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
