"""The two scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d, validate_data
from torch import nn

from antireg import scores
from antireg.calibration import (
    ProbabilityMap,
    both_classes,
    fit_probability_map,
    softmax_probabilities,
)
from antireg.ensemble import Ensemble
from antireg.holdout import hold_out
from antireg.losses import (
    CLASSIFICATION_LOSSES,
    LOWEST_LOG_VARIANCE,
    REGRESSION_LOSSES,
    CrossEntropy,
    GaussianNLL,
    Loss,
    choose_loss,
)
from antireg.methods import Method, as_method
from antireg.networks import Factory
from antireg.predictive import ClassProbabilities, GaussianMixture
from antireg.scaling import Scaling, fit_scaling
from antireg.trainer import Callback

Array = NDArray[np.float64]

HIGHEST_PREDICTED_LOG_VARIANCE = 600.0
"""Far beyond any data, and small enough that the variance is a float in any units."""


class EnsembleRegressor(MultiOutputMixin, RegressorMixin, Ensemble):
    """A regressor that says how sure it is, near and far from its training data.

    Parameters
    ----------
    method : Method or str, default="dare"
        How the members are made to disagree; a name of `antireg.METHODS` or an
        object such as `DARE(delta=0.5)`.
    n_members : int, default=5
        Networks in the ensemble.
    hidden : tuple of int, default=(100, 100, 100)
        Units of the hidden layers.
    activation : str, default="relu"
        relu, leaky_relu, tanh, sigmoid or identity.
    network : Module or callable, optional
        Your own architecture instead: a `torch.nn.Module`, or a function of the
        numbers of inputs and outputs that returns one.
    loss : str, default="auto"
        "gaussian_nll" learns the noise of every row; "squared_error" one noise for
        all. "auto" is "gaussian_nll".
    steps : int, default=5000
        Training steps, rounded up to whole epochs, 10 at least.
    epochs : int, optional
        Passes over the rows; overrides `steps`.
    batch_size : int, default=128
        Rows of a step, per member.
    lr : float, default=0.001
        Step size of Adam.
    scaling : {"standard", "range", "none"}, default="standard"
        How the network sees the columns of X.
    scale_targets : bool, default=True
        Whether the network sees targets of mean 0 and standard deviation 1.
    validation_fraction : float, default=0.1
        Share of the rows held out when `fit` is given no validation data.
    false_alarm_rate : float, default=0.05
        Share of in-distribution rows that `is_ood` may flag.
    random_state : int, RandomState or None
        Same seed, same numbers.
    device : str, default="auto"
        Where to train; "auto" takes a GPU if there is one.
    verbose : bool, default=False
        Show a live line per training.
    callbacks : sequence of callables, default=()
        Called with every `Epoch`; training stops when one returns True.

    Attributes
    ----------
    history_ : History
        Loss, validation loss, λ and weight size of every epoch and member.
    trials_ : list of (Method, History)
        Every training that was run, the reference or the search included.
    method_ : Method
        The method with each "auto" replaced by the number used.
    threshold_ : float
        The τ of DARE.
    held_out_scores_ : array
        OOD scores of the held-out rows, ascending.
    network_ : Stack
        The trained members.

    Examples
    --------
    >>> import numpy as np
    >>> from antireg import EnsembleRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 1))
    >>> y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=400)
    >>> model = EnsembleRegressor(random_state=0).fit(X, y)
    >>> mean, std = model.predict([[0.0], [5.0]], return_std=True)
    >>> bool(std[1] > 3 * std[0])
    True
    """

    target_scaling_: Scaling
    noise_: Array | None
    """Variance of scaled targets around the outputs, (members, 1, targets), if they
    do not hold it themselves."""

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
        batch_size: int = 128,
        lr: float = 1e-3,
        scaling: str = "standard",
        scale_targets: bool = True,
        validation_fraction: float = 0.1,
        false_alarm_rate: float = 0.05,
        random_state: int | np.random.RandomState | None = None,
        device: str = "auto",
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
        self.scale_targets = scale_targets
        self.validation_fraction = validation_fraction
        self.false_alarm_rate = false_alarm_rate
        self.random_state = random_state
        self.device = device
        self.verbose = verbose
        self.callbacks = callbacks

    def predict(
        self, X: ArrayLike, return_std: bool = False
    ) -> Array | tuple[Array, Array]:
        """Return the mean, and the standard deviation if asked for.

        Parameters
        ----------
        X : (rows, features)
        return_std : bool, default=False

        Returns
        -------
        mean, or (mean, std) : arrays of the shape of y
        """
        predictive = self.predictive(X)
        mean = self._like_y(predictive.mean)
        return (mean, self._like_y(predictive.std)) if return_std else mean

    def predict_interval(
        self, X: ArrayLike, coverage: float = 0.9
    ) -> tuple[Array, Array]:
        """Return the ends of the central interval, exact for the mixture of members.

        Parameters
        ----------
        X : (rows, features)
        coverage : float, default=0.9
            Probability that the interval holds.

        Returns
        -------
        low, high : arrays of the shape of y
        """
        low, high = self.predictive(X).interval(coverage)
        return self._like_y(low), self._like_y(high)

    def predictive(self, X: ArrayLike) -> GaussianMixture:
        """Return all the ensemble says of these rows, in the units of y."""
        mixture = self._mixture(self._outputs(X))
        scaling = self.target_scaling_
        return GaussianMixture(
            scaling.unscaled(mixture.means), mixture.variances * scaling.scale**2
        )

    def _like_y(self, values: Array) -> Array:
        return values[:, 0] if self._flat_y else values

    def _mixture(self, outputs: Array) -> GaussianMixture:
        """Return the members' Gaussians in scaled units."""
        if self.noise_ is not None:
            return GaussianMixture(outputs, np.broadcast_to(self.noise_, outputs.shape))
        means, log_variances = np.split(outputs, 2, axis=-1)
        low, high = LOWEST_LOG_VARIANCE, HIGHEST_PREDICTED_LOG_VARIANCE
        return GaussianMixture(means, np.exp(np.clip(log_variances, low, high)))

    def _score(self, outputs: Array, kind: str) -> Array:
        mixture = self._mixture(outputs)
        if kind == "total":
            return scores.predictive_std(mixture)
        return scores.epistemic_std(mixture)

    def _check_rows(self, X: Any, y: Any, reset: bool) -> tuple[Array, Array]:
        dtype = (np.float64, np.float32)
        X, y = validate_data(
            self, X, y, reset=reset, dtype=dtype, multi_output=True, y_numeric=True
        )
        if reset:
            self._flat_y = y.ndim == 1
            self._n_targets = 1 if y.ndim == 1 else y.shape[1]
        y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        if y.shape[1] != self._n_targets:
            raise ValueError(
                f"validation_data must have {self._n_targets} target columns like y, "
                f"got {y.shape[1]}."
            )
        return X, y

    def _hold_out(self, y: Array, rng: np.random.Generator) -> NDArray[np.bool_]:
        return hold_out(np.zeros(len(y), int), self.validation_fraction, rng)

    def _learn_targets(self, y: Array) -> None:
        kind = "standard" if self.scale_targets else "none"
        self.target_scaling_ = fit_scaling(kind, y)

    def _encode(self, y: Array) -> Array:
        return self.target_scaling_.scaled(y)

    def _choose_loss(self) -> Loss:
        name = "gaussian_nll" if self.loss == "auto" else self.loss
        return choose_loss(name, REGRESSION_LOSSES)

    def _learn_noise(self, outputs: Array, targets: Array) -> None:
        self.noise_ = None
        if not isinstance(self.loss_, GaussianNLL):
            self.noise_ = np.square(outputs - targets).mean(1, keepdims=True)


