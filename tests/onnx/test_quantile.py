import numpy as np
import pytest

from antireg.onnx.builder import Graph
from antireg.onnx.quantile import add_quantiles
from antireg.predictive import GaussianMixture
from onnx import TensorProto
from tests.onnx.running import run


def quantiles(means, stds, levels, **weights):
    """Return what onnxruntime finds for (members, columns), (levels, columns)."""
    graph = Graph()
    shape = [len(means), "columns"]
    values = {"means": means, "stds": stds} | weights
    given = {name: graph.input(name, TensorProto.DOUBLE, shape) for name in values}
    for place, value in enumerate(add_quantiles(graph, levels=levels, **given)):
        graph.output(f"q{place}", value, TensorProto.DOUBLE, ["columns"])
    return np.stack(list(run(graph, **values).values()))


def assert_quantiles(means, stds, levels, **weights):
    """Compare values; where they differ, both must have the level to the last digit."""
    found = quantiles(means, stds, levels, **weights)
    given = {name: values[..., None] for name, values in weights.items()}
    mixture = GaussianMixture(means[..., None], stds[..., None] ** 2, **given)
    expected = mixture.quantile(levels)[..., 0]
    assert np.isfinite(found).all()
    near = np.abs(found - expected) <= 2e-5 * np.abs(expected) + 1e-6 * stds.min(0)
    reached = np.stack([mixture.cdf(values[:, None])[:, 0] for values in found])
    error = np.abs(reached - np.reshape(levels, (-1, 1)))
    assert error[~near].max(initial=0.0) < 1e-15
    return near


def test_one_member_has_its_own_quantiles():
    found = quantiles(np.array([[3.0]]), np.array([[2.0]]), [0.05, 0.5])
    np.testing.assert_allclose(
        found[:, 0], [3 - 2 * 1.6448536269514722, 3.0], rtol=1e-7
    )


def test_two_far_members_have_the_quantiles_of_each():
    found = quantiles(np.array([[0.0], [100.0]]), np.ones((2, 1)), [0.25, 0.75])
    np.testing.assert_allclose(found[:, 0], [0.0, 100.0], atol=1e-6)


@pytest.mark.parametrize("levels", [(0.05, 0.95), (0.025, 0.975)])
def test_members_of_like_width_are_searched_to_the_digits_asked(levels):
    rng = np.random.default_rng(0)
    means = rng.normal(size=(5, 2000)) * 10 ** rng.uniform(-2, 1, size=2000)
    stds = np.exp(0.5 * rng.normal(size=(5, 2000)))
    assert assert_quantiles(means, stds, levels).all()


@pytest.mark.parametrize("members", [2, 5, 20])
@pytest.mark.parametrize("coverage", [0.6, 0.8, 0.9])
def test_members_of_any_width_have_the_level(members, coverage):
    rng = np.random.default_rng(members)
    stds = 10 ** rng.uniform(-3, 9, size=(members, 1000))
    means = rng.normal(size=(members, 1000)) * stds[::-1]
    levels = ((1 - coverage) / 2, (1 + coverage) / 2)
    assert assert_quantiles(means, stds, levels).mean() > 0.95


@pytest.mark.parametrize("width", [1e2, 1e4, 1e8, 1e16, 1e60, 1e130])
def test_one_wide_member_makes_the_cdf_flat_at_a_tenth(width):
    """Half of one member in five is below 0.1, and the other four are yet to come."""
    means = np.random.default_rng(1).normal(size=(5, 500))
    stds = np.ones((5, 500))
    stds[0] = width
    near = assert_quantiles(means, stds, (0.1, 0.9))
    assert near.all() or width > 1e8


def test_a_gap_between_members_is_crossed_by_the_level_it_holds():
    """At 0.2 of five the cdf is flat to the last digit from the first on."""
    means = np.array([[0.0], [1e3], [2e3], [3e3], [4e3]])
    (found,) = quantiles(means, np.ones((5, 1)), [0.2])
    assert 7.5 < found[0] < 992.5


def test_no_columns_are_no_quantiles():
    assert quantiles(np.ones((3, 0)), np.ones((3, 0)), [0.1, 0.9]).shape == (2, 0)


def test_weights_of_members_are_those_of_the_mixture():
    rng = np.random.default_rng(1)
    means, stds = rng.normal(size=(4, 500)), np.exp(rng.normal(size=(4, 500)))
    weights = rng.dirichlet(np.ones(4), size=500).T
    weights[:, :100] = np.array([[0.5], [0.5], [0.0], [0.0]])
    weights[:, 100:200] = np.array([[0.0], [0.0], [0.0], [1.0]])
    assert assert_quantiles(means, stds, [0.05, 0.9], weights=weights).all()


def test_a_member_without_weight_counts_for_nothing():
    means, stds = np.array([[3.0], [1e6]]), np.array([[2.0], [5.0]])
    found = quantiles(means, stds, [0.05, 0.5], weights=np.array([[1.0], [0.0]]))
    np.testing.assert_allclose(
        found[:, 0], [3 - 2 * 1.6448536269514722, 3.0], rtol=1e-7
    )
