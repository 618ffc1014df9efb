"""The doubt of a fitted model: how unfamiliar rows are, and how answers change then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity import SIGNALS
from antireg.familiarity.blame import Blame
from antireg.familiarity.doubt import ClassDoubt, Doubt
from antireg.familiarity.joining import Normalisation, Signalling
from antireg.familiarity.line import Line
from antireg.familiarity.signal import Seen

Array = NDArray[np.float64]

PROTOTYPES = "prototypes"
DOUBTS = ("rehearsed", PROTOTYPES, None)
"""Allowed values of the setting `doubt`."""


class Wanted(NamedTuple):
    """What is to be known of rows: the less, the quicker.

    Attributes:
        doubt: How much doubt there is.
        flag: The score that decides the flag.
        threshold: Scores up to this need not be exact, only up to it too. It does not
            count if doubt is wanted as well.
    """

    doubt: bool = True
    flag: bool = True
    threshold: float = 0.0


EVERYTHING, ABOUT_DOUBT = Wanted(), Wanted(flag=False)


class Said(NamedTuple):
    """The members' outputs for some rows and, with doubt, how unfamiliar these are.

    Attributes:
        outputs: Of the members, then of their centre, if any, (all, rows, outputs).
        unfamiliar: What doubt grows with, (rows,); None without doubt, or if it
            was not wanted.
        score: What decides the flag, (rows,); None in these cases too.
        on_line: What a straight line says, (rows, targets), if doubt has one and was
            wanted.
    """

    outputs: Array
    unfamiliar: Array | None = None
    score: Array | None = None
    on_line: Array | None = None

    @property
    def alone(self) -> Said:
        """The same without doubt: what the members say."""
        return Said(self.outputs)

    def side_by_side(self) -> Array:
        """Return all of it as one array, (all, rows, numbers); see `taken_apart`."""
        on_line = [] if self.on_line is None else [self.on_line]
        parts: list[Any] = [self.unfamiliar, self.score, *on_line]
        more = np.column_stack(parts)
        shape = (*self.outputs.shape[:2], more.shape[1])
        return np.concatenate([self.outputs, np.broadcast_to(more, shape)], axis=2)

    @classmethod
    def taken_apart(cls, values: Array, n_lines: int) -> Said:
        """Return what `side_by_side` made one array of.

        Args:
            values: (all, rows, numbers).
            n_lines: Number of targets that there is a line for.
        """
        outputs, more = np.split(values, [-2 - n_lines], axis=2)
        unfamiliar, score = more[0, :, 0], more[0, :, 1]
        return cls(outputs, unfamiliar, score, more[0, :, 2:] if n_lines else None)


def check_said(said: object) -> None:
    """Raise unless it is what `said` returns; outputs alone were taken once."""
    if not isinstance(said, Said):
        raise TypeError(
            f"said must be what model.said(X) returns, got {type(said).__name__}. For "
            "the members' answer without doubt use model.said(X).alone."
        )


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

    def said(self, outputs: Array, rows: Seen, wanted: Wanted = EVERYTHING) -> Said:
        """Return the outputs of rows, and how unfamiliar these are.

        Args:
            outputs: (members, rows, outputs).
            rows: As the members see them.
            wanted: If only for doubt, what is below its start is not exact.
        """
        normal, line, least = self.normalisation, self.line, 0.0
        if not wanted.flag:
            least = len(normal.doubt_names()) * self.doubt.curve.start
        elif not wanted.doubt:
            least = wanted.threshold
        signals = self.signalling.above(rows, normal, self.names(wanted), least)
        return Said(
            outputs,
            normal.unfamiliar(signals) if wanted.doubt else None,
            normal.flag(signals) if wanted.flag else None,
            line(rows.inputs) if line is not None and wanted.doubt else None,
        )

    @property
    def line(self) -> Line | None:
        """The straight line that doubt falls back on, if there is one."""
        return self.doubt.line if isinstance(self.doubt, Doubt) else None

    @property
    def n_lines(self) -> int:
        """Number of targets that there is a line for."""
        return 0 if self.line is None else len(self.line.shift)

    def names(self, wanted: Wanted) -> list[str]:
        """Return the signals that are needed, each once."""
        normal = self.normalisation
        doubt = normal.doubt_names() if wanted.doubt else []
        flag = normal.flag_names() if wanted.flag else []
        return list(dict.fromkeys([*doubt, *flag]))

    def needs_hidden(self, wanted: Wanted) -> bool:
        """Return whether a signal that is needed compares hidden layers."""
        return any(SIGNALS[name].needs_hidden for name in self.names(wanted))

    def weight(self, unfamiliar: Array) -> Array:
        """Return how much of the answer is "I do not know", (rows,)."""
        return self.doubt.curve.weight(unfamiliar)


def doubt_setting(model: Any) -> str | None:
    """Return the setting `doubt` of an estimator, whose attribute is a method."""
    setting: str | None = vars(model).get("doubt")
    return setting


class SettingBesideMethod:
    """`model.doubt(X)` is a method and `doubt=` a setting of the same name.

    scikit-learn finds the setting among the parameters; `doubt_setting` returns it.
    """

    def __set__(self, model: Any, value: Any) -> None:
        """Keep the setting."""
        vars(model)["doubt"] = value

    def __get__(self, model: Any, owner: Any) -> Any:
        """Return the method."""
        return self if model is None else model.predict_doubt
