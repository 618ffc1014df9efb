import numpy as np
import pytest
from scipy.stats import lognorm

from antireg.predictive import GaussianMixture, LogNormalMixture
from antireg.predictive.intervals import IntervalFactors
from antireg.predictive.log_normal import limits_of
from antireg.predictive.values import LARGEST

LOG_2 = np.log(2)


def mixture(means, variances, weights=None):
    shape = (len(means), 1, 1)
    weights = None if weights is None else np.reshape(weights, shape)
    return LogNormalMixture(
        GaussianMixture(np.reshape(means, shape), np.reshape(variances, shape), weights)
    )


def test_moments_match_hand_values():
    # One member: μ = 0, σ² = 2 log 2: its mean is e^(log 2) = 2, its variance is
    # (4 − 1) · 2² = 12. A constant 8 = e^(3 log 2) beside it, with weights ¾ and ¼:
    # mean ¾ · 2 + ¼ · 8 = 3.5; noise ¾ · 12 = 9; apart ¾ · 1.5² + ¼ · 4.5² = 6.75.
    found = mixture([0.0, 3 * LOG_2], [2 * LOG_2, 0.0], [0.75, 0.25])
    assert found.mean[0, 0] == pytest.approx(3.5, rel=1e-12)
    assert found.aleatoric[0, 0] == pytest.approx(9, rel=1e-12)
    assert found.epistemic[0, 0] == pytest.approx(6.75, rel=1e-12)
    assert found.std[0, 0] == pytest.approx(np.sqrt(15.75), rel=1e-12)


def test_one_member_is_the_log_normal_of_scipy():
    found, truth = mixture([0.3], [0.49]), lognorm(0.7, scale=np.exp(0.3))
    y = np.array([[2.5]])
    assert found.mean[0, 0] == pytest.approx(truth.mean(), rel=1e-12)
    assert found.std[0, 0] == pytest.approx(truth.std(), rel=1e-12)
    assert found.cdf(y)[0, 0] == pytest.approx(truth.cdf(2.5), rel=1e-12)
    assert found.log_density(y)[0, 0] == pytest.approx(truth.logpdf(2.5), rel=1e-12)
    assert found.quantile(0.9)[0, 0] == pytest.approx(truth.ppf(0.9), rel=1e-9)
    assert found.interval(0.8)[0][0, 0] == pytest.approx(truth.ppf(0.1), rel=1e-9)


def test_nothing_is_at_or_below_zero():
    found = mixture([0.3], [0.49])
    assert found.cdf([[0.0]])[0, 0] == found.cdf([[-3.0]])[0, 0] == 0
    assert found.log_density([[0.0]])[0, 0] == -LARGEST
    assert found.sample(100, 0).min() > 0


def test_intervals_are_widened_as_those_of_logarithms():
    factors = IntervalFactors(np.array([0.5]), np.array([[2.0]]))
    found = mixture([0.0], [1.0])
    low, high = factors.interval(found, 0.5)
    plain = found.logs.interval(0.5)[1][0, 0]
    assert high[0, 0] == pytest.approx(np.exp(2 * plain), rel=1e-12)
    assert low[0, 0] == pytest.approx(np.exp(-2 * plain), rel=1e-12)


def test_members_that_know_nothing_do_not_decide_the_mean():
    # Training logarithms of mean 0 and deviation ½: μ ≤ 2 and σ² ≤ 1, so e^2.5 at most.
    limits = limits_of(np.zeros(1), np.full(1, 0.5))
    wild = LogNormalMixture(mixture([700.0], [1e6]).logs, limits)
    assert wild.mean[0, 0] == pytest.approx(np.exp(2.5), rel=1e-12)
    assert wild.variance[0, 0] == pytest.approx(np.expm1(1) * np.exp(5), rel=1e-12)
    usual = mixture([0.3], [0.49])
    bounded = LogNormalMixture(usual.logs, limits)
    assert bounded.mean == usual.mean
    assert bounded.std == usual.std


def test_results_are_finite_far_away():
    found = mixture([700.0, -700.0], [1e6, 0.0])
    for value in (found.mean, found.std, found.variance, found.quantile(0.999)):
        assert np.isfinite(value).all()
    assert found.mean[0, 0] == pytest.approx(LARGEST / 2, rel=1e-9)
    assert found.at([0]).weights is None
