from __future__ import annotations

import numpy as np
import pytest

from antireg.predictive import ClassProbabilities


def test_class_uncertainties_match_hand_values():
    classes = ClassProbabilities(np.array([[[1.0, 0.0]], [[0.0, 1.0]]]))
    np.testing.assert_array_equal(classes.mean, [[0.5, 0.5]])
    assert classes.entropy.item() == pytest.approx(0.6931472)  # log 2
    assert classes.expected_entropy.item() == 0.0  # each member is certain
    assert classes.mutual_information.item() == pytest.approx(0.6931472)


def test_members_that_agree_hold_no_information_about_each_other():
    rng = np.random.default_rng(0)
    same = np.repeat(rng.dirichlet(np.ones(10), size=(1, 500)), 7, axis=0)
    information = ClassProbabilities(same).mutual_information
    assert (information >= 0).all()
    assert information.max() < 1e-14


def test_label_is_the_most_probable_class_of_the_mean():
    # Two members prefer class 0 a little, one prefers class 2 a lot: 2 wins.
    values = np.array([[[0.4, 0.3, 0.3]], [[0.4, 0.3, 0.3]], [[0.0, 0.0, 1.0]]])
    assert ClassProbabilities(values).label.tolist() == [2]


def test_float32_softmax_is_accepted():
    logits = np.random.default_rng(0).normal(size=(3, 50, 1000)).astype(np.float32)
    values = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    assert ClassProbabilities(values).entropy.shape == (50,)


@pytest.mark.parametrize(
    "values",
    [[[[0.5, 0.6]]], [[[-0.1, 1.1]]], [[[3.0, -2.0]]], [[0.5, 0.5]], [[[np.nan]]]],
)
def test_what_is_no_probability_is_refused(values):
    with pytest.raises(ValueError, match="probabilities must"):
        ClassProbabilities(np.array(values))


def test_mutual_information_is_of_the_members_whatever_is_pooled():
    members = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    pooled = np.array([[0.9, 0.1]])
    # The members' mean is (½, ½): log 2 less their own entropy of 0.
    found = ClassProbabilities(members, pooled).mutual_information
    assert found.tolist() == pytest.approx([np.log(2)])
    assert ClassProbabilities(members, pooled).label.tolist() == [0]
