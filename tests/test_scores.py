"""Scores on numbers worked out by hand, and their one direction."""

import numpy as np
import pytest

from antireg import scores
from antireg.predictive import GaussianMixture

# One familiar row (members certain and agreed), then one unfamiliar row.
ONE_HOT = np.array([[[3.0, 0.0, 0.0], [9.0, -4.0, 1.0]], [[3.0, 0.1, 0.0], [1, 5, -7]]])
BINARY = np.array([[[0.01], [4.0]], [[0.0], [-3.0]]])
CLASSES = np.array([[[0.99, 0.01], [0.9, 0.1]], [[0.98, 0.02], [0.1, 0.9]]])
MIXTURE = GaussianMixture(
    np.array([[[0.0], [5.0]], [[0.1], [-5.0]]]), np.array([[[0.1], [0.3]]] * 2)
)


@pytest.mark.parametrize(
    ("score", "prediction"),
    [
        (scores.squared_error_score, ONE_HOT),
        (scores.binary_squared_error_score, BINARY),
        (scores.entropy, CLASSES),
        (scores.max_probability, CLASSES),
        (scores.mutual_information, CLASSES),
        (scores.predictive_std, MIXTURE),
        (scores.epistemic_std, MIXTURE),
    ],
)
def test_unfamiliar_rows_score_higher(score, prediction):
    familiar, unfamiliar = score(prediction)
    assert unfamiliar > familiar >= 0


def test_squared_error_score_matches_hand_value():
    # K = 2, so the targets are (2, 0) and (0, 2). Members (2, 1) and (0, 1):
    # nearest (2, 0) and (0, 2), misfit 1 and 1, mean 1;
    # the mean output is (1, 1), spread 1 and 1, mean 1. In all 2.
    outputs = np.array([[[2.0, 1.0]], [[0.0, 1.0]]])
    assert scores.squared_error_score(outputs).tolist() == [2.0]


def test_squared_error_score_is_zero_where_members_agree_on_a_target():
    outputs = np.broadcast_to(3 * np.eye(3), (4, 3, 3))
    assert scores.squared_error_score(outputs).tolist() == [0.0, 0.0, 0.0]


def test_largest_output_is_the_nearest_target():
    outputs = np.random.default_rng(0).normal(scale=10, size=(1, 200, 5))
    distances = np.square(outputs[0, :, None] - 5 * np.eye(5)).sum(-1)
    np.testing.assert_allclose(
        scores.squared_error_score(outputs), distances.min(axis=1), rtol=1e-12
    )


def test_each_member_has_its_own_nearest_class():
    # Both members sit on a target, (2, 0) and (0, 2): no misfit, only spread 2.
    outputs = np.array([[[2.0, 0.0]], [[0.0, 2.0]]])
    assert scores.squared_error_score(outputs).tolist() == [2.0]


def test_binary_score_matches_hand_value():
    # Members 0.5 and 1.5: misfit (0.25 + 0.25) / 2, variance 0.25. In all 0.5.
    outputs = np.array([[[0.5]], [[1.5]]])
    assert scores.binary_squared_error_score(outputs).tolist() == [0.5]
    assert scores.binary_squared_error_score(outputs[..., 0]).tolist() == [0.5]


def test_entropy_matches_hand_value():
    # The mean of (0.9, 0.1) and (0.1, 0.9) is even: log 2.
    members = np.array([[[0.9, 0.1]], [[0.1, 0.9]]])
    assert scores.entropy(members) == pytest.approx([0.6931472])
    assert scores.entropy(members.mean(axis=0)) == pytest.approx([0.6931472])


def test_max_probability_matches_hand_value():
    assert scores.max_probability([[0.7, 0.2, 0.1]]) == pytest.approx([0.3])


def test_mutual_information_matches_hand_value():
    # log 2 less the entropy of (0.9, 0.1): 0.6931472 − 0.3250830
    members = np.array([[[0.9, 0.1]], [[0.1, 0.9]]])
    assert scores.mutual_information(members) == pytest.approx([0.3680642])


def test_stds_match_hand_values():
    mixture = GaussianMixture(np.array([[[-2.0]], [[2.0]]]), np.full((2, 1, 1), 5.0))
    assert scores.predictive_std(mixture) == pytest.approx([3.0])  # √(5 + 4)
    assert scores.epistemic_std(mixture) == pytest.approx([2.0])


def test_several_outputs_join_by_the_sum_of_variances():
    mixture = GaussianMixture(np.zeros((2, 1, 2)), np.array([[[9.0, 16.0]]] * 2))
    assert scores.predictive_std(mixture) == pytest.approx([5.0])  # √(9 + 16)
    assert scores.epistemic_std(mixture) == pytest.approx([0.0])


@pytest.mark.parametrize("size", [1e155, 1e200, 1e308, np.inf])
def test_scores_of_overflowing_outputs_are_large_and_finite(size):
    outputs = size * np.array([[[1.0, -1.0]], [[-1.0, 1.0]], [[1.0, 1.0]]])
    found = [
        scores.squared_error_score(outputs),
        scores.binary_squared_error_score(outputs[..., 0]),
        scores.predictive_std(GaussianMixture(outputs, np.abs(outputs))),
        scores.epistemic_std(GaussianMixture(outputs, np.abs(outputs))),
    ]
    assert np.isfinite(found).all()
    assert (np.array(found) > 1e150).all()


@pytest.mark.parametrize(
    ("score", "outputs", "message"),
    [
        (scores.squared_error_score, np.ones((2, 3)), "outputs must be"),
        (scores.squared_error_score, np.ones((2, 3, 1)), "at least 2 classes, got 1"),
        (scores.squared_error_score, np.full((2, 3, 2), np.nan), "must not hold NaN"),
        (
            scores.binary_squared_error_score,
            np.ones((2, 3, 2)),
            "single output .* got 2",
        ),
        (scores.binary_squared_error_score, np.ones(3), "outputs must be"),
        (scores.entropy, np.ones((3, 2)), "sum to 1"),
        (scores.mutual_information, np.full((3, 2), 0.5), "probabilities must be"),
    ],
)
def test_unusable_outputs_are_refused(score, outputs, message):
    with pytest.raises(ValueError, match=message):
        score(outputs)


def test_output_variance_matches_hand_value():
    outputs = np.array([[[0.0, 1.0]], [[2.0, 5.0]]])
    # var(0, 2) + var(1, 5) = 1 + 4
    assert scores.output_variance(outputs).tolist() == [5.0]
