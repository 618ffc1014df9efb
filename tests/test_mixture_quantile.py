import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from antireg.mixture_quantile import mixture_quantile, normal_cdf, standardised


def mixtures(wide):
    """Members from alike to wildly different in place and width, (5, 3000, 1)."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(5, 3000, 1)) * 10 ** rng.uniform(-3, wide, (1, 3000, 1))
    return means, 10 ** rng.uniform(-wide, wide, (5, 3000, 1))


@pytest.mark.parametrize("wide", [0.3, 6, 100])
@pytest.mark.parametrize("level", [0.001, 0.05, 0.5, 0.95])
def test_it_is_the_least_float_that_reaches_the_level(wide, level):
    means, stds = mixtures(wide)

    def reached(y):
        return normal_cdf(standardised(y, means, stds)).mean(axis=0) >= level

    found = mixture_quantile(means, stds, level)
    assert reached(found).all()
    # The cdf is monotone but for its last digit, hence a few floats of room.
    below = found
    for _ in range(8):
        below = np.nextafter(below, -np.inf)
    assert reached(below).mean() < 0.01


def test_one_member_gives_its_own_quantile():
    found = mixture_quantile(np.array([[[3.0]]]), np.array([[[2.0]]]), 0.9)
    assert found.item() == pytest.approx(3.0 + 2.0 * ndtri(0.9), rel=1e-15)


def test_point_masses_give_one_of_them():
    means, stds = np.array([1.0, 2.0, 3.0]).reshape(3, 1, 1), np.zeros((3, 1, 1))
    found = [mixture_quantile(means, stds, p).item() for p in (0.1, 0.5, 0.9)]
    assert found == [1.0, 2.0, 3.0]


def test_rows_do_not_depend_on_their_neighbours():
    means, stds = mixtures(6)
    alone = [mixture_quantile(means[:, [k]], stds[:, [k]], 0.05) for k in range(50)]
    together = mixture_quantile(means, stds, 0.05)
    np.testing.assert_array_equal(np.concatenate(alone), together[:50])


def test_the_normal_cdf_is_that_of_scipy_wherever_a_value_stands():
    z = np.concatenate([np.linspace(-37, 9, 10_001), [-1e300, -np.inf, np.inf, 0.0]])
    found = normal_cdf(z)
    np.testing.assert_allclose(found, ndtr(z), rtol=1e-12)
    assert found[-3:].tolist() == [0.0, 1.0, 0.5]
    alone = np.concatenate([normal_cdf(z[k : k + 1]) for k in range(0, len(z), 10)])
    np.testing.assert_array_equal(alone, found[::10])
