import numpy as np
import pytest

from antireg.predictive.pooling import (
    LABEL_NOISE,
    allowed_range,
    calmed,
    label_noise,
    median,
    moved_inside,
    pulled_in,
)


def of(*members: float) -> np.ndarray:
    return np.array(members)[:, None, None]


def test_a_wild_member_is_pulled_in_to_its_hand_value() -> None:
    # Median 2, deviations 2, 1, 0, 1, 98: their median 1; √(1.4826² + 2²) = 2.489599
    pulled = pulled_in(of(0.0, 1.0, 2.0, 3.0, 100.0), 2.0)
    assert pulled.ravel().tolist() == pytest.approx([0, 1, 2, 3, 2 + 1.5 * 2.489599])


def test_members_that_agree_within_the_noise_stay_as_they_are_to_the_bit() -> None:
    values = 7 + np.random.default_rng(0).uniform(-1, 1, (5, 100, 2))
    np.testing.assert_array_equal(pulled_in(values, 2.0), values)


@pytest.mark.parametrize("n_members", [1, 2])
def test_of_two_members_none_is_the_odd_one_out(n_members: int) -> None:
    values = of(0.0, 1e9)[:n_members]
    np.testing.assert_array_equal(pulled_in(values, 1.0), values)


@pytest.mark.parametrize("wild", [1e3, 1e30])
def test_how_wild_a_member_is_does_not_matter(wild: float) -> None:
    same = pulled_in(of(0.0, 1.0, 2.0, 3.0, 100.0), 2.0)
    pulled = pulled_in(of(0.0, 1.0, 2.0, 3.0, wild), 2.0)
    np.testing.assert_array_equal(pulled, same)


@pytest.mark.parametrize("n_members", range(1, 9))
def test_the_median_is_that_of_numpy(n_members: int) -> None:
    values = np.random.default_rng(n_members).normal(size=(n_members, 30, 2))
    np.testing.assert_allclose(median(values), np.median(values, axis=0), rtol=1e-15)


def test_means_move_together_until_their_mean_is_inside() -> None:
    # The mean 11 goes to 5: all by -6.
    moved = moved_inside(of(9.0, 11.0, 13.0), np.array([0.0]), np.array([5.0]))
    assert moved.ravel().tolist() == [3, 5, 7]


def test_means_inside_stay_as_they_are_to_the_bit() -> None:
    values = np.random.default_rng(0).normal(size=(5, 100, 1))
    moved = moved_inside(values, np.array([-9.0]), np.array([9.0]))
    np.testing.assert_array_equal(moved, values)


def test_the_allowed_range_is_three_times_as_wide() -> None:
    assert allowed_range(np.array([[1.0], [3.0], [2.0]])).tolist() == [[-1.0], [5.0]]


def test_labels_are_as_far_apart_as_there_are_outputs() -> None:
    assert label_noise(10) == 10 * LABEL_NOISE


def test_a_wild_noise_is_cut_to_its_hand_value() -> None:
    # Means 0, 1, 2, 3, 4: median deviation 1; median variance 4: s² = 1.4826² + 4.
    means, variances = calmed(of(0.0, 1.0, 2.0, 3.0, 4.0), of(4.0, 4.0, 4.0, 9.0, 1e12))
    assert means.ravel().tolist() == [0, 1, 2, 3, 4]
    expected = [4, 4, 4, 9, 9 * (1.4826**2 + 4)]
    assert variances.ravel().tolist() == pytest.approx(expected)
