"""How unfamiliar rows are to networks that are trained already.

Rows are compared with reference rows by their inputs, flattened and scaled, by what
enters the last layers, and by how far the networks disagree. Networks that are not
trained again cannot rehearse, so doubt has its default numbers, except for the noise:
validation rows tell that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from torch import Tensor

from antireg.familiarity.doubt import ClassDoubt, Doubt
from antireg.familiarity.fitting import (
    Evidence,
    ValueEvidence,
    negative_log_likelihood,
)
from antireg.familiarity.joining import Signalling, Signals, joined_rows
from antireg.familiarity.references import (
    MOST,
    MOST_NUMBERS,
    affordable,
    reference_rows,
)
from antireg.familiarity.signal import Reference, Seen
from antireg.networks.sensitivity import sensitivity
from antireg.rows.scaling import Scaling, fit_input_scaling
from antireg.trained.inputs import parts_of

Array = NDArray[np.float64]
Numbers = NDArray[np.float32]

N_FOLDS = 5
"""Parts that are compared with the others, if there are no other rows to compare with.
"""

MOST_NOISE = 10.0
"""The noise of networks may be wrong by a factor of e¹⁰ either way."""


class Viewed(NamedTuple):
    """Rows, and what networks made of them.

    Attributes:
        X: As the networks take them, (rows, ...).
        outputs: In the units of a reader, (members, rows, outputs).
        hidden: What enters the last layers, (rows, units), if it is known.
        uncertainty: Of the networks themselves, (rows,), if they say it.
    """

    X: NDArray[np.floating]
    outputs: Array
    hidden: Numbers | None
    uncertainty: Array | None

    def at(self, places: NDArray[Any]) -> Viewed:
        """Return some rows, given by integers or a mask."""
        hidden, unsure = self.hidden, self.uncertainty
        return Viewed(
            self.X[places],
            self.outputs[:, places],
            None if hidden is None else hidden[places],
            None if unsure is None else unsure[places],
        )


@dataclass(frozen=True, eq=False)
class Comparing:
    """Compares rows with references.

    Attributes:
        scaling: Of flattened inputs.
        signalling: Says the signals of rows.
    """

    scaling: Scaling
    signalling: Signalling

    @classmethod
    def learned(
        cls,
        rows: Viewed,
        moved: Callable[[Scaling], Array],
        n_weights: int,
        seed: int,
        classes: bool = False,
    ) -> Comparing:
        """Return how rows are compared with these.

        Args:
            rows: To draw references from.
            moved: How much answers change with each scaled input, (columns,).
            n_weights: Of all networks.
            seed: Of the choice of references.
            classes: Whether the networks tell classes.
        """
        n_units = 0 if rows.hidden is None else rows.hidden.shape[1]
        most = min(affordable(n_weights), most_kept(rows.X[:1].size + n_units))
        kept = rows.at(reference_rows(len(rows.X), seed, most))
        scaling = fit_input_scaling("standard", flattened(kept.X))
        inputs = scaled_inputs(kept.X, scaling)
        reference = Reference(inputs, moved(scaling), kept.hidden)
        knows = rows.uncertainty is not None
        signalling = Signalling.learned(reference, uncertainty=knows, classes=classes)
        return cls(scaling, signalling)

    def seen(self, rows: Viewed) -> Seen:
        """Return rows as signals take them."""
        inputs = scaled_inputs(rows.X, self.scaling)
        return Seen(inputs, rows.uncertainty, rows.hidden)

    def __call__(self, rows: Viewed) -> Signals:
        """Return the signals of rows, some at a time."""
        parts = [rows.at(np.arange(len(rows.X))[part]) for part in parts_of(rows.X)]
        return joined_rows([self.signalling(self.seen(part)) for part in parts])


def signals_among(
    rows: Viewed, learned: Callable[[Viewed], Comparing], seed: int
) -> Signals:
    """Return the signals of rows, each part of them compared with the others.

    Args:
        rows: All.
        learned: Returns how rows are compared with some.
        seed: Of the parts.
    """
    rng = np.random.default_rng([seed, 5])
    part = rng.permutation(len(rows.X)) % min(N_FOLDS, len(rows.X))
    numbers = range(part.max() + 1)
    found = [learned(rows.at(part != n))(rows.at(part == n)) for n in numbers]
    order = np.argsort(np.argsort(part, kind="stable"))
    return {name: values[order] for name, values in joined_rows(found).items()}


def with_known_noise(doubt: Doubt | ClassDoubt, told: Evidence) -> Doubt | ClassDoubt:
    """Return doubt whose c, by which all noise grows, has the least loss on rows.

    Probabilities have been calibrated otherwise: that of classes stays as it is.

    Args:
        doubt: Of default numbers.
        told: What was said of validation rows, beside the truth.
    """
    if not isinstance(doubt, Doubt) or not isinstance(told, ValueEvidence):
        return doubt

    def loss(noise: float) -> float:
        losses = negative_log_likelihood(replace(doubt, noise=noise), told)
        return float(np.average(losses, weights=told.weight))

    bounds = (-MOST_NOISE, MOST_NOISE)
    found = minimize_scalar(loss, bounds=bounds, method="bounded")
    return replace(doubt, noise=float(found.x))


class AsScaled(NamedTuple):
    """Networks as functions of flattened and scaled inputs.

    Attributes:
        said: By each, from rows as it takes them, (rows, ...), to (rows, outputs).
        shape: Of a row.
        scaling: Of flattened inputs.
    """

    said: Sequence[Callable[[Tensor], Tensor]]
    shape: tuple[int, ...]
    scaling: Scaling

    @property
    def n_members(self) -> int:
        """How many there are."""
        return len(self.said)

    def __call__(self, rows: Tensor) -> Tensor:
        """Return outputs for each member's own rows, (members, rows, columns)."""
        scale = torch.from_numpy(self.scaling.scale)
        raw = rows.double() * scale + torch.from_numpy(self.scaling.shift)
        raw = raw.unflatten(-1, self.shape)
        return torch.stack([s(own) for s, own in zip(self.said, raw, strict=True)])


def moved_by(
    said: Sequence[Callable[[Tensor], Tensor]],
    answers: Callable[[Tensor], Tensor],
    X: NDArray[np.floating],
    scaling: Scaling,
) -> Array:
    """Return how much answers change with each scaled input, (columns,).

    It is 1 for all where no gradient goes through the networks.

    Args:
        said: By each network, from rows to (rows, outputs).
        answers: From outputs, (members, rows, outputs), to what is answered.
        X: Some rows.
        scaling: Of flattened inputs.
    """
    some = torch.from_numpy(scaled_inputs(X, scaling))
    networks: Any = AsScaled(said, X.shape[1:], scaling)
    try:
        found = sensitivity(networks, some, answers)
    except RuntimeError:
        found = np.zeros(some.shape[1])
    return found if found.any() else np.ones(len(found))


def most_kept(n_numbers: int) -> int:
    """Return how many rows of so many numbers may be kept to compare with."""
    return max(1, min(MOST, MOST_NUMBERS // n_numbers))


def flattened(X: NDArray[np.floating]) -> Array:
    """Return rows of any axes as (rows, columns)."""
    return X.reshape(len(X), -1).astype(np.float64)


def scaled_inputs(X: NDArray[np.floating], scaling: Scaling) -> Numbers:
    """Return rows as they are compared, (rows, columns)."""
    return np.asarray(scaling.scaled(flattened(X)), np.float32)
