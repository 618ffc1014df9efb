"""Answers follow from what is said of rows, in one pass."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from antireg import ClassProbabilities, GaussianMixture
from antireg.estimators.answering import AnsweringAmounts, AnsweringClasses
from antireg.predictive.intervals import IntervalFactors


class Said(BaseEstimator):
    """What is said of a row is its first number, and so is what follows from it."""

    def __init__(self, false_alarm_rate=0.05):
        self.false_alarm_rate = false_alarm_rate
        self.held_out_scores_ = np.arange(1.0, 100.0)
        self.passes = 0

    def fit(self, X, y):
        raise NotImplementedError

    def said(self, X):
        self.passes += 1
        return np.asarray(X)[:, 0]

    def score_of(self, said):
        return said

    def weight_of(self, said):
        return said / 100

    def entering(self, X):
        raise NotImplementedError

    reasons_of = entering


class Amounts(Said, AnsweringAmounts):
    flat_targets_ = True
    interval_factors_ = IntervalFactors(np.array([0.5]), np.array([[2.0]]))

    def predictive_of(self, said):
        return GaussianMixture(said[None, :, None], np.full((1, len(said), 1), 4.0))


class Classes(Said, AnsweringClasses):
    classes_ = np.array(["a", "b"])

    def predictive_of(self, said):
        return ClassProbabilities(np.stack([1 - said, said], axis=1)[None])


def test_flags_and_doubt_match_hand_values():
    model = Amounts()
    assert model.ood_threshold() == pytest.approx(95.0)  # the 95th of 99 scores
    assert model.ood_threshold(0.5) == pytest.approx(50.0)
    assert model.is_ood([[94.0], [96.0]]).tolist() == [False, True]
    assert model.is_ood([[94.0], [96.0]], 0.5).tolist() == [True, True]
    assert model.ood_score([[94.0]]).tolist() == [94.0]
    assert model.doubt([[94.0]]).tolist() == [0.94]


def test_amounts_match_hand_values_and_have_the_shape_of_y():
    model = Amounts()
    mean, std = model.predict([[3.0]], return_std=True)
    assert (mean.tolist(), std.tolist()) == ([3.0], [2.0])
    low, high = model.predict_interval([[3.0]], coverage=0.5)
    # Half of a Gaussian is within 0.6745 σ; the interval is twice as wide.
    assert (low.item(), high.item()) == pytest.approx((0.3020, 5.6980), abs=1e-4)
    assert model.passes == 2
    model.flat_targets_ = False
    assert model.predict([[3.0]]).shape == (1, 1)


def test_classes_are_labels_and_probabilities():
    model = Classes()
    found = model.predict_proba([[0.25], [0.75]])
    assert found.tolist() == [[0.75, 0.25], [0.25, 0.75]]
    assert model.predict([[0.25], [0.75]]).tolist() == ["a", "b"]
    assert model.passes == 2
