"""How far the references are in the members' last hidden layer."""

from __future__ import annotations

import numpy as np

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import Memory, Reference, Seen, Signal


class Hidden(Signal):
    """The logarithm of the distance to the nearest reference,  log(d₁ + φ),  by what
    enters the last layer, all members side by side."""

    for_flag = False
    needs_hidden = True

    def usable(self, reference: Reference) -> bool:
        """Return whether there is a hidden layer."""
        return reference.hidden is not None

    def init(self, reference: Reference) -> Memory:
        """Learn φ."""
        return {"floor": np.array([reference.by_hidden.floor])}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shape: one number."""
        return {"floor": (1,)}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return log(d₁ + φ), (rows,)."""
        if rows.hidden is None:
            raise ValueError("hidden must be given to compare rows by it, got None.")
        distances, _ = rows.near(reference.by_hidden, rows.hidden)
        return np.asarray(np.log(distances[:, 0] + memory["floor"]))
