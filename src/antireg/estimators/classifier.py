"""The classifier: every member predicts a value for each class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from antireg import scores
from antireg.estimators.base import Ensemble
from antireg.estimators.class_rules import ClassRules
from antireg.estimators.doubting import Said, check_said
from antireg.estimators.unseen import Unseen
from antireg.losses import CLASSIFICATION_LOSSES, CrossEntropy, Loss, choose_loss
from antireg.predictive import ClassProbabilities
from antireg.predictive.pooling import label_noise, pulled_in
from antireg.predictive.probability_map import (
    ProbabilityMap,
    both_classes,
    fit_probability_map,
    softmax_probabilities,
)
from antireg.predictive.values import member_values
from antireg.rows.checks import check_rows

Array = NDArray[np.float64]

MOST_TARGETS = 2**27
"""Most rows times classes; training holds several copies, each of a gigabyte."""

SOME_CLASSES = 100
"""This many classes are allowed for any number of rows."""


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
    >>> model = EnsembleClassifier(steps=300, random_state=0).fit(X, y)
    >>> model.is_ood([[0.0, 1.0], [8.0, 8.0]]).tolist()
    [False, True]
    """

    kind = "classifier"
    losses = CLASSIFICATION_LOSSES

    _doubt_rules = ClassRules
    classes_: NDArray[Any]
    probability_map_: ProbabilityMap | None
    """From squared-error outputs to probabilities; none for cross-entropy."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable label of each row, (rows,)."""
        return self._by_rows(X, lambda s: self.classes_[self._answer(s).argmax(-1)])

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, (rows, classes)."""
        return self._by_rows(X, self._answer)

    def predictive(self, X: Any) -> ClassProbabilities:
        """Return the whole prediction for these rows."""
        return self.predictive_of(self.said(X))

    def predictive_of(self, said: Said) -> ClassProbabilities:
        """Return the probabilities of each class, by member and of the ensemble.

        Parameters
        ----------
        said : Said
            From `said(X)`, or its `alone` for the answer without doubt.
        """
        check_said(said)
        members = self._members_say(said.outputs)
        doubt = self._class_doubt(said.unfamiliar)
        return members if doubt is None else doubt(members, said.unfamiliar)

    def _answer(self, said: Said) -> Array:
        """Return the probability of each class, (rows, classes)."""
        pooled, doubt = self._pooled(said.outputs), self._class_doubt(said.unfamiliar)
        return pooled if doubt is None else doubt.mixed(pooled, said.unfamiliar)

    def _class_doubt(self, unfamiliar: Array | None) -> Any:
        """Return the doubt to answer with, if there is any."""
        return None if self.doubt_ is None or unfamiliar is None else self.doubt_.doubt

    def _members_say(self, outputs: Array) -> ClassProbabilities:
        if self.probability_map_ is None:
            return ClassProbabilities(softmax_probabilities(outputs))
        pooled, outputs = self._pooled(outputs), self._members(outputs)
        if outputs.shape[-1] == 1:
            outputs = both_classes(outputs)
        return ClassProbabilities(self.probability_map_(outputs), pooled)

    def _pooled(self, outputs: Array) -> Array:
        """Return the ensemble's probability of each class, (rows, classes)."""
        if self.probability_map_ is None:
            return ClassProbabilities(softmax_probabilities(outputs)).mean
        mean = self._members(member_values(outputs, "outputs")).mean(axis=0)
        return self.probability_map_(both_classes(mean) if mean.shape[1] == 1 else mean)

    def _members(self, outputs: Array) -> Array:
        """Return squared-error outputs, robust if asked for, of the same shape."""
        if not self.robust_:
            return outputs
        return pulled_in(outputs, label_noise(outputs.shape[-1]))

    def ood_score_of(self, outputs: Array, kind: str = "total") -> Array:
        """Return the `ood_score` of rows with these outputs, (rows,)."""
        if self.probability_map_ is None:
            predictive = self._members_say(outputs)
            if kind == "total":
                return scores.entropy(predictive.probabilities)
            return scores.mutual_information(predictive.probabilities)
        if kind == "epistemic":
            return scores.output_variance(outputs)
        if outputs.shape[-1] == 1:
            return scores.binary_squared_error_score(outputs)
        return scores.squared_error_score(outputs)

    def _check_rows(self, X: Any, y: Any, reset: bool) -> tuple[Array, NDArray[Any]]:
        X, y = check_rows(self, X, y, reset=reset)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        if reset:
            self.classes_ = np.unique(y)
            if len(self.classes_) < 2:
                raise ValueError(
                    "y must hold at least two classes, got one class "
                    f"({self.classes_.tolist()[0]!r}). Is y the right column?"
                )
            most = max(SOME_CLASSES, MOST_TARGETS // len(y))
            if len(self.classes_) > most:
                raise ValueError(
                    f"y must hold at most {most} classes in {len(y)} rows, got "
                    f"{len(self.classes_)}: each is a column of numbers in training. "
                    "Join rare classes, or use EnsembleRegressor if they are amounts."
                )
        unseen = np.setdiff1d(y, self.classes_)
        if unseen.size:
            raise ValueError(
                "validation_data must hold only classes of y, got "
                f"{unseen.tolist()} too. Drop those rows or train on the classes."
            )
        return X, y

    def _groups(self, y: NDArray[Any]) -> NDArray[Any]:
        return y

    def _unseen_scores(self, unseen: Unseen) -> Array:
        if unseen.left_out is None:
            return self.ood_score_of(unseen.outputs)
        # An entropy has a most, squared errors have none.
        entropy = self.probability_map_ is None
        most = float(np.log(len(self.classes_))) if entropy else np.inf
        return unseen.left_out.levelled_scores(self.ood_score_of, most)

    def _learn_targets(self, y: NDArray[Any]) -> None:
        missing = np.setdiff1d(self.classes_, y)
        if missing.size:
            raise ValueError(
                "y must hold rows of weight > 0 of all classes, got none of class "
                f"{missing.tolist()}. Give some of their rows a weight, or drop them."
            )

    def _encode(self, y: NDArray[Any]) -> Array:
        one_hot = (y[:, None] == self.classes_).astype(np.float64)
        one_column = len(self.classes_) == 2 and self.loss != "one_hot_squared_error"
        return np.asarray(one_hot[:, 1:] if one_column else one_hot)

    def _choose_loss(self) -> Loss:
        name = self._chosen_method().classification_loss
        name = name if self.loss == "auto" else self.loss
        if name == "squared_error":
            two = len(self.classes_) == 2
            name = "binary_squared_error" if two else "one_hot_squared_error"
        if name == "binary_squared_error" and len(self.classes_) > 2:
            raise ValueError(
                'loss="binary_squared_error" needs two classes, got '
                f'{len(self.classes_)}. Use "squared_error".'
            )
        return choose_loss(name, self.losses)

    def _learn_noise(
        self, outputs: Array, targets: Array, weight: Array | None
    ) -> None:
        self.probability_map_ = None
        if not isinstance(self.loss_, CrossEntropy):
            mean = self._members(outputs).mean(axis=0)
            if mean.shape[1] == 1:
                mean, targets = both_classes(mean), both_classes(targets)
            self.probability_map_ = fit_probability_map(
                mean, targets.argmax(axis=1), weight
            )

    def named_values(self, said: Said, coverage: float) -> dict[str, NDArray[Any]]:
        """Return the label and p(…) of each class, (rows,) each."""
        predictive = self.predictive_of(said)
        columns = zip(self.classes_, predictive.mean.T, strict=True)
        label = {"label": self.classes_[predictive.label]}
        return label | {f"p({name})": column for name, column in columns}
