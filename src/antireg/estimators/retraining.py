"""A fit once more, without some of its rows: what it says of those it has not seen.

Nothing is chosen on the way: the method is that of the fit, every number of it found,
and a member is kept after as many steps as in the fit, so that it needs no rows to
choose by.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.members import Wishes, plan_of, rows_per_step
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


@dataclass(frozen=True)
class Retraining:
    """The trainings of a fit once more, each without some of the rows.

    Attributes:
        wishes: The settings of the fit.
        loss: What was fitted.
        fit: What came of it.
        data: All rows, those it held out too.
        seed: Of the fit.
    """

    wishes: Wishes
    loss: Loss
    fit: Fit
    data: Data
    seed: int

    def networks_without(
        self, parts: Sequence[Rows], n_trained: int, folder: Path | None = None
    ) -> list[Stack | None]:
        """Return members trained without each part, None where that diverged.

        Args:
            parts: Which rows to leave out, one training for each.
            n_trained: How many rows the fit was trained on.
            folder: Where trainings are written as they go, if anywhere.
        """
        steps = self.fit.history.kept * self._steps_per_epoch(n_trained)
        return [
            self._network_without(
                part,
                steps,
                f"left out {number} of {len(parts)}",
                None if folder is None else folder / f"left-out-{number}",
            )
            for number, part in enumerate(parts, start=1)
        ]

    def _network_without(
        self, part: Rows, steps: NDArray[np.int64], title: str, folder: Path | None
    ) -> Stack | None:
        """Return members trained without the part, each kept after so many steps."""
        kept = np.ones(len(self.data), dtype=bool)
        kept[part] = False
        rows, left_out = rows_of(self.data, kept), rows_of(self.data, ~kept)
        problem = Problem(rows, left_out, self.loss)
        plan = plan_of(self.wishes, problem, self.seed, folder)
        epochs = np.round(steps / self._steps_per_epoch(len(rows)))
        kept_after = np.maximum(epochs, 1).astype(int).tolist()
        settings = replace(
            plan.settings, epochs=max(kept_after), kept=kept_after, callbacks=()
        )
        plan = replace(plan, settings=settings)
        return trained_members(self.wishes, plan, self.fit.method, title)

    def _steps_per_epoch(self, n_rows: int) -> int:
        return -(-n_rows // rows_per_step(self.wishes.batch_size, n_rows))


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
        with warnings.catch_warnings(), shared_out(trainer, wishes.n_jobs) as train:
            warnings.filterwarnings("ignore", "n_jobs has no effect")  # said before
            fit = train(method)
    except DivergedError:
        return None
    return plan.start.with_weights(fit.weights)
