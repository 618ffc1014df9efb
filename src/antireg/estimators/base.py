"""What both estimators share: from a user's table to a trained stack, and back."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import nn

from antireg.estimators.left_out import ENOUGH, LeftOut, leave_out
from antireg.estimators.members import chosen_device, fit_members, without_learnt
from antireg.estimators.retraining import Retraining
from antireg.estimators.settings import check_checkpoint, check_settings
from antireg.familiarity import detection
from antireg.history import Callback, History
from antireg.losses import Loss
from antireg.methods import METHODS, Method, as_method
from antireg.networks import Factory, Stack
from antireg.networks.forward import forward
from antireg.networks.inference import Work, by_rows, scaled_inputs
from antireg.process import own_modes
from antireg.rows.checks import Given, check_rows, check_validation, check_weight
from antireg.rows.data import Data
from antireg.rows.scaling import Scaling, fit_input_scaling
from antireg.training.provenance import TrainingData, fingerprint, moments

Array = NDArray[np.float64]


class Ensemble(BaseEstimator, ABC):
    """An ensemble of networks on a table; the estimators say what its targets are."""

    network_: Stack
    method_: Method
    loss_: Loss
    scaling_: Scaling
    history_: History
    trials_: list[tuple[Method, History]]
    held_out_rows_: NDArray[np.intp] | None
    held_out_scores_: Array
    training_data_: TrainingData
    n_features_in_: int

    def __init__(
        self,
        method: Method | str = "dare",
        *,
        n_members: int = 5,
        hidden: Sequence[int] = (100, 100, 100),
        activation: str = "relu",
        network: nn.Module | Factory | None = None,
        loss: str = "auto",
        steps: int = 5000,
        epochs: int | None = None,
        batch_size: int | Literal["auto"] = "auto",
        lr: float = 1e-3,
        scaling: str = "range",
        validation_fraction: float = 0.1,
        false_alarm_rate: float = 0.05,
        robust: bool = True,
        random_state: int | np.random.RandomState | None = None,
        device: str = "auto",
        n_jobs: int | None = None,
        verbose: bool = False,
        callbacks: Sequence[Callback] = (),
    ) -> None:
        """Store the settings."""
        self.method = method
        self.n_members = n_members
        self.hidden = hidden
        self.activation = activation
        self.network = network
        self.loss = loss
        self.steps = steps
        self.epochs = epochs
        self.batch_size = batch_size
        self.lr = lr
        self.scaling = scaling
        self.validation_fraction = validation_fraction
        self.false_alarm_rate = false_alarm_rate
        self.robust = robust
        self.random_state = random_state
        self.device = device
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callbacks = callbacks

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        validation_data: tuple[Any, ...] | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Train the ensemble; if that fails, the estimator is as it was.

        Fits in several threads take turns.

        Parameters
        ----------
        X : (rows, features)
            Inputs, in any units. A large `numpy.memmap` is read as it is needed.
        y : (rows,) or (rows, targets)
            Targets, or classes.
        sample_weight : (rows,), optional
            How much each row counts. Rows of weight 0 are left out.
        validation_data : (X, y) or (X, y, sample_weight), optional
            Rows that choose the epoch to keep and set the threshold of `is_ood`,
            which counts all rows of weight > 0 the same, and the width of intervals.
            Without it, `validation_fraction` of the rows are held out for this, and if
            they are few, members are trained again without parts of the others.
        checkpoint : path, optional
            Folder to write the training to as it goes. After a crash the same call
            goes on from there and ends with the same numbers; it needs a
            `random_state` that is a whole number.

        Returns
        -------
        self
        """
        # All is learnt by another object: a fit that fails leaves this one as it was.
        learner = without_learnt(self)
        with own_modes():
            learner._learn(X, y, sample_weight, validation_data, checkpoint)
        self.__dict__ = learner.__dict__
        return self

    def _learn(
        self, X: Any, y: Any, sample_weight: Any, validation_data: Any, checkpoint: Any
    ) -> None:
        """Do what `fit` says, to an object that has learnt nothing yet."""
        check_settings(self)
        check_checkpoint(checkpoint, self.random_state)
        X, y = self._check_rows(X, y, reset=True)
        n_rows, trace = len(X), fingerprint(X, y)
        given = Given(X, y, check_weight(sample_weight, X))
        rows = everyone = given.counted()
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.held_out_rows_, chosen = None, None
        if validation_data is None:
            chosen = self._hold_out(rows.y, np.random.default_rng(seed))
            self.held_out_rows_ = given.places()[chosen]
            rows, held_out = rows.where(~chosen), rows.where(chosen)
        else:
            held_out = self._check_validation(validation_data)
        self._learn_targets(rows.y)
        self.scaling_ = fit_input_scaling(self.scaling, rows.X)
        self.loss_ = self._choose_loss()
        device = chosen_device(self.device)
        data, validation = self._data(rows).to(device), self._data(held_out).to(device)
        self.training_data_ = TrainingData(n_rows, trace, *moments(data.x))
        folder = None if checkpoint is None else Path(checkpoint)
        fitted = fit_members(self, self.loss_, data, validation, seed, folder)
        self.network_, self.trials_ = fitted.network, fitted.trials
        self.method_, self.history_ = fitted.fit.method, fitted.fit.history
        self.validation_loss_ = fitted.fit.ensemble_loss
        advice = self.method_.advice(self.history_)
        if advice is not None:
            warnings.warn(advice, ConvergenceWarning, stacklevel=3)
        left_out = None
        if chosen is not None and chosen.sum() < ENOUGH:
            known = self._data(everyone).to(device)
            retraining = Retraining(self, self.loss_, fitted.fit, known, ~chosen, seed)
            groups = self._groups(everyone.y)
            left_out = leave_out(retraining, self.network_, groups, folder)
        if left_out is None:
            outputs = forward(self.network_, validation.x).double().cpu().numpy()
        else:
            outputs, held_out = left_out.unseen, everyone.where(left_out.places)
        self._learn_noise(outputs, self._encode(held_out.y), held_out.weight)
        self.held_out_scores_ = np.sort(self._unseen_scores(outputs, left_out))
        n_scores = len(self.held_out_scores_)
        detection.warn_of_few(n_scores, self.false_alarm_rate, stacklevel=4)

    def ood_score(self, X: ArrayLike, kind: str = "total") -> Array:
        """Return how unfamiliar each row is, (rows,); higher is less familiar.

        For regression it is the predictive standard deviation of the scaled targets;
        for squared-error classes the distance to the nearest label plus the members'
        variance; for cross-entropy the entropy.

        Parameters
        ----------
        X : (rows, features)
        kind : {"total", "epistemic"}
            All of the uncertainty, or only the disagreement of the members.
        """
        if kind not in ("total", "epistemic"):
            raise ValueError(f'kind must be "total" or "epistemic", got {kind!r}.')
        return self._by_rows(X, lambda outputs: self.ood_score_of(outputs, kind))

    def is_ood(
        self, X: ArrayLike, false_alarm_rate: float | None = None
    ) -> NDArray[np.bool_]:
        """Return which rows are out of distribution, (rows,).

        A row is flagged when its `ood_score` is above the score that this share of
        in-distribution rows exceeds, judged by held-out rows.

        Parameters
        ----------
        X : (rows, features)
        false_alarm_rate : float, optional
            Overrides the estimator's own.
        """
        return detection.flag(self.ood_score(X), self.ood_threshold(false_alarm_rate))

    def ood_threshold(self, false_alarm_rate: float | None = None) -> float:
        """Return the score above which `is_ood` flags a row."""
        check_is_fitted(self)
        if false_alarm_rate is not None:
            return detection.threshold(self.held_out_scores_, false_alarm_rate)
        rate = self.false_alarm_rate  # `fit` has warned if rows are too few for it
        return detection.threshold(self.held_out_scores_, rate, warn=False)

    def outputs(self, X: Any) -> Array:
        """Return what the networks put out, (members, rows, outputs).

        `predictive_of` and `ood_score_of` say what it means, both after one pass.
        """
        return self._by_rows(X, lambda outputs: outputs, axis=1)

    def _by_rows(self, X: Any, work: Work, axis: int = 0) -> NDArray[Any]:
        """Return what `work` makes of the outputs of rows, a few at a time."""
        check_is_fitted(self)
        X, _ = check_rows(self, X, reset=False)
        return by_rows(self.network_, self.scaling_, X, work, axis)

    @abstractmethod
    def ood_score_of(self, outputs: Array, kind: str = "total") -> Array:
        """Return the `ood_score` of rows with these outputs, (rows,)."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a folder that `antireg.load` reads.

        It holds data only, no code. A model already there is replaced.

        Parameters
        ----------
        path : str or path
        """
        from antireg.estimators import saving  # noqa: PLC0415  (made of these)

        saving.save(self, path)

    @property
    def threshold_(self) -> float:
        """The τ that DARE trained with."""
        check_is_fitted(self)
        return float(self.method_.threshold)  # other methods have none: AttributeError

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings; with `deep`, those of a method given by name too."""
        settings: dict[str, Any] = super().get_params(deep=False)
        known = isinstance(self.method, str) and self.method in METHODS
        if deep and (known or isinstance(self.method, Method)):
            inner = as_method(self.method).get_params(deep=True)
            settings |= {f"method__{name}": value for name, value in inner.items()}
        return settings

    def set_params(self, **settings: Any) -> Self:
        """Change settings by name; `method__…` changes the method's own."""
        if "method" in settings:
            self.method = settings.pop("method")
        if any(name.startswith("method__") for name in settings):
            self.method = as_method(self.method)
        super().set_params(**settings)
        return self

    @abstractmethod
    def _check_rows(self, X: Any, y: Any, reset: bool) -> tuple[Array, Any]:
        """Return both as arrays, or say what is wrong with them."""

    @abstractmethod
    def _hold_out(self, y: Any, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Return which rows are held out, (rows,)."""

    @abstractmethod
    def _learn_targets(self, y: Any) -> None:
        """Learn from the training rows how targets are encoded."""

    @abstractmethod
    def _encode(self, y: Any) -> Array:
        """Return targets as the network sees them, (rows, targets)."""

    @abstractmethod
    def _choose_loss(self) -> Loss:
        """Return the loss of that name."""

    @abstractmethod
    def _learn_noise(
        self, outputs: Array, targets: Array, weight: Array | None
    ) -> None:
        """Learn from held-out rows what the outputs alone do not say."""

    @abstractmethod
    def _groups(self, y: Any) -> NDArray[Any]:
        """Return labels of which each must be in every part of the rows, (rows,)."""

    @abstractmethod
    def _unseen_scores(self, outputs: Array, left_out: LeftOut | None) -> Array:
        """Return scores as those of fresh rows would be.

        Args:
            outputs: Of rows that the members saying them were not trained on.
            left_out: Whence they come, if not from held-out rows alone.
        """

    def _check_validation(self, given: Any) -> Given:
        X, y, weight = check_validation(given)
        X, y = self._check_rows(X, y, reset=False)
        return Given(X, y, check_weight(weight, X)).counted()

    def _data(self, rows: Given) -> Data:
        """Return rows as the trainer sees them, with weights of mean 1."""
        y, weight = torch.from_numpy(self._encode(rows.y)).float(), None
        if rows.weight is not None:
            weight = torch.from_numpy(rows.weight / rows.weight.mean()).float()
        return Data(scaled_inputs(rows.X, self.scaling_), y, weight)
