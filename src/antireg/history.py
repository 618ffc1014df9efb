"""What happened during one training: a value per epoch and member."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Epoch:
    """One epoch as it ends, handed to every callback; arrays are (members,).

    Attributes:
        number: The epoch, from 1.
        n_epochs: How many are planned.
        loss: Mean fit loss over the epoch's batches.
        validation_loss: Fit loss on the held-out rows after the epoch.
        control: Share of batches on which the penalty was on (λ = 1).
        weight: Mean |θ|.
    """

    number: int
    n_epochs: int
    loss: Array
    validation_loss: Array
    control: Array
    weight: Array


@dataclass(frozen=True)
class History:
    """All epochs of one training; arrays are (epochs, members).

    Attributes:
        kept: The epoch each member was taken from, from 1, (members,).
        seconds: Time the training took.

    The other attributes are those of `Epoch`.
    """

    loss: Array
    validation_loss: Array
    control: Array
    weight: Array
    kept: NDArray[np.int64]
    seconds: float

    @property
    def n_epochs(self) -> int:
        """Number of epochs that ran."""
        return len(self.loss)

    @property
    def kept_validation_loss(self) -> Array:
        """Validation loss of each member as it was kept, (members,)."""
        kept: Array = self.validation_loss[self.kept - 1, range(len(self.kept))]
        return kept
