"""The continuous ranked probability score, on numbers worked out by hand."""

import numpy as np
import pytest

from antireg.predictive import GaussianMixture
from antireg.predictive.crps import distance, mixture_crps


def test_distance_of_a_standard_normal_is_the_root_of_two_over_pi():
    assert distance(np.zeros(1), np.ones(1)).item() == pytest.approx(0.7978845608)
    assert distance(np.array([-3.0]), np.zeros(1)).item() == 3.0


def test_weighted_point_masses_match_hand_value():
    means = np.array([0.0, 4.0]).reshape(2, 1, 1)
    weights = np.array([0.75, 0.25]).reshape(2, 1, 1)
    mixture = GaussianMixture(means, np.zeros((2, 1, 1)), weights)
    # E|X − 1| = ¾ · 1 + ¼ · 3 = 1.5, E|X − X'| = 2 · ¾ · ¼ · 4 = 1.5
    assert mixture_crps(mixture, np.array([[1.0]])).item() == pytest.approx(0.75)


def test_equal_weights_are_no_weights():
    rng = np.random.default_rng(0)
    means, variances = rng.normal(size=(3, 4, 2)), rng.uniform(0.1, 1, (3, 4, 2))
    y, equal = rng.normal(size=(4, 2)), np.full((3, 4, 1), 1 / 3)
    found = mixture_crps(GaussianMixture(means, variances, equal), y)
    plain = mixture_crps(GaussianMixture(means, variances), y)
    np.testing.assert_allclose(found, plain, rtol=1e-12)
