import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from antireg.predictive.quantile import (
    _search,
    mixture_quantile,
    normal_cdf,
    standardised,
)


def mixtures(wide):
    """Members from alike to wildly different in place and width, (5, 3000, 1)."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(5, 3000, 1)) * 10 ** rng.uniform(-3, wide, (1, 3000, 1))
    return means, 10 ** rng.uniform(-wide, wide, (5, 3000, 1))


def cdf(y, means, stds):
    return normal_cdf(standardised(y, means, stds)).mean(axis=0)


@pytest.mark.parametrize("wide", [0.3, 2, 6, 100])
def test_it_reaches_the_level_and_floats_below_it_do_not(wide):
    means, stds = mixtures(wide)
    levels = [0.001, 0.05, 0.5, 0.95]
    found = mixture_quantile(means, stds, levels)
    assert found.shape == (4, 3000, 1)
    # The cdf has its own rounding, and where members are narrower than the distance of
    # two floats it jumps: a few floats of room.
    below, above = found, found
    for _ in range(8):
        below, above = np.nextafter(below, -np.inf), np.nextafter(above, np.inf)
    for level, low, high in zip(levels, below, above, strict=True):
        assert np.all(cdf(low, means, stds) <= level + 1e-13)
        assert np.all(cdf(high, means, stds) >= level - 1e-13)


def test_newton_says_what_the_search_float_by_float_says():
    means, stds = mixtures(0.3)
    found = mixture_quantile(means, stds, [0.05])[0]
    searched = _search(means[..., 0], stds[..., 0], np.full(3000, 0.05))[:, None]
    assert np.all(np.abs(found - searched) <= 1e-11 * stds.min(axis=0))


def test_a_plateau_between_members_is_not_taken_for_the_quantile():
    means = np.array([-10.98506729, 0.55786458, -0.15114143, -7.83163917, -3.8568379])
    means, stds = means.reshape(5, 1, 1), np.full((5, 1, 1), 0.00450893)
    found = mixture_quantile(means, stds, [0.5]).item()
    assert found == pytest.approx(-3.8568379, abs=1e-9)  # the third of five


def test_one_member_gives_its_own_quantile():
    found = mixture_quantile(np.array([[[3.0]]]), np.array([[[2.0]]]), [0.9])
    assert found.item() == pytest.approx(3.0 + 2.0 * ndtri(0.9), rel=1e-15)


def test_point_masses_give_one_of_them():
    means, stds = np.array([1.0, 2.0, 3.0]).reshape(3, 1, 1), np.zeros((3, 1, 1))
    found = mixture_quantile(means, stds, [0.1, 0.5, 0.9])
    assert found.ravel().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("wide", [0.3, 6])
def test_rows_do_not_depend_on_their_neighbours(wide):
    means, stds = mixtures(wide)
    alone = [mixture_quantile(means[:, [k]], stds[:, [k]], [0.05]) for k in range(50)]
    together = mixture_quantile(means, stds, [0.05])
    np.testing.assert_array_equal(np.concatenate(alone, axis=1), together[:, :50])


def test_the_normal_cdf_is_that_of_scipy_wherever_a_value_stands():
    z = np.concatenate([np.linspace(-37, 9, 10_001), [-1e300, -np.inf, np.inf, 0.0]])
    found = normal_cdf(z)
    np.testing.assert_allclose(found, ndtr(z), rtol=1e-12)
    assert found[-3:].tolist() == [0.0, 1.0, 0.5]
    alone = np.concatenate([normal_cdf(z[k : k + 1]) for k in range(0, len(z), 10)])
    np.testing.assert_array_equal(alone, found[::10])


@pytest.mark.parametrize("wide", [0.3, 2, 6])
def test_weighted_quantiles_reach_their_level(wide):
    means, stds = mixtures(wide)
    weights = (
        np.random.default_rng(3).dirichlet(np.full(5, 0.3), size=3000).T[..., None]
    )
    levels = [0.001, 0.05, 0.5, 0.95]
    found = mixture_quantile(means, stds, levels, weights)
    below, above = found, found
    for _ in range(8):
        below, above = np.nextafter(below, -np.inf), np.nextafter(above, np.inf)
    for level, low, high in zip(levels, below, above, strict=True):
        low_cdf = (weights * normal_cdf(standardised(low, means, stds))).sum(axis=0)
        high_cdf = (weights * normal_cdf(standardised(high, means, stds))).sum(axis=0)
        assert np.all(low_cdf <= level + 1e-13)
        assert np.all(high_cdf >= level - 1e-13)


def test_weighted_point_masses_give_the_one_that_reaches_the_level():
    means, stds = np.array([1.0, 2.0, 3.0]).reshape(3, 1, 1), np.zeros((3, 1, 1))
    weights = np.array([0.7, 0.05, 0.25]).reshape(3, 1, 1)
    found = mixture_quantile(means, stds, [0.5, 0.72, 0.9], weights)
    assert found.ravel().tolist() == [1.0, 2.0, 3.0]
