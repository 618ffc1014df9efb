"""A fitted model with rows to compare with: what it says, and how familiar rows are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.joining import Signalling, Signals
from antireg.familiarity.references import MOST, reference_rows
from antireg.familiarity.regions import REHEARSAL_REFERENCES
from antireg.familiarity.signal import Reference, Seen
from antireg.trusted.answers import Answer
from antireg.trusted.frames import taken
from antireg.trusted.inputs import Inputs, sensitivity
from antireg.trusted.rules import Rules

Array = NDArray[np.float64]


class Observed(NamedTuple):
    """What a model says of rows, and how unfamiliar they are, signal by signal."""

    answer: Answer
    signals: Signals


class Said(NamedTuple):
    """What a model says of rows, and how unfamiliar these are.

    Attributes:
        outputs: What it says.
        unfamiliar: What doubt grows with, (rows,).
        score: What the flag is by, (rows,).
    """

    outputs: Answer
    unfamiliar: Array
    score: Array


@dataclass(frozen=True, eq=False)
class Observer:
    """A fitted model with references: what it says of rows, and how familiar they are.

    Attributes:
        rules: Of its targets.
        inputs: How it sees rows, and the model itself.
        signalling: Says the signals of rows, by references.
    """

    rules: Rules
    inputs: Inputs
    signalling: Signalling

    @classmethod
    def learned(
        cls, rules: Rules, model: Any, X: Any, seed: int, brief: bool = False
    ) -> Observer:
        """Return how a fitted model looks at rows.

        Args:
            rules: Of its targets.
            model: Fitted.
            X: Rows to compare with.
            seed: Of the choice of references.
            brief: Whether it is for a rehearsal: few references, the signals of doubt.
        """
        inputs = Inputs.learned(model, X)

        def says(rows: Any) -> Answer:
            return rules.says(inputs.last, rows)

        most = REHEARSAL_REFERENCES if brief else MOST
        kept = taken(X, reference_rows(X.shape[0], seed, most))
        entering = inputs.entering(kept)
        moved = sensitivity(inputs, lambda rows: says(rows).values, entering)
        reference = Reference(inputs.numbers(entering), moved)
        knows = rules.uncertainty(says(taken(entering, np.arange(1)))) is not None
        signalling = Signalling.learned(
            reference, for_doubt=brief, uncertainty=knows, classes=rules.tells_classes
        )
        return cls(rules, inputs, signalling)

    def __call__(self, X: Any) -> Observed:
        """Return what is said of rows, and their signals."""
        entering = self.inputs.entering(X)
        answer = self.rules.says(self.inputs.last, entering)
        numbers = self.inputs.numbers(entering)
        seen = Seen(numbers, self.rules.uncertainty(answer))
        return Observed(answer, self.signalling(seen))
