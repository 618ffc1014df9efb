"""A fit once more, without some of its rows: what it says of those it has not seen.

The method is that of the fit, every number of it found, and the rows that the fit held
out choose the epochs to keep, as they did there. So the rows left out are to these
members what fresh rows are to those of the fit: nothing was learnt or chosen on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.members import Wishes, plan_of, steps_per_epoch
from antireg.losses import Loss
from antireg.methods.base import DivergedError, Fit, Method
from antireg.networks import Stack
from antireg.parallel.workers import shared_out
from antireg.rows.data import Data, rows_of
from antireg.training.loop import Trainer
from antireg.training.plan import Plan
from antireg.training.problem import Problem

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

PATIENCE = 2
"""How many times as long as the fit's last kept epoch members are trained at most:
where the fit overfits soon, so do they, and the rest of its steps would be wasted."""


@dataclass(frozen=True)
class Retraining:
    """The trainings of a fit once more, each without some of the rows.

    Attributes:
        wishes: The settings of the fit.
        loss: What was fitted.
        fit: What came of it.
        data: All rows, those it held out too.
        trained: Which of them it was trained on, (rows,).
        seed: Of the fit.
    """

    wishes: Wishes
    loss: Loss
    fit: Fit
    data: Data
    trained: Mask
    seed: int

    def networks_without(
        self, parts: Sequence[Rows], folder: Path | None = None
    ) -> list[Stack | None]:
        """Return members trained without each part, None where that diverged.

        Args:
            parts: Which rows to leave out, one training for each.
            folder: Where trainings are written as they go, if anywhere.
        """
        return [
            self._network_without(
                part,
                f"left out {number} of {len(parts)}",
                None if folder is None else folder / f"left-out-{number}",
            )
            for number, part in enumerate(parts, start=1)
        ]

    def _network_without(
        self, part: Rows, title: str, folder: Path | None
    ) -> Stack | None:
        """Return members trained without the part, as they are after kept epochs."""
        kept = self.trained.copy()
        kept[part] = False
        rows, held_out = rows_of(self.data, kept), rows_of(self.data, ~self.trained)
        problem = Problem(rows, held_out, self.loss)
        plan = plan_of(self.wishes, problem, self.seed, folder)
        epochs = -(-self._most_steps // self._steps_per_epoch(len(rows)))
        settings = replace(plan.settings, epochs=epochs, callbacks=())
        plan = replace(plan, settings=settings)
        return trained_members(self.wishes, plan, self.fit.method, title)

    @property
    def _most_steps(self) -> int:
        """How long to train: as the fit was, but for epochs that none would keep."""
        history = self.fit.history
        epochs = min(PATIENCE * int(history.kept.max()), history.n_epochs)
        return epochs * self._steps_per_epoch(int(self.trained.sum()))

    def _steps_per_epoch(self, n_rows: int) -> int:
        return steps_per_epoch(self.wishes, n_rows)


def trained_members(
    wishes: Wishes, plan: Plan, method: Method, title: str
) -> Stack | None:
    """Return the members of a plan as they are after training, None if it diverged.

    Args:
        wishes: The settings of the fit that this is for.
        plan: What to train.
        method: By what.
        title: Of its line, if lines are drawn.
    """
    trainer = Trainer(plan, verbose=wishes.verbose, title=title)
    try:
        with shared_out(trainer, wishes.n_jobs, warned=True) as train:
            fit = train(method)
    except DivergedError:
        return None
    return plan.start.with_weights(fit.weights)
