"""Repeats a fit without some of its rows, to see what members say of unseen rows.

The method and its settings are those that the fit ended with, and the same validation
rows choose the epochs to keep. So the rows left out are to the new members what new
rows are to the fit's members: nothing was learned or chosen on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.members import EstimatorSettings, plan_of, steps_per_epoch
from antireg.losses import Loss
from antireg.methods.base import DivergedError, Fit, Method
from antireg.networks import Centred
from antireg.parallel.workers import shared_out
from antireg.rows.data import Data, rows_of
from antireg.training.loop import Trainer
from antireg.training.plan import Plan
from antireg.training.problem import Problem

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

PATIENCE = 2
"""Members are trained for at most this many times the fit's last kept epoch: if the fit
overfits early, so do they, and more steps would be wasted."""


@dataclass(frozen=True)
class Retraining:
    """Repeats a fit, each time without some of the rows.

    Attributes:
        estimator: The settings of the fit.
        loss: Of the fit.
        fit: Its result.
        data: All rows, including validation rows.
        trained: Which of them the fit was trained on, (rows,).
        seed: Of the fit.
    """

    estimator: EstimatorSettings
    loss: Loss
    fit: Fit
    data: Data
    trained: Mask
    seed: int

    def networks_without(
        self, parts: Sequence[Rows], folder: Path | None = None
    ) -> list[Centred | None]:
        """Return members trained without each part, None if their training diverged.

        Their centre, if the fit has one, is trained without it too.

        Args:
            parts: Rows to leave out, one training for each.
            folder: For checkpoints, if wanted.
        """
        return [
            self._both_without(
                part,
                f"left out {number} of {len(parts)}",
                None if folder is None else folder / f"left-out-{number}",
            )
            for number, part in enumerate(parts, start=1)
        ]

    def _both_without(
        self, part: Rows, title: str, folder: Path | None
    ) -> Centred | None:
        """Return members and centre trained without the part."""
        found = self._network_without(part, title, folder)
        if found is None:
            return None
        if self.fit.centre is None:
            return Centred(found.members)
        if found.centre is not None:  # they were trained from it
            return found
        beside = None if folder is None else folder / "centre"
        again = replace(self, fit=self.fit.centre)
        centre = again._network_without(part, title, beside)
        return None if centre is None else Centred(found.members, centre.members)

    def _network_without(
        self, part: Rows, title: str, folder: Path | None
    ) -> Centred | None:
        """Return members trained without the part, None if training diverged."""
        kept = self.trained.copy()
        kept[part] = False
        rows, held_out = rows_of(self.data, kept), rows_of(self.data, ~self.trained)
        problem = Problem(rows, held_out, self.loss)
        plan = plan_of(self.estimator, problem, self.seed, folder)
        epochs = -(-self._most_steps // self._steps_per_epoch(len(rows)))
        settings = replace(plan.settings, epochs=epochs, callbacks=())
        plan = replace(plan, settings=settings)
        return trained_members(self.estimator, plan, self.fit.method, title)

    @property
    def _most_steps(self) -> int:
        """Number of steps: those of the fit, without epochs that no member keeps."""
        history = self.fit.history
        epochs = min(PATIENCE * int(history.kept.max()), history.n_epochs)
        return epochs * self._steps_per_epoch(int(self.trained.sum()))

    def _steps_per_epoch(self, n_rows: int) -> int:
        return steps_per_epoch(self.estimator, n_rows)


def trained_members(
    estimator: EstimatorSettings, plan: Plan, method: Method, title: str
) -> Centred | None:
    """Return the members of a plan after training, None if it diverged.

    Args:
        estimator: The settings of the fit that this is for.
        plan: What to train.
        method: To train with.
        title: Of the progress bar, if there is one.
    """
    trainer = Trainer(plan, verbose=estimator.verbose, title=title)
    try:
        with shared_out(trainer, estimator.n_jobs, warned=True) as train:
            fit = method.run(train)
    except DivergedError:
        return None
    return Centred(*plan.networks(plan.finished(fit)))
