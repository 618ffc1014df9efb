"""Members shared out over workers, to the epoch: a member may change hands once.

Five members on two workers would take as long as six. Instead the third one spends its
first epochs with one worker, before all else, and its last ones with the other, after
all else: both are busy to the end. Its whole state is handed on in a file.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from antireg.checkpoint import Checkpoint, epochs_written, identity_of
from antireg.data.base import Data, Inputs
from antireg.history import History
from antireg.losses import Loss
from antireg.methods.base import Fit, Method
from antireg.networks import Stack
from antireg.state import HISTORY
from antireg.trainer import Settings, train

PATIENCE = 0.02
"""Seconds between two looks for a member that another worker hands on."""


@dataclass(frozen=True)
class Leg:
    """Epochs of some members that a worker trains in one go.

    Attributes:
        members: Whose.
        first: Epochs that another worker has done before.
        last: Epochs they have when the worker is done.
    """

    members: range
    first: int
    last: int


def shares(
    n_members: int, n_workers: int, epochs: int, cut: bool = True
) -> list[list[Leg]]:
    """Return the legs of each worker, in turn, as even as can be.

    All epochs of all members in a row, cut into as many pieces as there are workers: a
    member that is cut starts in the later piece and ends in the earlier one.

    Args:
        n_members: All of them.
        n_workers: As many at most.
        epochs: Of each member.
        cut: Whether a member may change hands.
    """
    unit = 1 if cut else epochs
    total = n_members * epochs // unit
    cuts = [total * worker // n_workers * unit for worker in range(n_workers + 1)]
    plan = []
    for start, end in pairwise(cuts):
        legs = []
        if start % epochs:
            member = start // epochs
            begun = epochs - start % epochs
            legs.append(Leg(range(member, member + 1), 0, begun))
        whole = range(-(-start // epochs), end // epochs)
        if whole:
            legs.append(Leg(whole, 0, epochs))
        if end % epochs:
            member = end // epochs
            begun = epochs - end % epochs
            legs.append(Leg(range(member, member + 1), begun, epochs))
        plan.append(legs)
    return plan


@dataclass(frozen=True)
class Task:
    """A leg with all that is its own.

    Attributes:
        leg: What to train.
        start: Its members before their first epoch.
        settings: Those of its members.
        file: Where they are written as they go, if anywhere.
        kept: Whether the file may be from an earlier call, of other data perhaps.
    """

    leg: Leg
    start: Stack
    settings: Settings
    file: Path | None
    kept: bool

    def run(self, data: Data, validation: Data, loss: Loss, method: Method) -> Fit:
        """Train the leg, once its members are there."""
        given = data, validation, loss, method
        checkpoint = None
        if self.file is not None:
            checkpoint = Checkpoint(self.file, self._identity(*given))
            while epochs_written(self.file) < self.leg.first:
                time.sleep(PATIENCE)
        return train(self.start, *given, self.settings, checkpoint, self.leg.last)

    def _identity(
        self, data: Data, validation: Data, loss: Loss, method: Method
    ) -> str:
        """Return what tells this training from others; who watches does not matter."""
        if not self.kept:
            return ""
        tensors: list[Inputs] = [self.start.flat]
        for rows in (data, validation):
            parts = (rows.x, rows.y, rows.weight)
            tensors += [part for part in parts if part is not None]
        plan = replace(self.settings, callbacks=(), seeds=tuple(self.settings.seeds))
        return identity_of(tensors, (type(loss).__name__, repr(method), plan))


def joined(histories: Sequence[History], n_workers: int) -> History:
    """Return the history of all members from those of groups trained apart.

    Workers are as busy as each other, or each has had one group.
    """
    loss, validation_loss, control, weight = (
        np.concatenate([getattr(h, name) for h in histories], axis=1)
        for name in HISTORY
    )
    kept = np.concatenate([history.kept for history in histories])
    spent = [history.seconds for history in histories]
    seconds = max(*spent, sum(spent) / n_workers)
    return History(loss, validation_loss, control, weight, kept, seconds)
