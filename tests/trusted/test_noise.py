import numpy as np
import pytest

from antireg.trusted.answers import Answer
from antireg.trusted.noise import Curve, Noise, fit_curve, fit_noise, guard_share


def test_a_curve_matches_hand_values():
    # log σ² is 0 at 1 and log 4 at 3: log 2 half-way, and constant beyond.
    curve = Curve(np.array([1.0, 3.0]), np.log([1.0, 4.0]))
    np.testing.assert_allclose(
        curve(np.array([0.0, 1.0, 2.0, 9.0]), None), [1, 1, 2, 4]
    )
    # With s = ½ and φ² = 1: δ² = 3 gives a factor √(3 + 1) = 2, cut to √9 at the most.
    high = float(np.log(9.0))
    own = Curve(np.array([1.0]), np.zeros(1), 0.5, 1.0, 0.0, high)
    deviation = np.array([np.sqrt(3.0), 100.0])
    np.testing.assert_allclose(own(np.ones(2), deviation), [2, 3])


def test_what_all_rows_have_is_added():
    # ¼ and the variances e^0 and e^(log 4).
    curve = Curve(np.array([1.0, 3.0]), np.log([1.0, 4.0]), common=0.25)
    np.testing.assert_allclose(curve(np.array([1.0, 3.0]), None), [1.25, 4.25])


def test_the_guard_matches_hand_values():
    # 9 (1/ε − 1) / (2 · 90/10) = .05, so 1/ε = 1.1; with a gain of .45 it is 2.
    assert guard_share(0.0, 90) == pytest.approx(1 / 1.1)
    assert guard_share(0.45, 90) == pytest.approx(0.5)
    assert guard_share(-1.0, 90) == guard_share(0.0, 90)  # a loss allows no more


@pytest.mark.parametrize("n_rows", [100, 300, 1000])
def test_one_bad_row_in_a_tenth_where_noise_is_least_is_within_the_bound(n_rows):
    # Half of the rows are exact, and the model knows which: without a guard, their
    # noise would be 1e-6 of the mean, and a row off by 3 σ₀ would cost 4.5 million.
    rng = np.random.default_rng(n_rows)
    exact = np.arange(n_rows) % 2 == 0
    squared = np.where(exact, 0.0, rng.normal(size=n_rows) ** 2)
    deviation, mean = np.where(exact, 0.0, 1.0), np.zeros(n_rows)
    curve = fit_curve(mean, deviation, squared, np.ones(n_rows), 1e-12)
    level, noise = squared.mean(), curve(mean, deviation)
    plain = 0.5 * (squared / level + np.log(level))
    gain = (plain - 0.5 * (squared / noise + np.log(noise))).mean()
    assert gain > 0
    cost = 4.5 * (level / noise.min() - 1) / (n_rows / 10)
    assert cost - gain <= 0.05


def test_more_rows_allow_a_smaller_noise():
    rng = np.random.default_rng(0)
    ratios = []
    for n_rows in (100, 1000, 10000):
        mean = rng.uniform(0, 1, n_rows)
        deviation = np.where(mean < 0.5, 1e-3, 1.0)
        squared = np.square(deviation * rng.normal(size=n_rows))
        curve = fit_curve(mean, deviation, squared, np.ones(n_rows), 1e-12)
        ratios.append(curve(mean, deviation).min() / squared.mean())
    assert ratios[0] > 3 * ratios[1] > 9 * ratios[2]


def test_one_row_of_two_targets_has_two_noises():
    noise = Noise((Curve(np.zeros(1), np.log([4.0])), Curve(np.zeros(1), np.zeros(1))))
    np.testing.assert_allclose(noise(Answer(np.zeros((1, 2)))), [[4.0, 1.0]])


def test_residuals_of_one_size_give_their_square():
    squared, mean = np.full(50, 9.0), np.linspace(0, 1, 50)
    curve = fit_curve(mean, None, squared, np.ones(50), 1e-12)
    np.testing.assert_allclose(curve(mean, None), 9.0, rtol=1e-5)


def test_rows_count_by_their_weight():
    # Only one knot: the weighted mean of 1 and 4 with weights 2 and 1.
    curve = fit_curve(np.zeros(2), None, np.array([1.0, 4.0]), np.array([2.0, 1.0]), 0)
    np.testing.assert_allclose(curve(np.zeros(1), None), 2.0, rtol=1e-5)


def test_noise_that_grows_with_the_prediction_is_found():
    rng = np.random.default_rng(0)
    mean = rng.uniform(0, 4, 4000)
    true = np.exp(mean)
    squared = true * rng.normal(size=4000) ** 2
    curve = fit_curve(mean, None, squared, np.ones(4000), 1e-12)
    # 4000 rows and six numbers: log σ² has a standard error of about √(2 · 6 / 4000).
    away = np.log(curve(mean, None) / true)
    assert np.sqrt(np.square(away).mean()) < 4 * np.sqrt(12 / 4000)


def test_a_deviation_that_says_all_is_followed_and_not_beyond_what_was_seen():
    rng = np.random.default_rng(0)
    deviation = np.exp(rng.uniform(-1, 1, 4000))
    squared = np.square(2 * deviation * rng.normal(size=4000))
    curve = fit_curve(np.zeros(4000), deviation, squared, np.ones(4000), 1e-12)
    assert curve.slope == pytest.approx(1, abs=0.15)
    zero = np.zeros(1)
    assert curve(zero, np.array([1.0])) == pytest.approx(4, rel=0.15)
    largest = np.array([deviation.max()])
    assert curve(zero, 1e6 * largest) == pytest.approx(curve(zero, largest))


def test_a_perfect_model_has_the_least_noise_not_none():
    y = np.ones((20, 1))
    noise = fit_noise(Answer(y), y, np.ones(20), np.array([1e-6]))
    said = noise(Answer(y))
    assert (said > 0).all()
    assert said.max() <= 1e-6
