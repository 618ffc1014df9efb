"""What members say of rows they were not trained on, for every row there is.

The rows that `fit` holds out are few where the table is small, and what is learnt from
them with it: a threshold, a noise, the width of intervals. So the same members are
trained again without some of the other rows, part by part. Nothing is chosen on the
way: the method is that of the fit, every number of it found, and a member is kept after
as many steps as in the fit. These members are thrown away; what they say is kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.data.base import Data, rows_of
from antireg.fitting import Wishes, before_training, rows_per_step
from antireg.losses import Loss
from antireg.methods.base import DivergedError, Fit
from antireg.networks import Stack
from antireg.parallel import Workers
from antireg.predictive import LARGEST
from antireg.progress import ProgressBar
from antireg.trainer import forward

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]

N_PARTS = 5
"""Every part is left out of a training of its own, if that many are needed."""

TINY = float(np.finfo(np.float64).tiny)

ENOUGH = 200
"""Rows that members were not trained on from which on no more are asked for."""


def parts_to_leave_out(
    groups: NDArray[Any], trained: Mask, rng: np.random.Generator
) -> list[Rows]:
    """Return as many fifths of the rows as are needed for `ENOUGH`, perhaps none.

    Every part has its share of every group; one row of each is in none.

    Args:
        groups: Label of each row, (rows,).
        trained: Which rows the members were trained on, (rows,).
        rng: Source of randomness.
    """
    shuffled = rng.permutation(np.flatnonzero(trained))
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    _, first_of_group = np.unique(groups[by_group], return_index=True)
    candidates = np.delete(by_group, first_of_group)
    missing = ENOUGH - int((~trained).sum())
    if missing <= 0 or len(candidates) < N_PARTS:
        return []
    wanted = -(-missing // (len(candidates) // N_PARTS))
    return [candidates[first::N_PARTS] for first in range(min(wanted, N_PARTS))]


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

    def outputs_without(
        self, parts: Sequence[Rows], n_trained: int, folder: Path | None = None
    ) -> list[Array | None]:
        """Return what members trained without each part say of all rows.

        Args:
            parts: Which rows to leave out, one training for each.
            n_trained: How many rows the fit was trained on.
            folder: Where trainings are written as they go, if anywhere.

        Returns:
            For each part (members, rows, outputs), or None if its training diverged.
        """
        steps = self.fit.history.kept * self._steps_per_epoch(n_trained)
        return [
            self._outputs_without(
                part, steps, None if folder is None else folder / f"left-out-{number}"
            )
            for number, part in enumerate(parts, start=1)
        ]

    def _outputs_without(
        self, part: Rows, steps: NDArray[np.int64], folder: Path | None
    ) -> Array | None:
        """Return what members kept after so many steps say, (members,)."""
        kept = np.ones(len(self.data), dtype=bool)
        kept[part] = False
        rows, left_out = rows_of(self.data, kept), rows_of(self.data, ~kept)
        start, settings = before_training(self.wishes, self.loss, rows, self.seed)
        epochs = np.round(steps / self._steps_per_epoch(len(rows)))
        kept_after = np.maximum(epochs, 1).astype(int).tolist()
        settings = replace(settings, epochs=max(kept_after), kept=kept_after)
        settings = replace(settings, callbacks=())
        bar = ProgressBar() if self.wishes.verbose else None
        try:
            with (
                warnings.catch_warnings(),
                Workers(
                    start,
                    rows,
                    left_out,
                    self.loss,
                    settings,
                    self.wishes.n_jobs,
                    folder,
                ) as workers,
            ):
                warnings.filterwarnings("ignore", "n_jobs has no effect")  # said before
                fit = workers.train(self.fit.method, (), bar)
        except DivergedError:
            return None
        finally:
            if bar is not None:
                bar.close()
        network = start.with_weights(fit.weights)
        return np.asarray(forward(network, self.data.x).double().cpu().numpy())

    def _steps_per_epoch(self, n_rows: int) -> int:
        return -(-n_rows // rows_per_step(self.wishes.batch_size, n_rows))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What a fit says of its rows, and what trainings without some of them say.

    Attributes:
        outputs: Of the fit, (members, rows, outputs).
        trained: Which rows it was trained on, (rows,).
        parts: Which of these each training was without.
        without: What that says, (members, rows, outputs) each.
    """

    outputs: Array
    trained: Mask
    parts: list[Rows]
    without: list[Array]

    @property
    def places(self) -> Mask:
        """Which rows were held out or left out, (rows,)."""
        places = ~self.trained
        places[np.concatenate(self.parts)] = True
        return places

    @property
    def unseen(self) -> Array:
        """What members not trained on them say of these rows."""
        outputs = self.outputs.copy()
        for others, part in zip(self.without, self.parts, strict=True):
            outputs[:, part] = others[:, part]
        return outputs[:, self.places]

    def scores(self, score_of: Callable[[Array], Array]) -> Array:
        """Return the fit's scores of all rows, raised as if it knew none, (rows,).

        Two trainings differ more in the level of their scores than rows do, so those
        of another training set no threshold for this one. But it says how much higher
        a score is for having left its row out: by the mean logarithm of its scores over
        those of the fit, on the rows left out, less that on the rows both know.

        Args:
            score_of: From outputs, (members, rows, outputs), to scores, (rows,).
        """
        scores = score_of(self.outputs)
        rises = []
        for others, part in zip(self.without, self.parts, strict=True):
            ratio = np.maximum(score_of(others), TINY) / np.maximum(scores, TINY)
            known = self.trained.copy()
            known[part] = False
            rises.append(np.log(ratio[part]).mean() - np.log(ratio[known]).mean())
        with np.errstate(over="ignore"):
            raised = np.minimum(np.exp(np.mean(rises)) * scores, LARGEST)
        return np.where(self.trained, raised, scores)


def leave_out(
    retraining: Retraining,
    network: Stack,
    groups: NDArray[Any],
    trained: Mask,
    folder: Path | None,
) -> LeftOut | None:
    """Return what is said of rows not trained on, or None if enough are held out.

    It is None too if the rows are too few for it, or if all of it diverged.

    Args:
        retraining: Of the fit.
        network: Its members.
        groups: Label of each row, (rows,).
        trained: Which rows they were trained on, (rows,).
        folder: Where trainings are written as they go, if anywhere.
    """
    rng = np.random.default_rng(retraining.seed)
    parts = parts_to_leave_out(groups, trained, rng)
    outputs = retraining.outputs_without(parts, int(trained.sum()), folder)
    found = [(o, p) for o, p in zip(outputs, parts, strict=True) if o is not None]
    if not found:
        return None
    said = forward(network, retraining.data.x).double().cpu().numpy()
    without, parts = map(list, zip(*found, strict=True))
    return LeftOut(said, trained, parts, without)
