import numpy as np
import pytest
from scipy.special import ndtri

from antireg.predictive import GaussianMixture
from antireg.predictive.intervals import (
    COVERAGES,
    IntervalFactors,
    factors_needed,
    fit_interval_factors,
)


def standard_normal(n_rows, n_targets=1):
    shape = (1, n_rows, n_targets)
    return GaussianMixture(np.zeros(shape), np.ones(shape))


HALF = ndtri(0.75)  # half the width of the central 50 % interval
TARGETS = HALF * np.array([[3.0], [-1.0], [2.0]])  # which need factors 3, 1 and 2


def test_the_factor_needed_just_holds_a_target():
    needed = factors_needed(standard_normal(3), TARGETS, 0.5)
    np.testing.assert_allclose(needed[:, 0], [3, 1, 2], rtol=1e-12)
    low, high = IntervalFactors(COVERAGES[:1], np.array([[3.0]])).interval(
        standard_normal(1), 0.5
    )
    np.testing.assert_allclose([low[0, 0], high[0, 0]], [-3 * HALF, 3 * HALF])


def test_the_factor_of_a_coverage_is_the_rank_of_a_fresh_row():
    """Of three rows, a fresh one is at most the second with probability 2/4."""
    factors = fit_interval_factors(standard_normal(3), TARGETS)
    np.testing.assert_allclose(factors.at(0.5), 2.0, rtol=1e-12)


def test_weights_count_rows_by_their_share():
    """Up to k = 1, 2, 3: 1, 2 and 4 of 4 + 4/3; a half is 1/3 past the second."""
    weight = np.array([2.0, 1.0, 1.0])
    factors = fit_interval_factors(standard_normal(3), TARGETS, weight)
    np.testing.assert_allclose(factors.at(0.5), 2 + 1 / 3, rtol=1e-12)


def test_beyond_what_the_rows_tell_the_factor_stays():
    factors = fit_interval_factors(standard_normal(3), TARGETS)
    assert factors.coverages[-1] == 0.75
    assert factors.at(0.99) == factors.at(0.75)
    one = fit_interval_factors(standard_normal(1), TARGETS[:1])
    assert one.coverages[-1] == 0.5
    np.testing.assert_allclose(one.at(0.9), 3.0)


def test_every_target_has_its_own_factor_and_between_levels_it_is_interpolated():
    factors = IntervalFactors(np.array([0.5, 0.75]), np.array([[1.0, 4.0], [2.0, 6.0]]))
    np.testing.assert_allclose(factors.at(0.6), [1.4, 4.8], rtol=1e-12)
    both = fit_interval_factors(standard_normal(3, 2), TARGETS * [1.0, 10.0])
    np.testing.assert_allclose(both.at(0.5), [2.0, 20.0], rtol=1e-12)


def test_fresh_rows_are_held_as_often_as_asked_however_wrong_the_mixture():
    """The share held follows a beta law: of 999 rows, 0.9 ± 0.0095; 3.5 of these."""
    rng = np.random.default_rng(0)
    y, fresh = 5 * rng.standard_t(3, (999, 1)), 5 * rng.standard_t(3, (200_000, 1))
    factors = fit_interval_factors(standard_normal(999), y)
    for coverage in (0.3, 0.5, 0.9):
        low, high = factors.interval(standard_normal(len(fresh)), coverage)
        held = ((low <= fresh) & (fresh <= high)).mean()
        deviation = np.sqrt(coverage * (1 - coverage) / 1000)
        assert abs(held - coverage) < 3.5 * deviation


def test_factors_of_one_leave_intervals_as_they_are_to_the_bit():
    rng = np.random.default_rng(0)
    mixture = GaussianMixture(rng.normal(size=(3, 9, 2)), rng.random((3, 9, 2)))
    ends = IntervalFactors.none(2).interval(mixture, 0.8)
    for end, expected in zip(ends, mixture.interval(0.8), strict=True):
        np.testing.assert_array_equal(end, expected)


def test_results_stay_finite_and_in_order():
    shape = (1, 2, 1)
    wide = GaussianMixture(np.zeros(shape), np.full(shape, 1e308))
    for factor in (0.0, 1e12):
        factors = IntervalFactors(np.array([0.5]), np.array([[factor]]))
        for mixture in (wide, standard_normal(2)):
            low, high = factors.interval(mixture, 0.9)
            assert np.isfinite([low, high]).all()
            assert (low <= high).all()
    point = GaussianMixture(np.zeros(shape), np.zeros(shape))
    np.testing.assert_array_equal(factors_needed(point, np.ones((2, 1)), 0.9), 1.0)


def test_many_rows_are_as_good_as_some():
    y = np.random.default_rng(0).standard_normal((30_000, 1))
    factors = fit_interval_factors(standard_normal(30_000), y)
    assert factors.at(0.9)[0] == pytest.approx(1.0, abs=0.05)


