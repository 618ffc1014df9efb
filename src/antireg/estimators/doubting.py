"""The doubt of a fitted model: how unfamiliar rows are, and how answers change then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.blame import Blame
from antireg.familiarity.doubt import ClassDoubt, Doubt
from antireg.familiarity.joining import Normalisation, Signalling
from antireg.familiarity.signal import Seen

Array = NDArray[np.float64]

PROTOTYPES = "prototypes"
DOUBTS = ("rehearsed", PROTOTYPES, None)
"""Allowed values of the setting `doubt`."""


class Asked(NamedTuple):
    """What is to be known of rows: the less, the quicker.

    Attributes:
        doubt: How much doubt there is.
        flag: The score that decides the flag.
        threshold: A score up to this may be any number up to it, unless doubt is asked
            for too.
    """

    doubt: bool = True
    flag: bool = True
    threshold: float = 0.0


EVERYTHING, ABOUT_DOUBT = Asked(), Asked(flag=False)


class Said(NamedTuple):
    """The members' outputs for some rows and, with doubt, how unfamiliar these are.

    Attributes:
        outputs: Of the members, then of their centre, if any, (all, rows, outputs).
        unfamiliar: What doubt grows with, (rows,); None without doubt, or if nobody
            asked.
        score: What decides the flag, (rows,); None in these cases too.
    """

    outputs: Array
    unfamiliar: Array | None = None
    score: Array | None = None


@dataclass(frozen=True, eq=False)
class Doubting:
    """What a model with doubt has learned.

    Attributes:
        signalling: Computes the signals of rows, by reference rows.
        normalisation: Makes the signals comparable, by validation rows.
        doubt: Turns them into an answer.
    """

    signalling: Signalling
    normalisation: Normalisation
    doubt: Doubt | ClassDoubt

    def blame(self, owners: NDArray[np.intp]) -> Blame:
        """Return what tells which columns make a row unfamiliar, learned once.

        Args:
            owners: Index of the column that each feature belongs to, (features,).
        """
        known: dict[bytes, Blame] = vars(self).setdefault("_blames", {})
        key = owners.tobytes()
        if key not in known:
            known[key] = Blame.learned(self.signalling, self.normalisation, owners)
        return known[key]

    def said(self, outputs: Array, rows: Seen, asked: Asked = EVERYTHING) -> Said:
        """Return the outputs of rows, and how unfamiliar these are.

        Args:
            outputs: (members, rows, outputs).
            rows: As the members see them.
            asked: If only for doubt, what is below its start is not exact.
        """
        normal = self.normalisation
        doubt = normal.doubt_names() if asked.doubt else []
        names = [*doubt, *(normal.flag_names() if asked.flag else [])]
        least = 0.0
        if not asked.flag:
            least = len(doubt) * self.doubt.curve.start
        elif not asked.doubt:
            least = asked.threshold
        signals = self.signalling.above(rows, normal, dict.fromkeys(names), least)
        return Said(
            outputs,
            normal.unfamiliar(signals) if asked.doubt else None,
            normal.flag(signals) if asked.flag else None,
        )

    def weight(self, unfamiliar: Array) -> Array:
        """Return how much of the answer is "I do not know", (rows,)."""
        return self.doubt.curve.weight(unfamiliar)


class SettingBesideMethod:
    """`model.doubt(X)` is a method and `doubt=` a setting of the same name.

    scikit-learn finds the setting among the parameters.
    """

    def __set__(self, model: Any, value: Any) -> None:
        """Keep the setting."""
        vars(model)["doubt"] = value

    def __get__(self, model: Any, owner: Any) -> Any:
        """Return the method."""
        return self if model is None else model.predict_doubt
