"""How far the nearest reference is, in the inputs that matter to the answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Space
from antireg.familiarity.signal import NearestBy, Reference, Seen


class Sensitive(NearestBy):
    """`Nearest`, with each input multiplied by its effect on the members' answer.

    The effect is the root mean square of ∂answer/∂input over references and members: a
    column that the members hardly use hardly counts.
    """

    def space(self, reference: Reference) -> Space:
        """Return the references by what their inputs do."""
        return reference.by_effect

    def placed(self, rows: Seen, reference: Reference) -> NDArray[np.floating]:
        """Return inputs, each times its effect, (rows, columns)."""
        return reference.weighted(rows.inputs)