def test_where_a_constant_counts_an_interval_is_not_narrowed():
    means, variances = np.zeros((2, 2, 1)), np.ones((2, 2, 1))
    weights = np.array([[1.0, 0.5], [0.0, 0.5]])[..., None]
    mixture = GaussianMixture(means, variances, weights)
    plain = mixture.interval(0.9)[1].ravel()
    half = IntervalFactors(np.array([0.9]), np.array([[0.5]]))
    assert half.interval(mixture, 0.9)[1].ravel() == pytest.approx(plain * [0.5, 1])
    twice = IntervalFactors(np.array([0.9]), np.array([[2.0]]))
    assert twice.interval(mixture, 0.9)[1].ravel() == pytest.approx(plain * 2)


def test_factors_are_found_with_the_weights_that_members_have():
    """A member of weight 0, however wide, changes no factor."""
    means = np.zeros((2, 3, 1))
    variances = np.stack([np.ones((3, 1)), np.full((3, 1), 1e6)])
    weights = np.array([[1.0] * 3, [0.0] * 3])[..., None]
    mixture = GaussianMixture(means, variances, weights)
    factors = fit_interval_factors(mixture, TARGETS)
    np.testing.assert_allclose(factors.at(0.5), 2.0, rtol=1e-9)


def sets_that_need(factors):
    """Sets of ten rows whose 90 % intervals must be wider by these factors."""
    return [(standard_normal(10), np.full((10, 1), k * ndtri(0.95))) for k in factors]


def test_outside_the_factor_is_enough_for_a_new_set():
    """Of 19 sets, a new one needs at most the 18th with probability 18/20."""
    factors = IntervalFactors.none(1).widened(sets_that_need(range(1, 20)))
    assert factors.outside == pytest.approx(18.0)
    np.testing.assert_allclose(factors.at(0.9), 1.0)
    np.testing.assert_allclose(factors.outside_at(0.9), 18.0)


def test_outside_it_is_counted_from_the_factor_inside_and_never_narrows():
    """Inside 2 is needed, outside 5: 2.5 times as much; and .5 inside counts as 1."""
    wide = IntervalFactors(np.array([0.9]), np.array([[2.0]]))
    assert wide.widened(sets_that_need([5])).outside == pytest.approx(2.5)
    narrow = IntervalFactors(np.array([0.9]), np.array([[0.5]]))
    assert narrow.widened(sets_that_need([5])).outside == pytest.approx(5.0)
    assert narrow.widened(sets_that_need([0.7])).outside == 1.0


def test_sets_of_few_rows_do_not_tell():
    few = [(standard_normal(9), np.full((9, 1), 50.0))]
    assert IntervalFactors.none(1).widened(few).outside == 1.0


def test_only_doubted_rows_are_widened():
    weights = np.array([[[0.5], [1.0]], [[0.5], [0.0]]])
    mixture = GaussianMixture(np.zeros((2, 2, 1)), np.ones((2, 2, 1)), weights)
    low, high = IntervalFactors(
        np.array([0.9]), np.array([[1.0]]), outside=3.0
    ).interval(mixture, 0.9)
    half = ndtri(0.95)
    np.testing.assert_allclose(high[:, 0], [3 * half, half], rtol=1e-9)
    np.testing.assert_allclose(low[:, 0], [-3 * half, -half], rtol=1e-9)


def test_widening_ends_where_the_interval_of_the_simple_model_does():
    """Members N(0, 1) or N(0, 100) beside a constant N(1, 4), whose interval is widened
    by 2: from 1 − 4·1.645 to 1 + 4·1.645. The wider members go past that by themselves.
    """
    weights = np.array([[1 - 1e-9] * 2, [1e-9] * 2])[..., None]
    means = np.array([[0.0, 0.0], [1.0, 1.0]])[..., None]
    variances = np.array([[1.0, 100.0], [4.0, 4.0]])[..., None]
    factors = IntervalFactors(np.array([0.9]), np.ones((1, 1)), 5.0, simple=2.0)
    low, high = factors.interval(GaussianMixture(means, variances, weights), 0.9)
    half = ndtri(0.95)
    np.testing.assert_allclose(high[:, 0], [1 + 4 * half, 10 * half], rtol=1e-6)
    np.testing.assert_allclose(low[:, 0], [1 - 4 * half, -10 * half], rtol=1e-6)


def test_a_pickle_of_an_older_version_keeps_its_limit():
    factors = IntervalFactors.none(1)
    state = {**vars(factors), "constant": 2.0}
    del state["simple"]
    again = IntervalFactors.none(1)
    again.__setstate__(state)
    assert again.simple == 2.0


def test_the_interval_of_the_simple_model_has_room_for_a_new_set():
    """The constant needs 3 times its width, and gets half of that more."""
    weights = np.full((2, 10, 1), 0.5)
    variances = np.stack([np.full((10, 1), 1e-12), np.full((10, 1), 4.0)])
    mixture = GaussianMixture(np.zeros((2, 10, 1)), variances, weights)
    targets = np.full((10, 1), 6 * ndtri(0.95))
    factors = IntervalFactors.none(1).widened([(mixture, targets)])
    assert factors.simple == pytest.approx(4.5)
    assert factors.outside > 1
