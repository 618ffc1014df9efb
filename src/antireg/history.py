"""What happened during one training: a value per epoch and member."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

HISTORY = ("loss", "validation_loss", "control", "weight")
"""What is recorded of each member and epoch, in the order of `Epoch` and `History`."""


@dataclass(frozen=True)
class Epoch:
    """One finished epoch, passed to every callback; arrays are (members,).

    Attributes:
        number: The epoch, from 1.
        n_epochs: How many are planned.
        loss: Mean fit loss over the epoch's batches.
        validation_loss: Fit loss on the validation rows after the epoch.
        control: Share of batches on which the penalty was on (λ = 1).
        weight: Mean ``|θ|``.
        method: Name of the method that is training; finding τ or a search train others.

    Examples:
        >>> from antireg import EnsembleRegressor
        >>> X, seen = [[0.01 * row] for row in range(300)], []
        >>> model = EnsembleRegressor(
        ...     "deep_ensemble",
        ...     epochs=2,
        ...     doubt=None,
        ...     callbacks=[lambda epoch: seen.append((epoch.number, epoch.n_epochs))],
        ... ).fit(X, [x[0] for x in X])
        >>> seen[:2]
        [(1, 2), (2, 2)]
    """

    number: int
    n_epochs: int
    loss: Array
    validation_loss: Array
    control: Array
    weight: Array
    method: str = ""


Callback = Callable[[Epoch], Any]
"""Called with every epoch; training stops when it returns True."""


@dataclass(frozen=True, repr=False)
class History:
    """All epochs of one training; arrays are (epochs, members).

    Attributes:
        kept: The epoch each member was taken from, from 1, (members,).
        seconds: Time the training took.
        numbers: Which epochs the arrays hold, from 1, ascending; None for all. A saved
            model has only some epochs, including those of `kept`.

    The other attributes are those of `Epoch`.

    Examples:
        >>> from antireg import EnsembleRegressor
        >>> X = [[0.01 * row] for row in range(300)]
        >>> model = EnsembleRegressor("deep_ensemble", epochs=4, doubt=None)
        >>> model.fit(X, [x[0] for x in X]).history_.validation_loss.shape
        (4, 5)
    """

    loss: Array
    validation_loss: Array
    control: Array
    weight: Array
    kept: NDArray[np.int64]
    seconds: float
    numbers: NDArray[np.int64] | None = None

    def __repr__(self) -> str:
        """Return its size; the arrays are long."""
        epochs, members = self.loss.shape
        return f"History({epochs} epochs, {members} members, {self.seconds:.1f} s)"

    @property
    def n_epochs(self) -> int:
        """Number of epochs that ran."""
        return int(self.epochs[-1])

    @property
    def epochs(self) -> NDArray[np.int64]:
        """Number of each epoch in the arrays, (epochs,)."""
        return (
            np.arange(1, len(self.loss) + 1) if self.numbers is None else self.numbers
        )

    @property
    def kept_validation_loss(self) -> Array:
        """Validation loss of each member as it was kept, (members,)."""
        rows = np.searchsorted(self.epochs, self.kept)
        kept: Array = self.validation_loss[rows, range(len(self.kept))]
        return kept

    def frame(self) -> Any:
        """Return a pandas frame with one row for each epoch and member.

        Its columns are `epoch` and `member`, both from 1, those of `HISTORY`, and
        `kept`, which says which epoch a member was taken from.
        """
        try:
            import pandas  # noqa: PLC0415
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "pandas is needed for a frame. Use: pip install pandas", name="pandas"
            ) from error
        n_epochs, n_members = self.loss.shape
        epochs = np.repeat(self.epochs, n_members)
        members = np.tile(np.arange(1, n_members + 1), n_epochs)
        values = {name: getattr(self, name).ravel() for name in HISTORY}
        kept = epochs == np.tile(self.kept, n_epochs)
        return pandas.DataFrame(
            {"epoch": epochs, "member": members, **values, "kept": kept}
        )

    def thinned(self, most: int) -> History:
        """Return about `most` epochs, evenly spread, and every kept one."""
        if len(self.loss) <= most:
            return self
        spread = np.linspace(0, len(self.loss) - 1, most).astype(np.int64)
        rows = np.union1d(spread, np.searchsorted(self.epochs, self.kept))
        arrays = (self.loss, self.validation_loss, self.control, self.weight)
        loss, validation_loss, control, weight = (values[rows] for values in arrays)
        return History(
            loss,
            validation_loss,
            control,
            weight,
            self.kept,
            self.seconds,
            self.epochs[rows],
        )


def joined_epoch(epochs: Sequence[Epoch], method: str) -> Epoch:
    """Return an epoch of all members from those of their groups.

    Args:
        epochs: One of each group, in order.
        method: Name of the method in training.
    """
    loss, validation_loss, control, weight = (
        np.concatenate([getattr(epoch, name) for epoch in epochs]) for name in HISTORY
    )
    number, n_epochs = epochs[0].number, epochs[0].n_epochs
    return Epoch(number, n_epochs, loss, validation_loss, control, weight, method)


def joined_history(histories: Sequence[History], n_workers: int) -> History:
    """Return the history of all members from those of their groups.

    A group that ended sooner than others stays as it was in its last epoch.

    Args:
        histories: Of the groups, in order.
        n_workers: How many workers shared the training evenly.
    """
    n_epochs = max(len(history.loss) for history in histories)

    def joined(name: str) -> Array:
        parts = [getattr(history, name) for history in histories]
        missing = [(0, n_epochs - len(part)) for part in parts]
        whole = [
            np.pad(part, [more, (0, 0)], mode="edge")
            for part, more in zip(parts, missing, strict=True)
        ]
        return np.concatenate(whole, axis=1)

    loss, validation_loss, control, weight = map(joined, HISTORY)
    kept = np.concatenate([history.kept for history in histories])
    spent = [history.seconds for history in histories]
    seconds = max(*spent, sum(spent) / n_workers)
    return History(loss, validation_loss, control, weight, kept, seconds)
