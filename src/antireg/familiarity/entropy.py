"""How uncertain a classifier is, which counts as much as all distances together."""

from __future__ import annotations

from antireg.familiarity.spread import Spread


class Entropy(Spread):
    """`Spread` once more, for the flags of classifiers.

    Distances are several views of one thing, and where a network is unsure of the
    class, what it sees may lie among what it knows: docs/choices.md has the figures.
    """

    weight = 4.0
    for_doubt = False
    only_classes = True
