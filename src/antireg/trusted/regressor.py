"""A gate around any regressor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, column_or_1d

from antireg.estimators.answering import AnsweringAmounts
from antireg.familiarity.doubt import Doubt
from antireg.predictive import GaussianMixture
from antireg.predictive.intervals import fit_interval_factors
from antireg.rows.checks import check_amounts
from antireg.trusted.answers import Answer
from antireg.trusted.base import Trusted
from antireg.trusted.cloning import Table
from antireg.trusted.learning import Learned
from antireg.trusted.looking import Said
from antireg.trusted.rules import ValueRules

Array = NDArray[np.float64]


class TrustedRegressor(RegressorMixin, AnsweringAmounts, Trusted):
    """Any regressor, with how sure it is of each answer and where not to trust it.

    `fit` fits the estimator on all rows, and copies of it without some of them: without
    folds, which say how far off it is on rows it does not know, and without regions or
    groups, which show where it fails. Where rows are unfamiliar, the answer is what one
    would say without looking, as far as copies failed on rows as unfamiliar.

    Parameters
    ----------
    estimator : regressor
        Anything with `fit` and `predict`: forests, boosting, linear models, or a
        `Pipeline` with encoders of its own. Distances between rows are taken as the
        last step of a pipeline sees them.
    prefit : bool, default=False
        Whether the estimator is fitted already; `fit` then takes rows that it was *not*
        fitted on. It is not fitted again, so doubt is by distances alone, not learned.
    false_alarm_rate : float, default=0.05
        Share of in-distribution rows that `is_ood` may flag.
    random_state : int, RandomState or None
        Of folds and regions, and of copies whose own is not set: same seed, same
        numbers.
    n_jobs : int, optional
        Processes that fit copies side by side, as joblib counts them.

    Attributes
    ----------
    estimator_ : regressor
        Fitted on all rows, or as given.
    gate_ : Gate
        What was learned: references, noise and doubt.
    held_out_scores_ : array
        OOD scores of rows by copies that were not fitted on them, ascending.
    interval_factors_ : IntervalFactors
        How much wider an interval of some coverage is than the predictive one.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> from antireg import TrustedRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (200, 1))
    >>> y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=200)
    >>> forest = RandomForestRegressor(20)
    >>> model = TrustedRegressor(forest, random_state=0).fit(X, y)
    >>> model.is_ood([[0.0], [5.0]]).tolist()
    [False, True]
    """

    kind = "regressor"

    def predictive_of(self, said: Said) -> GaussianMixture:
        """Return what was said of rows means, with doubt."""
        return self._doubted(said.outputs, said.unfamiliar)

    def _doubted(self, outputs: Answer, unfamiliar: Array) -> GaussianMixture:
        """Return what the model says, and doubt beside it."""
        gate = self.gate_
        assert isinstance(gate.looking.rules, ValueRules)
        assert isinstance(gate.doubt, Doubt)
        said = gate.looking.rules.mixture(outputs, gate.calibration)
        return gate.doubt(said, unfamiliar)

    @property
    def n_targets_(self) -> int:
        """Number of targets."""
        rules = self.gate_.looking.rules
        assert isinstance(rules, ValueRules)
        return len(rules.mean)

    def _check_targets(self, y: Any) -> NDArray[Any]:
        if not get_tags(self.estimator).target_tags.multi_output:
            y = column_or_1d(y, warn=True)
        checked: Array = check_array(
            check_amounts(y), dtype="numeric", ensure_2d=False, input_name="y"
        )
        self.flat_targets_ = checked.ndim == 1
        return checked

    def _labels(self, y: NDArray[Any]) -> None:
        return None

    def _rules(self, rows: Table) -> ValueRules:
        return ValueRules.of(rows.y, rows.weights)

    def _learn_rest(self, learned: Learned, rows: Table) -> None:
        unseen = learned.unseen
        unfamiliar = self.gate_.normalisation.unfamiliar(unseen.signals)
        mixture = self._doubted(unseen.answer, unfamiliar)
        y = np.asarray(rows.y, dtype=np.float64).reshape(len(rows), -1)
        self.interval_factors_ = fit_interval_factors(
            mixture, y, rows.weights, learned.shifts
        )
