"""How far the nearest reference is."""

from __future__ import annotations

import numpy as np

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import Memory, Reference, Seen, Signal


class Nearest(Signal):
    """The logarithm of the distance to the nearest reference,  log(d₁ + φ).

    φ is 1 % of the median distance of references to their fifth neighbour.
    """

    for_doubt = False
    by_agreement = True

    def init(self, reference: Reference) -> Memory:
        """Learn φ."""
        return {"floor": np.array([reference.by_inputs.floor])}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shape: one number."""
        return {"floor": (1,)}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return log(d₁ + φ), (rows,)."""
        distances, _ = rows.near(reference.by_inputs, rows.inputs)
        return np.asarray(np.log(distances[:, 0] + memory["floor"]))
