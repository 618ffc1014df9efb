"""How far the nearest reference is, in the inputs that matter to the answer."""

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


class Sensitive(Signal):
    """`Nearest`, with each input multiplied by its effect on the members' answer.

    The effect is the root mean square of ∂answer/∂input over references and members: a
    column that the members hardly use hardly counts.
    """

    asks_last = True

    def init(self, reference: Reference) -> Memory:
        """Learn φ."""
        return {"floor": np.array([reference.by_effect.floor])}

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
        where = reference.by_effect, reference.weighted(rows.inputs)
        return log_nearest(rows, reference, where, memory["floor"], least)
