import numpy as np
import pytest

from antireg.familiarity.neighbours import Space
from antireg.onnx.builder import Graph
from antireg.onnx.neighbours import add_near
from onnx import TensorProto
from tests.onnx.running import run


@pytest.mark.parametrize("k", [1, 3, 50])
@pytest.mark.parametrize("n_columns", [2, 70])
def test_the_same_references_are_found(k, n_columns):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, n_columns)).astype(np.float32) + 5
    rows = (5 + rng.normal(size=(30, n_columns)) * 3).astype(np.float32)
    rows[0], rows[1], rows[2] = points[7], 1e30, -1e16
    space = Space(points, k)
    graph = Graph()
    x = graph.input("x", TensorProto.FLOAT, ["rows", n_columns])
    near = add_near(graph, space, x)
    for name in ("first", "last"):
        graph.output(name, getattr(near, name), TensorProto.DOUBLE, ["rows"])
    graph.output("places", near.places, TensorProto.INT64, ["rows", "k"])
    found = run(graph, x=rows)
    distances, places = space.near(rows)
    # Differences of numbers up to 10 are rounded to 2^-24 of them.
    np.testing.assert_allclose(found["first"], distances[:, 0], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found["last"], distances[:, -1], rtol=1e-5, atol=1e-5)
    # So far away that all references are at one distance, any of them is right.
    order = np.sort(found["places"], axis=1)
    near_rows = [0, *range(3, 30)]
    np.testing.assert_array_equal(order[near_rows], np.sort(places)[near_rows])
    none = run(graph, x=rows[:0])
    assert none["first"].shape == none["last"].shape == (0,)
    assert none["places"].shape == (0, min(k, 40))
