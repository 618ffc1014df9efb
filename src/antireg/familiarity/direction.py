"""How far the nearest reference is when only the direction of rows counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import Memory, Reference, Seen, Signal

FEWEST_COLUMNS = 64
"""From here on, columns are taken for pixels or features of one kind, whose length is a
matter of brightness; in a table of fewer it is not."""


class Direction(Signal):
    """`Nearest`, with inputs divided by their length.

    docs/choices.md says what it is worth, and why not on tables of few columns.
    """

    for_doubt = False

    def usable(self, reference: Reference) -> bool:
        """Return whether there are many columns."""
        return bool(reference.inputs.shape[1] >= FEWEST_COLUMNS)

    def init(self, reference: Reference) -> Memory:
        """Learn φ."""
        return {"floor": np.array([reference.by_direction.floor])}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shape: one number."""
        return {"floor": (1,)}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return log(d₁ + φ), (rows,)."""
        directions: NDArray[np.floating] = reference.directions(rows.inputs)
        distances, _ = rows.near(reference.by_direction, directions)
        return np.asarray(np.log(distances[:, 0] + memory["floor"]))
