"""The one interface: a method is a penalty added to each member's loss."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import torch
from sklearn.base import BaseEstimator
from torch import Tensor

from antireg.history import History
from antireg.losses import Loss
from antireg.networks import Stack
from antireg.rows.data import Batch, Data


@dataclass(frozen=True)
class Step:
    """What a method may see of one training step.

    Attributes:
        network: All members.
        batch: The rows of this step, (members, rows, ...); (rows, ...) if shared. The
            next step overwrites them.
        outputs: The members' outputs for them, (members, rows, outputs).
        loss: The fit loss; `loss.point(outputs)` is the prediction without its noise.
        rng: Source of all randomness.
    """

    network: Stack
    batch: Batch
    outputs: Tensor
    loss: Loss
    rng: torch.Generator


class Bounds(NamedTuple):
    """How much worse than a reference a member may be; by default there is no bound.

    Attributes:
        constant_loss: Loss of the best constant guess on the validation rows.
        unit: That of the `Loss`.
    """

    constant_loss: float = math.inf
    unit: float = math.inf


NO_BOUNDS = Bounds()


@dataclass(frozen=True)
class Fit:
    """A trained ensemble: the method with its settings chosen, and the result.

    Attributes:
        method: The method, with every "auto" replaced by the number used.
        weights: Weights of the kept epochs, (members, weights).
        history: How the training went.
        ensemble_loss: Loss of the ensemble as one predictor on the validation rows.
        bounds: How much worse than this one another fit may be.
        centre: A fit of the same rows whose mean is the better one, if there is one.
        network: The stack of these weights, if the method made one of its own.
    """

    method: Method
    weights: Tensor
    history: History
    ensemble_loss: float
    bounds: Bounds = NO_BOUNDS
    centre: Fit | None = None
    network: Stack | None = None


@dataclass(frozen=True, eq=False)
class Trained:
    """Members after their training, and what they were trained with.

    Attributes:
        network: The members as of their kept epochs.
        data: Rows they were trained on.
        validation: Rows that chose the epochs.
        loss: What they fit.
        seeds: One per member.
        row_limit: Largest loss that a validation row may have.
    """

    network: Stack
    data: Data
    validation: Data
    loss: Loss
    seeds: Sequence[int]
    row_limit: float = math.inf


class Shown(NamedTuple):
    """A loss that a method held members' losses against, to be shown with them.

    Attributes:
        name: Of the setting; a fitted estimator has it as `name_`.
        symbol: In charts.
        value: The loss.
        meaning: A sentence that ends with the symbol.
    """

    name: str
    symbol: str
    value: float
    meaning: str


class Train(Protocol):
    """Trains what a method asks for."""

    def __call__(self, method: Method, ahead: Sequence[Method] = ()) -> Fit:
        """Return the fit of a method.

        Args:
            method: What to train.
            ahead: What may be asked for next, in this order: idle workers train it
                already.
        """

    def continuing(self, fit: Fit, epochs: float, lr: float = 1.0) -> Train:
        """Return what trains on from the members of a fit.

        Args:
            fit: Where to start.
            epochs: How many, as a share of those of a whole training.
            lr: Step size, as a multiple of the estimator's.
        """


class Method(BaseEstimator, ABC):
    """A way to make members disagree: a penalty added to each member's loss.

    The objective of member m on a batch is  fit_m + λ_m · penalty_m.

    Examples:
        >>> from dataclasses import dataclass
        >>> from antireg import EnsembleRegressor, Method
        >>> @dataclass
        ... class SmallOutputs(Method):
        ...     strength: float = 0.1
        ...
        ...     def penalty(self, step, memory):
        ...         return self.strength * step.outputs.square().flatten(1).mean(1)
        >>> X = [[0.01 * row] for row in range(300)]
        >>> model = EnsembleRegressor(SmallOutputs(0.5), steps=50, doubt=None)
        >>> model.fit(X, [x[0] for x in X]).method_
        SmallOutputs(strength=0.5)
    """

    classification_loss: ClassVar[str] = "cross_entropy"
    """Loss of a classifier if the user names none."""

    shared_batches: ClassVar[bool] = False
    """Whether all members must see the same rows at a step, to be compared on them."""

    independent: ClassVar[bool] = False
    """Whether members do not depend on each other. Only then can `n_jobs` train them in
    different processes."""

    pauses: ClassVar[int] = 1
    """How many times the `patience` of an estimator members may take."""

    words: ClassVar[Mapping[str, Collection[str]]] = {}
    """Settings that are words, and the words they may be."""

    def around(self, network: Stack, data: Data, seeds: Sequence[int]) -> Stack:
        """Return the stack that is trained: the members, or one made of them.

        Args:
            network: All members with their initial weights.
            data: Rows to train on.
            seeds: One per member.
        """
        return network

    def init(self, network: Stack, data: Data, seeds: Sequence[int]) -> Any:
        """Return what `penalty` needs to remember; called once, before training.

        Args:
            network: All members with their initial weights.
            data: Rows to train on.
            seeds: One per member; draw what belongs to a member from its own seed only.
        """
        return None

    @abstractmethod
    def penalty(self, step: Step, memory: Any) -> Tensor:
        """Return the penalty of each member, (members,)."""

    def control(self, fit: Tensor) -> Tensor:
        """Return λ for each member, given its fit loss on the batch, (members,).

        Autograd is off.
        """
        return torch.ones_like(fit)

    def keep(self, validation_loss: Tensor, kept: Tensor) -> Tensor:
        """Return which members to keep in their state after this epoch, (members,).

        Args:
            validation_loss: Loss of this epoch, (members,).
            kept: Loss of the epoch kept so far, infinite at first, (members,).
        """
        return validation_loss < kept

    def run(self, train: Train) -> Fit:
        """Return the fit to use; a method that searches for settings trains several."""
        return train(self)

    def finish(self, fit: Fit, trained: Trained) -> Fit:
        """Return what is made of trained members; it may have more of them.

        Args:
            fit: What `run` returned.
            trained: The same members, and their rows.
        """
        return fit

    def advice(self, history: History) -> str | None:
        """Return what the user should change after this training, if anything."""
        return None

    def shown(self) -> Sequence[Shown]:
        """Return what charts of the losses are to show beside them after training."""
        return ()


class DivergedError(ValueError):
    """A training whose loss or weights were no longer finite."""
