"""What members are to learn, and how they are trained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from numpy.typing import NDArray

from antireg.history import Callback
from antireg.losses import Loss
from antireg.rows.data import Data


@dataclass(frozen=True)
class Problem:
    """What members are to learn.

    Attributes:
        data: Rows to train on.
        validation: Rows that choose the epoch to keep.
        loss: What to fit.
    """

    data: Data
    validation: Data
    loss: Loss


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes:
        epochs: Passes over the rows, at most.
        batch_size: Rows of a step, per member.
        lr: Step size of Adam.
        seeds: One per member: what is drawn for it alone, as the order of its rows.
        seed: Of what members share: drawn inputs, dropout.
        callbacks: Called with every `Epoch`; training stops when one returns True.
        row_limit: Largest loss that a validation row may have.
        patience: Epochs without a member to keep after which its group has learned;
            None to take all epochs.
        rows: Indices of the rows that each member trains on, None for all. An epoch has
            as many steps as the member with the fewest rows needs.
    """

    epochs: int
    batch_size: int
    lr: float
    seeds: Sequence[int]
    seed: int = 0
    callbacks: Sequence[Callback] = ()
    row_limit: float = torch.inf
    patience: int | None = None
    rows: Sequence[NDArray[np.intp]] | None = field(default=None, repr=False)

    def of(self, members: range) -> Settings:
        """Return the settings of some of the members."""
        part = slice(members.start, members.stop)
        rows = None if self.rows is None else self.rows[part]
        return replace(self, seeds=self.seeds[part], rows=rows)
