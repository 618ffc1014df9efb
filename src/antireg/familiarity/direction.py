"""How far the nearest reference is when only the direction of rows counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.neighbours import Space
from antireg.familiarity.signal import NearestBy, Reference, Seen
from antireg.networks.bins import has_features


class Direction(NearestBy):
    """`Nearest`, with inputs divided by their length.

    The length of pixels and features is a matter of brightness; in a table it is not.
    docs/choices.md says what it is worth.
    """

    for_doubt = False
    by_agreement = True

    def usable(self, reference: Reference) -> bool:
        """Return whether rows are pixels or features."""
        return has_features(reference.inputs)

    def space(self, reference: Reference) -> Space:
        """Return the references by their direction."""
        return reference.by_direction

    def placed(self, rows: Seen, reference: Reference) -> NDArray[np.floating]:
        """Return inputs of length one, (rows, columns)."""
        return reference.directions(rows.inputs)
