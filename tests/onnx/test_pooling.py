import numpy as np
import pytest

from antireg.onnx.builder import Graph
from antireg.onnx.pooling import (
    add_calmed,
    add_median,
    add_moved_inside,
    add_pooled,
    add_pulled_in,
)
from antireg.predictive import pooling
from onnx import TensorProto
from tests.onnx import running


def run(build, values):
    graph = Graph()
    name = graph.input("values", TensorProto.DOUBLE, list(values.shape))
    graph.output("found", build(graph, name), TensorProto.DOUBLE, None)
    return running.run(graph, values=values)["found"]


def wild(n_members):
    """Members of which one in ten is far off."""
    rng = np.random.default_rng(n_members)
    values = rng.normal(size=(n_members, 200, 2))
    return np.where(rng.random(values.shape) < 0.1, 1e6 * values, values)


@pytest.mark.parametrize("n_members", [1, 2, 3, 4, 5, 8])
def test_members_are_pulled_in_as_in_python(n_members):
    values = wild(n_members)

    def build(graph, name):
        return add_pulled_in(graph, name, graph.constant(0.5), n_members)

    # Sums of two numbers and a root: a few roundings of 1e-16 each.
    expected = pooling.pulled_in(values, 0.5)
    np.testing.assert_allclose(run(build, values), expected, rtol=1e-14)


@pytest.mark.parametrize("n_members", [1, 4, 5])
def test_the_median_is_the_same(n_members):
    values = wild(n_members)
    found = run(lambda graph, name: add_median(graph, name, n_members), values)
    np.testing.assert_allclose(found[0], pooling.median(values), rtol=1e-15)


def test_means_are_moved_as_in_python():
    values = wild(5)
    low, high = np.array([-1.0, 0.0]), np.array([1.0, 5.0])

    def build(graph, name):
        return add_moved_inside(graph, name, graph.constant(low), graph.constant(high))

    # The mean of five up to 4e6 is rounded to 1e-9 of a unit.
    expected = pooling.moved_inside(values, low, high)
    np.testing.assert_allclose(run(build, values), expected, rtol=1e-12, atol=1e-8)


@pytest.mark.parametrize("n_members", [2, 4, 5])
@pytest.mark.parametrize("part", [0, 1])
def test_mixtures_are_calmed_as_in_python(n_members, part):
    values = wild(n_members)

    def build(graph, name):
        variances = graph("Mul", name, name)
        return add_calmed(graph, name, variances, n_members)[part]

    expected = pooling.calmed(values, np.square(values))[part]
    np.testing.assert_allclose(run(build, values), expected, rtol=1e-14)


@pytest.mark.parametrize("n_members", [2, 5])
@pytest.mark.parametrize("centred", [False, True])
def test_mixtures_are_pooled_as_in_python(n_members, centred):
    means = wild((1 + centred) * n_members).swapaxes(1, 2)  # (all, outputs, rows)
    allowed = np.array([[-2.0, -1.0], [2.0, 3.0]])

    def build(graph, name):
        variances = graph("Abs", name)
        parts = [(name, variances)]
        if centred:
            split = [
                graph.several("Split", 2, part, axis=0, num_outputs=2)
                for part in (name, variances)
            ]
            parts = list(zip(*split, strict=True))
        centre = parts[1] if centred else None
        return add_pooled(graph, parts[0], centre, n_members, allowed)[0]

    given = means.swapaxes(1, 2), np.abs(means).swapaxes(1, 2)
    expected, _ = pooling.pooled(*given, n_members, allowed)
    # The mean of up to five numbers up to 4e6 is rounded to 1e-9 of a unit.
    found = run(build, means).swapaxes(1, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-8)
