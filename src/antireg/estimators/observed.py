"""Rows as members see them that were not trained on them: what doubt is learned by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.joining import Signals, joined_rows
from antireg.familiarity.line import Fallback, joined_fallback

Array = NDArray[np.float64]


class Observed(NamedTuple):
    """Rows that members were not trained on, with their outputs and signals.

    Attributes:
        outputs: Of the members and their centre, (all, rows, outputs).
        signals: How unfamiliar the rows are.
        targets: True values, as the network sees them, (rows, targets).
        weight: Weight of each row, (rows,).
        line_said: What a line through the rows trained on says, if there is one.
    """

    outputs: Array
    signals: Signals
    targets: Array
    weight: Array
    line_said: Fallback | None = None

    @property
    def on_line(self) -> Array | None:
        """The mean by the line, (rows, targets), if there is one."""
        return None if self.line_said is None else self.line_said.mean


def joined(parts: Sequence[Observed]) -> Observed:
    """Return the rows of all parts."""
    return Observed(
        np.concatenate([part.outputs for part in parts], axis=1),
        joined_rows([part.signals for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([part.weight for part in parts]),
        joined_fallback([part.line_said for part in parts]),
    )
