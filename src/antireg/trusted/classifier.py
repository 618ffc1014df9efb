"""A gate around any classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, column_or_1d

from antireg.estimators.answering import AnsweringClasses
from antireg.familiarity.doubt import ClassDoubt
from antireg.predictive import ClassProbabilities
from antireg.trusted.base import Trusted
from antireg.trusted.cloning import Table
from antireg.trusted.inputs import split
from antireg.trusted.learning import Learned
from antireg.trusted.looking import Said
from antireg.trusted.rules import ClassRules

Array = NDArray[np.float64]


class TrustedClassifier(ClassifierMixin, AnsweringClasses, Trusted):
    """Any classifier, with probabilities to believe and where not to trust it.

    As `TrustedRegressor`. Probabilities are calibrated on rows that copies were not
    fitted on, and become the frequencies of the classes where rows are unfamiliar.

    Parameters
    ----------
    estimator : classifier
        Anything with `fit` and `predict`; `predict_proba` is used if there is one.
    prefit : bool, default=False
        As of `TrustedRegressor`, as all that follow.
    false_alarm_rate : float, default=0.05
    random_state : int, RandomState or None
    n_jobs : int, optional

    Attributes
    ----------
    classes_ : array
        The labels, sorted.
    estimator_, gate_, held_out_scores_
        As of `TrustedRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from sklearn.linear_model import LogisticRegression
    >>> from antireg import TrustedClassifier
    >>> X, y = make_moons(200, noise=0.1, random_state=0)
    >>> model = TrustedClassifier(LogisticRegression(), random_state=0).fit(X, y)
    >>> model.is_ood([[0.0, 1.0], [8.0, 8.0]]).tolist()
    [False, True]
    >>> model.predictive([[0.0, 1.0], [1.0, -0.5]]).label.tolist()
    [0, 1]
    """

    kind = "classifier"

    def predictive_of(self, said: Said) -> ClassProbabilities:
        """Return what was said of rows means, with doubt."""
        gate = self.gate_
        assert isinstance(gate.looking.rules, ClassRules)
        assert isinstance(gate.doubt, ClassDoubt)
        plain = gate.looking.rules.probabilities(said.outputs, gate.calibration)
        mixed = gate.doubt.mixed(plain, said.unfamiliar)
        return ClassProbabilities(mixed[None], mixed)

    def _check_targets(self, y: Any) -> NDArray[Any]:
        y = check_array(y, dtype=None, ensure_2d=False, input_name="y")
        labels: NDArray[Any] = column_or_1d(y, warn=True)
        check_classification_targets(labels)
        if len(np.unique(labels)) < 2:
            raise ValueError(
                "y must hold at least two classes, got one class "
                f"({labels.tolist()[0]!r}). Is y the right column?"
            )
        return labels

    def _labels(self, y: NDArray[Any]) -> NDArray[Any]:
        return y

    def _rules(self, rows: Table) -> ClassRules:
        classes = np.unique(rows.y)
        if self.prefit:
            known = split(self.estimator)[1].classes_
            unseen = np.setdiff1d(classes, known)
            if unseen.size:
                raise ValueError(
                    "y must hold only classes that the estimator was fitted on, got "
                    f"{unseen.tolist()} too. Drop those rows."
                )
            classes = known
        return ClassRules.of(rows.y, rows.weights, classes)

    def _learn_rest(self, learned: Learned, rows: Table) -> None:
        assert isinstance(self.gate_.looking.rules, ClassRules)
        self.classes_ = self.gate_.looking.rules.classes
