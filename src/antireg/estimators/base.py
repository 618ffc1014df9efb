"""What both estimators share: `fit` prepares, trains and calibrates."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from torch import nn

from antireg.advice import warn_user
from antireg.estimators.calibrated import Calibrated
from antireg.estimators.doubt_learning import learn_doubt
from antireg.estimators.doubting import doubt_setting
from antireg.estimators.members import (
    Prepared,
    bounds_of,
    chosen_device,
    plan_of,
    unfitted_copy,
    with_centre,
)
from antireg.estimators.method_settings import MethodSettings
from antireg.estimators.settings import check_checkpoint, check_settings
from antireg.estimators.unseen import Unseen, unseen_rows
from antireg.history import Callback, History
from antireg.losses import Loss
from antireg.methods import Method
from antireg.networks import Factory
from antireg.networks.inference import scaled_inputs
from antireg.parallel.workers import shared_out
from antireg.process import own_modes
from antireg.rows.checks import Labelled, check_groups, check_validation, check_weight
from antireg.rows.data import Data
from antireg.rows.holdout import held_out_rows
from antireg.rows.scaling import fit_input_scaling
from antireg.tables.frames import as_targets
from antireg.training.loop import Trainer
from antireg.training.problem import Problem
from antireg.training.provenance import TrainingData, remembered

Array = NDArray[np.float64]


class Ensemble(MethodSettings, Calibrated):
    """An ensemble of networks; subclasses define its targets."""

    kind: ClassVar[str]
    """Name of this estimator in a saved model."""
    losses: ClassVar[dict[str, type[Loss]]]
    """The losses it can be trained with, by name."""

    method_: Method
    loss_: Loss
    history_: History
    trials_: list[tuple[Method, History]]
    held_out_rows_: NDArray[np.intp] | None
    training_data_: TrainingData
    n_groups_: int | None = None

    def __init__(
        self,
        method: Method | str = "auto",
        *,
        n_members: int = 5,
        hidden: Sequence[int] = (100, 100, 100),
        bins: int | Literal["auto"] | None = "auto",
        activation: str = "relu",
        network: nn.Module | Factory | None = None,
        loss: str = "auto",
        steps: int = 5000,
        epochs: int | None = None,
        patience: int | Literal["auto"] | None = "auto",
        batch_size: int | Literal["auto"] = "auto",
        lr: float | Literal["auto"] = "auto",
        scaling: str = "range",
        validation_fraction: float = 0.1,
        false_alarm_rate: float = 0.05,
        robust: bool = True,
        doubt: str | None = "rehearsed",
        target_transform: str | None = None,
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
        self.bins = bins
        self.activation = activation
        self.network = network
        self.loss = loss
        self.steps = steps
        self.epochs = epochs
        self.patience = patience
        self.batch_size = batch_size
        self.lr = lr
        self.scaling = scaling
        self.validation_fraction = validation_fraction
        self.false_alarm_rate = false_alarm_rate
        self.robust = robust
        self.doubt = doubt
        self.target_transform = target_transform
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
        groups: ArrayLike | None = None,
    ) -> Self:
        """Train the ensemble; if that fails, the estimator is as it was.

        Fits in several threads take turns.

        Parameters
        ----------
        X : (rows, features)
            Inputs, in any units: an array, or a table of pandas, Polars or Arrow, see
            docs/tables.md. A large `numpy.memmap` is read as it is needed.
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
            Folder to write the state of the training to. After a crash the same call
            resumes from it and ends with the same numbers; it needs a `random_state`
            that is a whole number.
        groups : (rows,), optional
            Label of each row, such as its camera or its day, if later rows will be of
            new cameras or days. Rows of a group are held out together and, with doubt,
            left out of rehearsals together.

        Returns
        -------
        self
        """
        # A copy does the learning: a fit that fails leaves this object as it was.
        learner = unfitted_copy(self)
        with own_modes():
            prepared = learner._prepare(
                X, y, sample_weight, validation_data, checkpoint, groups
            )
            unseen = learner._train(prepared)
            learner._calibrate(unseen)
            if doubt_setting(learner) is not None:
                learned = learn_doubt(learner, prepared, unseen.left_out)
                learner._calibrate_doubt(learned)
        self.__dict__ = learner.__dict__
        return self

    def _prepare(
        self,
        X: Any,
        y: Any,
        weight: Any,
        validation_data: Any,
        checkpoint: Any,
        groups: Any,
    ) -> Prepared:
        """Check the arguments of `fit`, hold out validation rows, learn scalings."""
        check_settings(self)
        check_checkpoint(checkpoint, self.random_state)
        numbers = self._learned(X, weight)
        numbers, targets = self._check_rows(numbers, as_targets(y), reset=True)
        groups, weight = check_groups(groups, numbers), check_weight(weight, numbers)
        self.n_groups_ = None if groups is None else int(groups.max()) + 1
        given = Labelled(numbers, targets, weight, groups)
        rows = everyone = given.counted()
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.held_out_rows_, chosen = None, None
        if validation_data is None:
            labels, rng = self._groups(rows.y), np.random.default_rng(seed)
            chosen = held_out_rows(labels, rows.groups, self.validation_fraction, rng)
            self.held_out_rows_ = given.places()[chosen]
            rows, held_out = rows.where(~chosen), rows.where(chosen)
        else:
            X_held, y_held, weight = check_validation(validation_data)
            X_held, y_held = self._encoded(X_held), as_targets(y_held)
            X_held, y_held = self._check_rows(X_held, y_held, reset=False)
            held_out = Labelled(X_held, y_held, check_weight(weight, X_held)).counted()
        self.robust_, self.scaled_by_ = bool(self.robust), self.scaling
        self._learn_targets(rows.y)
        self.scaling_ = fit_input_scaling(self.scaling, rows.X)
        self.loss_ = self._choose_loss()
        problem = Problem(self._data(rows), self._data(held_out), self.loss_)
        seen = problem.data.x, (rows.X, held_out.X)
        self.training_data_ = remembered(given.X, given.y, *seen)
        self._keep_columns(X, y, given.weight)
        folder = None if checkpoint is None else Path(checkpoint)
        return Prepared(problem, held_out, everyone, chosen, seed, folder)

    def _train(self, prepared: Prepared) -> Unseen:
        """Train the members; return outputs for rows they were not trained on."""
        plan = plan_of(self, prepared.problem, prepared.seed, prepared.folder)
        trainer = Trainer(plan, bounds_of(self, plan), self.verbose)
        with shared_out(trainer, self.n_jobs) as train:
            fit = with_centre(plan.finished(self._chosen_method().run(train)), self)
        self.network_, self.centre_ = plan.networks(fit)
        self.method_, self.history_ = fit.method, fit.history
        self.trials_, self.validation_loss_ = trainer.trials, fit.ensemble_loss
        if (advice := self.method_.advice(self.history_)) is not None:
            warn_user(advice, ConvergenceWarning)
        return unseen_rows(self, prepared, fit)

    def _data(self, rows: Labelled) -> Data:
        """Return rows for training, scaled and with weights of mean 1."""
        y, weight = torch.from_numpy(self._encode(rows.y)).float(), None
        if rows.weight is not None:
            weight = torch.from_numpy(rows.weight / rows.weight.mean()).float()
        data = Data(scaled_inputs(rows.X, self.scaling_), y, weight)
        return data.to(chosen_device(self.device))

    @abstractmethod
    def _check_rows(self, X: Any, y: Any, reset: bool) -> tuple[Array, Any]:
        """Return both as arrays, or raise an error that says what is wrong."""

    @abstractmethod
    def _learn_targets(self, y: Any) -> None:
        """Learn from the training rows how targets are encoded."""

    @abstractmethod
    def _choose_loss(self) -> Loss:
        """Return the loss of that name."""

    @abstractmethod
    def _groups(self, y: Any) -> NDArray[Any]:
        """Return labels, each of which must be in every part of the rows, (rows,)."""