class EnsembleClassifier(ClassifierMixin, Ensemble):
    """A classifier that says how sure it is, near and far from its training data.

    Parameters
    ----------
    loss : str, default="auto"
        "squared_error" to K times the one-hot label (to 0 and 1 for two classes) or
        "cross_entropy"; "auto" is the first for DARE and the second for the others.
        "one_hot_squared_error" and "binary_squared_error" name one form of the first.

    The other parameters and the attributes are those of `EnsembleRegressor`.

    Attributes
    ----------
    classes_ : array
        The labels, in the order of the columns of `predict_proba`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from antireg import EnsembleClassifier
    >>> X, y = make_moons(400, noise=0.1, random_state=0)
    >>> model = EnsembleClassifier(random_state=0).fit(X, y)
    >>> model.is_ood([[0.0, 1.0], [8.0, 8.0]]).tolist()
    [False, True]
    """

    classes_: NDArray[Any]
    probability_map_: ProbabilityMap | None
    """From squared-error outputs to probabilities; none for cross-entropy."""

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
        batch_size: int = 128,
        lr: float = 1e-3,
        scaling: str = "standard",
        validation_fraction: float = 0.1,
        false_alarm_rate: float = 0.05,
        random_state: int | np.random.RandomState | None = None,
        device: str = "auto",
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
        self.random_state = random_state
        self.device = device
        self.verbose = verbose
        self.callbacks = callbacks

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable label of each row, (rows,)."""
        return self.classes_[self.predictive(X).label]

    def predict_proba(self, X: ArrayLike) -> Array:
        """Return the probability of each class, (rows, classes)."""
        return self.predictive(X).mean

    def predictive(self, X: ArrayLike) -> ClassProbabilities:
        """Return all the ensemble says of these rows."""
        return self._probabilities(self._outputs(X))

    def _probabilities(self, outputs: Array) -> ClassProbabilities:
        """Return the probabilities of the classes by each member, and by all."""
        if self.probability_map_ is None:
            return ClassProbabilities(softmax_probabilities(outputs))
        if outputs.shape[-1] == 1:
            outputs = both_classes(outputs)
        mean = outputs.mean(axis=0)
        return ClassProbabilities(
            self.probability_map_(outputs), pooled=self.probability_map_(mean)
        )

    def _score(self, outputs: Array, kind: str) -> Array:
        if self.probability_map_ is None:
            predictive = self._probabilities(outputs)
            if kind == "total":
                return scores.entropy(predictive.probabilities)
            return scores.mutual_information(predictive.probabilities)
        if kind == "epistemic":
            return np.asarray(outputs.var(axis=0).sum(axis=-1))
        if outputs.shape[-1] == 1:
            return scores.binary_squared_error_score(outputs)
        return scores.squared_error_score(outputs)

    def _check_rows(self, X: Any, y: Any, reset: bool) -> tuple[Array, NDArray[Any]]:
        dtype = (np.float64, np.float32)
        X, y = validate_data(self, X, y, reset=reset, dtype=dtype)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if reset:
            self.classes_ = np.unique(y)
            if len(self.classes_) < 2:
                raise ValueError(
                    "y must hold at least two classes, got one class "
                    f"({self.classes_[0]!r}). Is y the right column?"
                )
        unseen = np.setdiff1d(y, self.classes_)
        if unseen.size:
            raise ValueError(
                "validation_data must hold only classes of y, got "
                f"{unseen.tolist()} too. Drop those rows or train on the classes."
            )
        return X, y

    def _hold_out(self, y: NDArray[Any], rng: np.random.Generator) -> NDArray[np.bool_]:
        return hold_out(y, self.validation_fraction, rng)

    def _learn_targets(self, y: NDArray[Any]) -> None:
        missing = np.setdiff1d(self.classes_, y)
        if missing.size:
            raise ValueError(f"y must hold rows of weight > 0 of {missing.tolist()}.")

    def _encode(self, y: NDArray[Any]) -> Array:
        one_hot = (y[:, None] == self.classes_).astype(np.float64)
        one_column = len(self.classes_) == 2 and self.loss != "one_hot_squared_error"
        return np.asarray(one_hot[:, 1:] if one_column else one_hot)

    def _choose_loss(self) -> Loss:
        name = as_method(self.method).classification_loss
        name = name if self.loss == "auto" else self.loss
        if name == "squared_error":
            two = len(self.classes_) == 2
            name = "binary_squared_error" if two else "one_hot_squared_error"
        if name == "binary_squared_error" and len(self.classes_) > 2:
            raise ValueError(
                'loss="binary_squared_error" needs two classes, got '
                f'{len(self.classes_)}. Use "squared_error".'
            )
        return choose_loss(name, CLASSIFICATION_LOSSES)

    def _learn_noise(self, outputs: Array, targets: Array) -> None:
        self.probability_map_ = None
        if not isinstance(self.loss_, CrossEntropy):
            mean = outputs.mean(axis=0)
            if mean.shape[1] == 1:
                mean, targets = both_classes(mean), both_classes(targets)
            self.probability_map_ = fit_probability_map(mean, targets.argmax(axis=1))
