"""The mixture and the class probabilities, on numbers worked out by hand."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from antireg.predictive import GaussianMixture
from antireg.predictive.values import LARGEST


def one_row(means, variances):
    """Return a mixture of one row and one output."""
    shape = (-1, 1, 1)
    return GaussianMixture(np.reshape(means, shape), np.reshape(variances, shape))


def random_mixture(n_members=5, n_rows=200, n_outputs=2, seed=0):
    rng = np.random.default_rng(seed)
    shape = (n_members, n_rows, n_outputs)
    return GaussianMixture(rng.normal(size=shape), rng.uniform(0.1, 2, size=shape))


def test_moments_match_hand_values():
    mixture = one_row([1.0, 3.0], [0.5, 1.5])
    assert mixture.mean.item() == 2.0
    assert mixture.aleatoric.item() == 1.0  # (0.5 + 1.5) / 2
    assert mixture.epistemic.item() == 1.0  # ((1 − 2)² + (3 − 2)²) / 2
    assert mixture.variance.item() == 2.0
    assert mixture.std.item() == pytest.approx(1.41421356)


def test_moments_have_rows_and_outputs():
    mixture = random_mixture(n_members=3, n_rows=4, n_outputs=2)
    for name in ("mean", "variance", "std", "aleatoric", "epistemic"):
        assert getattr(mixture, name).shape == (4, 2)


def test_one_member_is_exactly_its_own_gaussian():
    rng = np.random.default_rng(0)
    mu, var = rng.normal(size=(1, 9, 2)) * 1e3, rng.uniform(1e-9, 9, size=(1, 9, 2))
    mixture = GaussianMixture(mu, var)
    np.testing.assert_array_equal(mixture.mean, mu[0])
    np.testing.assert_array_equal(mixture.variance, var[0])
    np.testing.assert_array_equal(mixture.std, np.sqrt(var[0]))
    np.testing.assert_array_equal(
        mixture.quantile(0.9), (mu + ndtri(0.9) * var**0.5)[0]
    )


@pytest.mark.parametrize("n_members", [2, 3, 7, 10])
def test_members_that_agree_have_no_epistemic_variance(n_members):
    mixture = one_row([0.1] * n_members, [1.0] * n_members)
    assert mixture.mean.item() == 0.1
    assert mixture.epistemic.item() == 0.0


def test_variance_keeps_its_digits_beside_large_means():
    mixture = one_row([1e9 + 1, 1e9 + 2, 1e9 + 3], [1e-3] * 3)
    # 1, 2, 3 have variance 2/3; the squares, 1e18, would not hold a digit of it.
    assert mixture.epistemic.item() == pytest.approx(2 / 3, rel=1e-12)
    assert mixture.variance.item() == pytest.approx(2 / 3 + 1e-3, rel=1e-12)


@pytest.mark.parametrize(
    ("means", "variances"),
    [
        ([1e200, -1e200, 1e200], [1.0, 1.0, 1.0]),
        ([1e308, -1e308, 1e308], [1e308, 1e308, 1e308]),
        ([np.inf, -np.inf, -np.inf], [np.inf, 0.0, 1.0]),
        ([LARGEST] * 7, [LARGEST] * 7),
    ],
)
def test_overflow_gives_large_finite_numbers(means, variances):
    mixture = one_row(means, variances)
    for name in ("mean", "variance", "std", "aleatoric", "epistemic"):
        assert np.isfinite(getattr(mixture, name)).all(), name
    assert mixture.std.item() > 1e150
    assert np.isfinite(mixture.quantile([1e-9, 0.5, 1 - 1e-9])).all()
    assert np.isfinite(mixture.sample(5, 0)).all()
    assert 0 <= mixture.cdf([[0.0]]).item() <= 1


def test_huge_variances_average_to_themselves():
    assert one_row([0.0] * 5, [1e308] * 5).aleatoric.item() == pytest.approx(1e308)


def test_cdf_matches_hand_value():
    # ½ Φ((1 − 0)/1) + ½ Φ((1 − 2)/2) = ½ (0.8413447 + 0.3085375)
    assert one_row([0.0, 2.0], [1.0, 4.0]).cdf([[1.0]]).item() == pytest.approx(
        0.5749411
    )


def test_cdf_jumps_at_a_point_mass():
    mixture = one_row([0.0, 1.0], [0.0, 0.0])
    for y, expected in [(-1e-9, 0.0), (0.0, 0.5), (0.5, 0.5), (1.0, 1.0)]:
        assert mixture.cdf([[y]]).item() == expected


def test_log_density_matches_hand_value():
    # At 0: ½ · 0.3989423 + ½ · 0.3989423 · e^(−2) = 0.2264664, and log of it
    mixture = one_row([0.0, 2.0], [1.0, 1.0])
    assert mixture.log_density([[0.0]]).item() == pytest.approx(
        np.log(0.2264664), rel=1e-6
    )


def test_log_density_far_away_is_very_low_but_finite():
    mixture = one_row([0.0, 1.0], [1e-300, 1e-300])
    assert -np.inf < mixture.log_density([[1e200]]).item() < -1e300


def test_density_integrates_to_one():
    grid = np.linspace(-20, 20, 4001)[:, None]
    means = np.broadcast_to(np.array([-3.0, 1.0])[:, None, None], (2, 4001, 1))
    variances = np.broadcast_to(np.array([0.2, 2.0])[:, None, None], (2, 4001, 1))
    density = np.exp(GaussianMixture(means, variances).log_density(grid))
    assert density.sum() * 0.01 == pytest.approx(1.0, abs=1e-9)


def test_quantile_matches_hand_values():
    mixture = one_row([-1.0, 1.0], [1.0, 1.0])
    assert mixture.quantile(0.5).item() == pytest.approx(0.0, abs=1e-15)  # by symmetry
    # Two narrow, distant members: the 25 % quantile of the mixture is the median of
    # the lower, the 75 % quantile that of the upper.
    apart = one_row([-100.0, 100.0], [1.0, 4.0])
    assert apart.quantile([0.25, 0.75]).ravel() == pytest.approx([-100.0, 100.0])


@pytest.mark.parametrize("level", [1e-12, 0.01, 0.3, 0.5, 0.975, 1 - 1e-9])
def test_cdf_of_the_quantile_is_the_level(level):
    mixture = random_mixture()
    np.testing.assert_allclose(
        mixture.cdf(mixture.quantile(level)), level, rtol=1e-13, atol=0
    )


@pytest.mark.parametrize("seed", range(3))
def test_quantile_is_exact_among_wildly_different_scales(seed):
    rng = np.random.default_rng(seed)
    shape = (6, 300, 1)
    means = rng.choice([-1, 1], shape) * 10.0 ** rng.uniform(-100, 100, shape)
    variances = 10.0 ** rng.uniform(-200, 200, shape)
    mixture = GaussianMixture(means, variances)
    for level in (0.05, 0.5, 0.9):
        found = mixture.quantile(level)
        # The least float whose cdf reaches the level: the one before it does not.
        assert (mixture.cdf(found) >= level - 1e-15).all()
        assert (mixture.cdf(np.nextafter(found, -np.inf)) <= level + 1e-15).all()


def test_quantile_of_point_masses_is_the_least_value_that_reaches_the_level():
    mixture = one_row(np.arange(10.0), np.zeros(10))
    levels = [0.05, 0.1, 0.11, 0.5, 0.9, 0.91]
    assert mixture.quantile(levels).ravel().tolist() == [0, 0, 1, 4, 8, 9]


def test_quantile_lands_on_a_point_mass_inside_a_gaussian():
    # The mass at 0 lifts the cdf from ¼ to ¾: every level in between is met at 0.
    mixture = one_row([0.0, 0.0], [0.0, 1.0])
    assert mixture.quantile([0.3, 0.5, 0.7]).ravel().tolist() == [0.0, 0.0, 0.0]
    assert mixture.quantile(0.1).item() == pytest.approx(ndtri(0.2))


def test_quantiles_of_several_levels_come_first():
    mixture = random_mixture(n_rows=4, n_outputs=3)
    levels = mixture.quantile([0.1, 0.5, 0.9])
    assert levels.shape == (3, 4, 3)
    np.testing.assert_array_equal(levels[1], mixture.quantile(0.5))
    assert (np.diff(levels, axis=0) > 0).all()


def test_interval_is_central():
    mixture = random_mixture()
    low, high = mixture.interval(0.9)
    np.testing.assert_allclose(mixture.cdf(low), 0.05, rtol=1e-12)
    np.testing.assert_allclose(mixture.cdf(high), 0.95, rtol=1e-12)


def test_samples_follow_the_mixture():
    mixture = one_row([-2.0, 2.0], [0.25, 1.0])
    draws = mixture.sample(20_000, random_state=0)
    assert draws.shape == (20_000, 1, 1)
    assert draws.mean() == pytest.approx(mixture.mean.item(), abs=0.06)
    assert draws.var() == pytest.approx(mixture.variance.item(), rel=0.03)
    assert (draws < -2).mean() == pytest.approx(mixture.cdf([[-2.0]]).item(), abs=0.01)


def test_a_sample_takes_all_outputs_of_a_row_from_one_member():
    means = np.array([[[0.0, 0.0]], [[100.0, 100.0]]])
    draws = GaussianMixture(means, np.ones_like(means)).sample(50, random_state=0)
    assert (np.abs(draws[..., 0] - draws[..., 1]) < 50).all()


def test_same_seed_gives_the_same_samples():
    mixture = random_mixture()
    np.testing.assert_array_equal(mixture.sample(3, 7), mixture.sample(3, 7))
    assert (mixture.sample(3, 7) != mixture.sample(3, 8)).any()


def test_float32_members_are_held_as_float64():
    mixture = GaussianMixture(np.zeros((2, 3, 1), np.float32), np.ones((2, 3, 1)))
    assert mixture.means.dtype == mixture.std.dtype == np.float64


@pytest.mark.parametrize(
    ("means", "variances", "message"),
    [
        (
            np.zeros((3, 1)),
            np.ones((3, 1)),
            r"means must be \(members, rows, outputs\)",
        ),
        (np.zeros((0, 3, 1)), np.ones((0, 3, 1)), "means must be"),
        (np.zeros((2, 3, 1)), np.ones((2, 3, 2)), "shape of means"),
        (
            np.zeros((2, 3, 1)),
            -np.ones((2, 3, 1)),
            "variances must be 0 or more, got -1",
        ),
        (
            np.full((2, 3, 1), np.nan),
            np.ones((2, 3, 1)),
            "means must not hold NaN, got 6",
        ),
    ],
)
def test_unusable_members_are_refused(means, variances, message):
    with pytest.raises(ValueError, match=message):
        GaussianMixture(means, variances)


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, np.nan, [], [0.5, 1.0], [[0.5]]])
def test_levels_outside_0_and_1_are_refused(level):
    with pytest.raises(ValueError, match="level must be"):
        random_mixture().quantile(level)


@pytest.mark.parametrize("coverage", [0, 1, 95])
def test_coverage_outside_0_and_1_is_refused(coverage):
    with pytest.raises(ValueError, match="coverage must be strictly between 0 and 1"):
        random_mixture().interval(coverage)


def test_targets_of_another_shape_are_refused_not_broadcast():
    mixture = random_mixture(n_rows=4, n_outputs=1)
    for y in (np.zeros(4), 0.0, np.full((4, 1), np.nan)):
        with pytest.raises(ValueError, match="y must be"):
            mixture.cdf(y)
        with pytest.raises(ValueError, match="y must be"):
            mixture.log_density(y)


def test_a_point_mass_has_no_density():
    with pytest.raises(ValueError, match="variances must be above 0 here, got 0"):
        one_row([0.0, 1.0], [0.0, 1.0]).log_density([[0.0]])


def test_results_are_frozen():
    with pytest.raises(AttributeError):
        random_mixture().means = np.zeros((1, 1, 1))


def test_member_cdf_is_the_normal_one():
    assert one_row([1.0], [4.0]).cdf([[3.0]]).item() == pytest.approx(ndtr(1.0))


def weighted(means, variances, weights):
    shape = (-1, 1, 1)
    parts = (np.reshape(values, shape) for values in (means, variances, weights))
    return GaussianMixture(*parts)


def test_weighted_moments_match_hand_values():
    mixture = weighted([1.0, 5.0], [0.5, 2.5], [0.75, 0.25])
    assert mixture.mean.item() == pytest.approx(2.0)  # ¾ · 1 + ¼ · 5
    assert mixture.aleatoric.item() == pytest.approx(1.0)  # ¾ · ½ + ¼ · 2½
    assert mixture.epistemic.item() == pytest.approx(3.0)  # ¾ · 1 + ¼ · 9
    assert mixture.variance.item() == pytest.approx(4.0)


def test_weighted_cdf_and_density_match_hand_values():
    mixture = weighted([0.0, 2.0], [1.0, 4.0], [0.9, 0.1])
    # .9 Φ(1) + .1 Φ(−½)
    assert mixture.cdf([[1.0]]).item() == pytest.approx(
        0.9 * 0.84134475 + 0.1 * 0.30853754
    )
    # .9 φ(1) + .1 φ(½)/2 = .9 · .24197072 + .05 · .35206533
    expected = np.log(0.21777365 + 0.01760327)
    assert mixture.log_density([[1.0]]).item() == pytest.approx(expected, rel=1e-6)


def test_a_member_of_no_weight_is_not_there():
    rng = np.random.default_rng(1)
    means, variances = rng.normal(size=(3, 50, 2)), rng.uniform(0.1, 2, (3, 50, 2))
    weights = np.zeros((3, 50, 1))
    weights[:2] = 0.5
    found = GaussianMixture(means, variances, weights)
    alone = GaussianMixture(means[:2], variances[:2])
    y = rng.normal(size=(50, 2))
    for name in ("mean", "variance", "aleatoric", "epistemic"):
        np.testing.assert_allclose(getattr(found, name), getattr(alone, name))
    np.testing.assert_allclose(found.cdf(y), alone.cdf(y))
    np.testing.assert_allclose(found.log_density(y), alone.log_density(y))
    np.testing.assert_allclose(
        found.quantile([0.05, 0.5, 0.99]), alone.quantile([0.05, 0.5, 0.99])
    )
    assert set(np.abs(found.sample(200, 0) - means[2]).min(axis=(0, 2)) == 0) == {False}


def test_draws_take_members_by_their_weight():
    mixture = weighted([0.0, 10.0, 20.0], [0.0, 0.0, 0.0], [0.2, 0.7, 0.1])
    drawn = mixture.sample(20_000, 0).ravel()
    shares = [(drawn == value).mean() for value in (0.0, 10.0, 20.0)]
    # Five standard deviations of a share of 20,000 draws.
    np.testing.assert_allclose(shares, [0.2, 0.7, 0.1], atol=5 * 0.5 / 20_000**0.5)


def test_some_rows_of_a_mixture_keep_their_weights():
    rng = np.random.default_rng(2)
    weights = rng.dirichlet(np.ones(3), size=6).T[..., None]
    mixture = GaussianMixture(rng.normal(size=(3, 6, 1)), np.ones((3, 6, 1)), weights)
    np.testing.assert_array_equal(mixture.at([1, 4]).weights, weights[:, [1, 4]])
    np.testing.assert_array_equal(mixture.at([1, 4]).mean, mixture.mean[[1, 4]])


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([0.5, 0.4], "sum to 1"),
        ([1.5, -0.5], "0 or more"),
        ([1.0], r"must be \(2, 1, 1\)"),
    ],
)
def test_weights_that_are_none_are_refused(weights, words):
    with pytest.raises(ValueError, match=words):
        GaussianMixture(
            np.zeros((2, 1, 1)), np.ones((2, 1, 1)), np.reshape(weights, (-1, 1, 1))
        )
