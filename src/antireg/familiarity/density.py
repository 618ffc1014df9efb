"""How much less dense the references are around a row than around its neighbours."""

from __future__ import annotations

import numpy as np

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import (
    DENSITY_NEIGHBOURS,
    Memory,
    Reference,
    Seen,
    Signal,
)


class Density(Signal):
    """log(d₁₀(x) + φ) minus the mean of log(d₁₀ + φ) of its ten neighbours.

    It is 0 if references are as dense around a row as around its neighbours. φ is that
    of `Nearest`.

    References:
        Breunig et al., "LOF: Identifying Density-Based Local Outliers", 2000.
    """

    def init(self, reference: Reference) -> Memory:
        """Learn φ and log(d₁₀ + φ) of every reference."""
        floor = reference.by_inputs.floor
        if len(reference.inputs) < 2:
            return {"floor": np.array([floor]), "own": np.zeros(len(reference.inputs))}
        tenth = reference.by_inputs.own(DENSITY_NEIGHBOURS)[:, -1]
        return {"floor": np.array([floor]), "own": np.log(tenth + floor)}

    def shapes(self, reference: Reference) -> dict[str, tuple[int, ...]]:
        """Return the shapes: one number, and one per reference."""
        return {"floor": (1,), "own": (len(reference.inputs),)}

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return the difference of logarithms, (rows,)."""
        distances, places = rows.near(reference.by_inputs, rows.inputs)
        theirs = memory["own"][places].mean(axis=1)
        return np.asarray(np.log(distances[:, -1] + memory["floor"]) - theirs)
