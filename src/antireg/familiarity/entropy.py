"""How uncertain a classifier is, with several times the weight of other signals."""

from __future__ import annotations

from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import Memory, Reference, Seen, Signal
from antireg.familiarity.spread import log_uncertainty


class Entropy(Signal):
    """The logarithm of the entropy, once more than `Spread`, for flags of classifiers.

    Distances are several views of one thing, and what a network cannot classify may
    lie among what it knows: docs/choices.md has the figures.
    """

    weight = 4.0
    for_doubt = False
    needs_uncertainty = True
    only_classes = True

    def score(self, rows: Seen, reference: Reference, memory: Memory) -> Array:
        """Return the logarithm, (rows,)."""
        return log_uncertainty(rows)
