"""The regressor: every member predicts a mean and a noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MultiOutputMixin, RegressorMixin

from antireg import scores
from antireg.estimators.base import Ensemble
from antireg.estimators.doubt_rules import ValueRules
from antireg.estimators.doubting import Said, check_said
from antireg.estimators.log_targets import LogTargets
from antireg.estimators.unseen import Unseen
from antireg.familiarity.doubt import Doubt
from antireg.losses import REGRESSION_LOSSES, GaussianNLL, Loss, choose_loss
from antireg.predictive import GaussianMixture, LogNormalMixture
from antireg.predictive.gaussians import gaussians, highest_log_variance
from antireg.predictive.intervals import IntervalFactors, Shifts, fit_interval_factors
from antireg.predictive.pooling import allowed_range, pooled
from antireg.rows.checks import check_amounts, check_rows
from antireg.rows.scaling import fit_scaling

Array = NDArray[np.float64]


class EnsembleRegressor(LogTargets, MultiOutputMixin, RegressorMixin, Ensemble):
    """A regressor that says how sure it is, near and far from its training data.

    Parameters
    ----------
    method : Method or str, default="auto"
        How the members are made to disagree; a name of `antireg.METHODS` or an
        object such as `DARE(delta=0.5)`. "auto" is "deep_ensemble" with doubt, and
        "dare" without.
    n_members : int, default=5
        Networks in the ensemble.
    hidden : tuple of int, default=(100, 100, 100)
        Units of the hidden layers.
    bins : int, "auto" or None, default="auto"
        Bins that a column is cut into at most, so that networks can bend where it
        does. "auto" is 32, and none without doubt or if 50 columns have more than two
        values, as pixels and features do. None leaves columns whole, as the paper does.
        Of several members, every second, the first too, sees no bins.
    activation : str, default="relu"
        relu, leaky_relu, tanh, sigmoid or identity.
    network : Module or callable, optional
        Your own architecture instead: a `torch.nn.Module`, whose layers are drawn
        anew for every member except frozen ones, or a function of the numbers of
        inputs and outputs that returns a new one. Its output for a row must depend
        on that row alone. It is slower if `torch.func.vmap` cannot run it.
    loss : str, default="auto"
        "gaussian_nll" learns the noise of every row; "squared_error" one noise for
        all. "auto" is "gaussian_nll".
    steps : int, default=5000
        Training steps at most, rounded up to whole epochs, 10 at least.
    epochs : int, optional
        Passes over the rows at most; overrides `steps`.
    patience : int, "auto" or None, default="auto"
        Epochs, or three times as many for DARE, after which training ends if in none a
        member was better on validation rows, or under τ. "auto" is 400 steps and at
        least 3 epochs; see docs/choices.md. None takes all steps, as the paper does.
    batch_size : int or "auto", default="auto"
        Rows of a step, per member; "auto" is 32 below 2000 rows, else 128.
    lr : float or "auto", default="auto"
        Step size of Adam; "auto" is 0.002 where columns are cut into bins, else 0.001.
    scaling : {"range", "standard", "none"}, default="range"
        How the network sees the columns of X: from 0 to 1, with mean 0 and standard
        deviation 1, or as they are. It sees targets of mean 0 and standard deviation
        1, or as they are with "none". docs/choices.md says why.
    validation_fraction : float, default=0.1
        Share of the rows held out for validation if `fit` is given no validation data.
        If they are fewer than 130, the members are trained again without parts of the
        other rows, to calibrate on these too; docs/choices.md says why.
    false_alarm_rate : float, default=0.05
        Share of in-distribution rows that `is_ood` may flag.
    robust : bool, default=True
        No wild member and no wild validation row decides alone, τ stays below the loss
        of a constant guess, and the mean of DARE is that of the deep ensemble that sets
        τ: two ensembles predict. See docs/choices.md. False is plain, as the paper.
    doubt : {"rehearsed", "prototypes", None}, default="rehearsed"
        "rehearsed" learns in `fit` where the members fail, from pairs of members that
        are trained without parts of the rows, and answers what one would say without
        looking where rows are unfamiliar. Up to 10,000 training rows are then kept in
        the model, and in its file; "prototypes" keeps means of five rows or more in
        their place. docs/choices.md says what both are worth. None is the paper's
        estimator.
    target_transform : {"log", None}, default=None
        "log" learns the logarithms of targets, which must be above 0. Everything is
        still said in the units of y: mean and standard deviation of the log-normals,
        intervals, quantiles, densities.
    random_state : int, RandomState or None
        Same seed, same numbers.
    device : str, default="auto"
        Where to train; "auto" takes a GPU if there is one.
    n_jobs : int, optional
        Workers that share the members out, as joblib counts them: -1 for one per
        processor, none for one, or all of a Dask or Ray cluster. It changes no bit of
        the result. Up to twenty small networks train as one group, by one worker:
        docs/scale.md says when it pays.
    verbose : bool, default=False
        Show a live line per training; with workers, that of the first.
    callbacks : sequence of callables, default=()
        Called with every `Epoch`; training stops when one returns True.

    Attributes
    ----------
    history_ : History
        Loss, validation loss, λ and weight size of every epoch and member.
    trials_ : list of (Method, History)
        Every training that was run, the reference or the search included.
    validation_loss_ : float
        Loss of the ensemble as one predictor on the validation rows.
    method_ : Method
        The method with each "auto" replaced by the number used.
    threshold_ : float
        The τ of DARE; other methods have none.
    held_out_rows_ : array of int or None
        Which rows of X were held out; None if `fit` was given validation data, and
        for a model from a file.
    held_out_scores_ : array
        OOD scores as new rows would have them, ascending: those of the validation rows
        and, if these are fewer than 130, those of other rows, corrected by trainings
        without them.
    doubt_ : Doubting or None
        What was learned for `doubt`.
    interval_factors_ : IntervalFactors
        By how much intervals are widened, for each coverage.
    network_ : Stack
        The trained members.
    centre_ : Stack or None
        As many others, whose mean is that of the prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from antireg import EnsembleRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 1))
    >>> y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=400)
    >>> model = EnsembleRegressor(steps=300, random_state=0).fit(X, y)
    >>> mean, std = model.predict([[0.0], [5.0]], return_std=True)
    >>> bool(std[1] > 3 * std[0])
    True
    """

    kind = "regressor"
    losses = REGRESSION_LOSSES

    _doubt_rules = ValueRules
    takes_centre = True
    n_targets_: int
    flat_targets_: bool
    """Whether y was given as (rows,)."""
    target_range_: Array
    """The least and the most a robust mean may be, scaled, (2, targets)."""
    interval_factors_: IntervalFactors
    noise_: Array | None
    """Variance of scaled targets around the outputs, (members, 1, targets), if they
    do not hold it themselves; then that of the centre's."""

    def predict(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Return the mean, and the standard deviation if asked for.

        Parameters
        ----------
        X : (rows, features)
        return_std : bool, default=False

        Returns
        -------
        mean, or (mean, std) : arrays of the shape of y
        """
        if return_std:
            return self._two(X, lambda mixture: (mixture.mean, mixture.std))
        return self._like_y(self._by_rows(X, lambda s: self.predictive_of(s).mean))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Return the ends of an interval that covers targets as often as asked.

        It is the central interval of the mixture of members, widened or narrowed so
        that it covers that share of rows the members were not trained on.

        Parameters
        ----------
        X : (rows, features)
        coverage : float, default=0.9
            Probability that the target is in the interval.

        Returns
        -------
        low, high : arrays of the shape of y
        """
        return self._two(X, lambda m: self.interval_factors_.interval(m, coverage))

    def predictive(self, X: Any) -> GaussianMixture | LogNormalMixture:
        """Return the whole prediction for these rows, in the units of y."""
        return self.predictive_of(self.said(X))

    def predictive_of(self, said: Said) -> GaussianMixture | LogNormalMixture:
        """Return what was said of rows means, in the units of y.

        Parameters
        ----------
        said : Said
            From `said(X)`, or its `alone` for the answer without doubt.
        """
        return self._in_units_of_y(self.learned_of(said))

    def learned_of(self, said: Said) -> GaussianMixture:
        """Return the same of what the members learned: y, or its logarithm."""
        check_said(said)
        outputs, unfamiliar = said.outputs, said.unfamiliar
        n_members, scaling = len(self.of_members(outputs)), self.target_scaling_
        mixture = self._mixture(outputs if self.robust_ else self.of_members(outputs))
        means, variances = mixture.means, mixture.variances
        if self.robust_:
            means, variances = pooled(means, variances, n_members, self.target_range_)
        mixture = GaussianMixture(scaling.unscaled(means), variances * scaling.scale**2)
        if self.doubt_ is None or unfamiliar is None:
            return mixture
        assert isinstance(self.doubt_.doubt, Doubt)
        return self.doubt_.doubt(mixture, unfamiliar, said.on_line)

    @property
    def highest_log_variance_(self) -> float:
        """Where the log-variances of the members are clipped."""
        return highest_log_variance(scaled=self.scaled_by_ != "none")

    def _two(
        self, X: Any, of: Callable[[Any], tuple[Array, Array]]
    ) -> tuple[Array, Array]:
        """Return two values of each row's prediction, shaped as y."""
        values = self._by_rows(X, lambda s: np.stack(of(self.predictive_of(s)), axis=1))
        return self._like_y(values[:, 0]), self._like_y(values[:, 1])

    def _like_y(self, values: Array) -> Array:
        return values[:, 0] if self.flat_targets_ else values

    def _mixture(self, outputs: Array) -> GaussianMixture:
        """Return the Gaussians of members, and of their centre, in scaled units."""
        return gaussians(outputs, self.noise_, self.highest_log_variance_)

    def ood_score_of(self, outputs: Array, kind: str = "total") -> Array:
        """Return the `ood_score` of rows with these outputs, (rows,)."""
        score = scores.predictive_std if kind == "total" else scores.epistemic_std
        return score(self._mixture(self.of_members(outputs)))

    def _check_rows(self, X: Any, y: Any, reset: bool) -> tuple[Array, Array]:
        y = check_amounts(y)
        X, y = check_rows(self, X, y, reset=reset, multi_output=True, y_numeric=True)
        if reset:
            self.flat_targets_ = y.ndim == 1
            self.n_targets_ = 1 if y.ndim == 1 else y.shape[1]
            self.target_transform_ = self.target_transform
        y = np.asarray(y, dtype=np.float64).reshape(len(y), -1)
        if y.shape[1] != self.n_targets_:
            raise ValueError(
                f"validation_data must have {self.n_targets_} target columns like y, "
                f"got {y.shape[1]}."
            )
        return X, self._to_learn(y)

    def _groups(self, y: Array) -> NDArray[Any]:
        return np.zeros(len(y), int)

    def _unseen_scores(self, unseen: Unseen) -> Array:
        if unseen.left_out is None:
            return self.ood_score_of(unseen.outputs)
        return unseen.left_out.raised_scores(self.ood_score_of)

    def _learn_targets(self, y: Array) -> None:
        kind = "none" if self.scaling == "none" else "standard"
        # A target that never changes is predicted to about six digits.
        self.target_scaling_ = fit_scaling(kind, y, constant=1e-6)
        self.target_range_ = allowed_range(self._encode(y))

    def _encode(self, y: Array) -> Array:
        return self.target_scaling_.scaled(y)

    def _choose_loss(self) -> Loss:
        name = "gaussian_nll" if self.loss == "auto" else self.loss
        return choose_loss(name, self.losses)

    def _learn_noise(
        self, outputs: Array, targets: Array, weight: Array | None
    ) -> None:
        self.noise_ = None
        if not isinstance(self.loss_, GaussianNLL):
            squared = np.square(outputs - targets)
            self.noise_ = np.average(squared, axis=1, weights=weight)[:, None]

    def _learn_intervals(
        self, said: Said, targets: Array, weight: Array | None, shifts: Shifts = ()
    ) -> None:
        y = self.target_scaling_.unscaled(targets)
        mixture = self.learned_of(said)
        self.interval_factors_ = fit_interval_factors(mixture, y, weight, shifts)

    def named_values(self, said: Said, coverage: float) -> dict[str, NDArray[Any]]:
        """Return mean, std, low and high of each row, (rows,) each."""
        mixture = self.predictive_of(said)
        low, high = self.interval_factors_.interval(mixture, coverage)
        named = {"mean": mixture.mean, "std": mixture.std, "low": low, "high": high}
        return {name: column[:, 0] for name, column in named.items()}
