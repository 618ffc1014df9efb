"""Rows through trained networks, some at a time, and what reads their outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from antireg.rows.scaling import Scaling
from antireg.trained.comparing import Viewed, moved_by
from antireg.trained.inputs import parts_of
from antireg.trained.modules import Modules

Array = NDArray[np.float64]
Rows = NDArray[np.floating]


class Passed(NamedTuple):
    """What networks say of rows.

    Attributes:
        outputs: As they are, (members, rows, outputs).
        hidden: What enters their last layers, (rows, units), if it is known.
    """

    outputs: Array
    hidden: NDArray[np.float32] | None


@torch.no_grad()
def passed(modules: Modules, X: Rows) -> Passed:
    """Return what networks say of rows, (rows, ...)."""
    passes = [modules(torch.from_numpy(X[part])) for part in parts_of(X)]
    outputs = torch.cat([said for said, _ in passes], 1).cpu().numpy()
    hidden = [units for _, units in passes if units is not None]
    known = len(hidden) == len(passes)
    return Passed(outputs, torch.cat(hidden).cpu().numpy() if known else None)


@dataclass(frozen=True, eq=False)
class Reading:
    """Networks, and what reads their outputs.

    Attributes:
        modules: The networks.
        meant: From their outputs to those of the reader.
        reader: An ensemble that says what these mean.
    """

    modules: Modules
    meant: Callable[[Tensor], Tensor]
    reader: Any

    def __call__(self, X: Rows, said: Passed | None = None) -> Viewed:
        """Return rows with what the networks say of them, in the reader's units.

        Args:
            X: Rows, (rows, ...).
            said: Of them, if that is known already.
        """
        outputs, hidden = passed(self.modules, X) if said is None else said
        outputs = self.meant(torch.from_numpy(outputs)).numpy()
        knows = len(outputs) > 1 or self.reader.kind == "classifier"
        rules = self.reader._doubt_rules(self.reader)
        return Viewed(X, outputs, hidden, rules.uncertainty(outputs) if knows else None)

    def moved(self, X: Rows, scaling: Scaling) -> Array:
        """Return how much answers change with each scaled input, (columns,).

        Args:
            X: Some rows, (rows, ...).
            scaling: Of flattened inputs.
        """

        def said_by(member: nn.Module) -> Callable[[Tensor], Tensor]:
            alone = Modules((member,))
            return lambda rows: self.meant(alone(rows)[0])[0]

        answers = self.reader._doubt_rules(self.reader).answers
        return moved_by([said_by(m) for m in self.modules.members], answers, X, scaling)
