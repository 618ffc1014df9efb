import numpy as np
import pytest

from antireg.predictive.pooling import (
    LABEL_NOISE,
    allowed_range,
    calmed,
    label_noise,
    median,
    moved_inside,
    moved_to,
    pooled,
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


def test_means_move_together_to_their_centre_by_the_hand_value() -> None:
    # The mean 11 goes to 4: all by -7.
    moved = moved_to(of(9.0, 11.0, 13.0), np.array([[4.0]]))
    assert moved.ravel().tolist() == [2, 4, 6]


EVERYWHERE = np.array([[-1e9], [1e9]])


def test_a_mixture_has_the_mean_of_its_centre_and_the_spread_of_its_members() -> None:
    # Means 0, 1, 5 of variance 4 are calm: s² = 1.4826² + 4, and 1.5 s is 3.7 about 1.
    # So 5 becomes 1 + 3.73440 and the mean 1.91147; the centre's is (2 + 3 + 4) / 3.
    means, variances = of(0.0, 1.0, 5.0, 2.0, 3.0, 4.0), np.full((6, 1, 1), 4.0)
    found, noise = pooled(means, variances, 3, EVERYWHERE)
    assert found.ravel().tolist() == pytest.approx([1.08853, 2.08853, 5.82293], 1e-5)
    assert noise.ravel().tolist() == [4, 4, 4]


@pytest.mark.parametrize("wild", [1e3, 1e12])
@pytest.mark.parametrize("n_wild", [1, 3, 5])
def test_no_number_of_wild_members_moves_the_mean(wild: float, n_wild: int) -> None:
    members = [wild] * n_wild + [0.1] * (5 - n_wild)
    means = of(*members, 0.0, 0.1, 0.2, 0.3, 0.4)
    found, _ = pooled(means, np.ones_like(means), 5, EVERYWHERE)
    # Numbers up to `wild` are rounded to 1e-16 of it.
    assert found.mean() == pytest.approx(0.2, abs=1e-15 * wild + 1e-12)


def test_a_centre_that_is_wild_itself_is_moved_inside() -> None:
    means = of(0.0, 0.1, 0.2, 100.0, 101.0, 102.0)
    allowed = np.array([[-3.0], [3.0]])
    found, _ = pooled(means, np.ones_like(means), 3, allowed)
    assert found.mean() == pytest.approx(3, abs=1e-12)


def test_without_a_centre_members_are_calmed_and_moved_inside_alone() -> None:
    rng = np.random.default_rng(0)
    means, variances = 10 * rng.normal(size=(5, 50, 1)), np.ones((5, 50, 1))
    allowed = np.array([[-3.0], [3.0]])
    found, noise = pooled(means, variances, 5, allowed)
    calm, quiet = calmed(means, variances)
    np.testing.assert_array_equal(found, moved_inside(calm, *allowed))
    np.testing.assert_array_equal(noise, quiet)
