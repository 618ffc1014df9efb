"""A fitted model with rows to compare with: what it says, and how familiar rows are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from antireg.familiarity.joining import Signalling, Signals
from antireg.familiarity.references import MOST, reference_rows
from antireg.familiarity.signal import Reference, Seen
from antireg.trusted.answers import Answer
from antireg.trusted.frames import taken
from antireg.trusted.inputs import Inputs, sensitivity
from antireg.trusted.rules import Rules


class Looked(NamedTuple):
    """What a model says of rows, and how unfamiliar they are, signal by signal."""

    answer: Answer
    signals: Signals


class Looking:
    """A fitted model with references: what it says of rows, and how familiar they are.

    Args:
        rules: Of its targets.
        model: Fitted.
        X: Rows to compare with.
        seed: Of the choice of references.
        most: How many of these to keep.
    """

    def __init__(
        self, rules: Rules, model: Any, X: Any, seed: int, most: int = MOST
    ) -> None:
        """Learn the signals."""
        self.rules, self.inputs = rules, Inputs.learnt(model, X)
        kept = taken(X, reference_rows(X.shape[0], seed, most))
        entering = self.inputs.entering(kept)
        moved = sensitivity(self.inputs, lambda rows: self._says(rows).values, entering)
        reference = Reference(self.inputs.numbers(entering), moved)
        few = taken(entering, np.arange(1))
        knows = rules.uncertainty(self._says(few)) is not None
        self.signalling = Signalling.learnt(reference, uncertainty=knows)

    def __call__(self, X: Any) -> Looked:
        """Return what is said of rows, and their signals."""
        entering = self.inputs.entering(X)
        answer = self._says(entering)
        numbers = self.inputs.numbers(entering)
        seen = Seen(numbers, self.rules.uncertainty(answer))
        return Looked(answer, self.signalling(seen))

    def _says(self, entering: Any) -> Answer:
        return self.rules.says(self.inputs.last, entering)
