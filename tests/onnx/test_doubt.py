import numpy as np
import pytest

from antireg.familiarity.doubt import ClassDoubt, Curve, Doubt
from antireg.familiarity.line import Line
from antireg.onnx import doubt as doubt_graph
from antireg.onnx.builder import Graph
from antireg.onnx.doubt import Familiarity, add_doubted_classes, add_doubted_values
from antireg.predictive import ClassProbabilities, GaussianMixture
from onnx import TensorProto
from tests.onnx.running import run

CURVES = {
    "usual": Curve(a=1.0, b=-0.5, start=0.5, end=3.0),
    "never rehearsed as far as held-out rows": Curve(a=2.0, b=1.0, start=1.0, end=0.2),
}
UNFAMILIAR = np.concatenate([np.linspace(0, 5, 50), [100.0, 1e9]])


def familiarity(graph, curve):
    u = graph.input("u", TensorProto.DOUBLE, ["rows"])
    within, weight, share = doubt_graph._add_weight(graph, curve, u)
    return Familiarity(u, within, weight, share)


@pytest.mark.parametrize("curve", CURVES.values(), ids=CURVES)
def test_the_weight_is_that_of_the_curve(curve):
    graph = Graph()
    found = familiarity(graph, curve)
    graph.output("within", found.within, TensorProto.DOUBLE, ["rows"])
    graph.output("weight", found.weight, TensorProto.DOUBLE, ["rows"])
    graph.output("share", found.line_share, TensorProto.DOUBLE, ["rows"])
    said = run(graph, u=UNFAMILIAR)
    np.testing.assert_allclose(said["share"], curve.line_share(UNFAMILIAR), atol=1e-14)
    np.testing.assert_allclose(said["within"], curve.within(UNFAMILIAR), atol=1e-15)
    np.testing.assert_allclose(said["weight"], curve.weight(UNFAMILIAR), atol=1e-14)
    assert said["weight"][0] == 0


LINE = Line(
    np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]]),
    *(np.array(ends) for ends in ([0.5, 1.0], [-2.0, -2.0], [2.0, 3.0], [0.3, 0.2])),
)


def test_the_line_says_the_same():
    x = np.random.default_rng(1).normal(size=(20, 3)).astype(np.float32)
    graph = Graph()
    inputs = graph.input("x", TensorProto.FLOAT, ["rows", 3])
    said = doubt_graph._add_line(graph, LINE, inputs)
    graph.output("line", said, TensorProto.DOUBLE, [2, "rows"])
    np.testing.assert_allclose(run(graph, x=x)["line"].T, LINE(x), atol=1e-14)


@pytest.mark.parametrize("line", [None, LINE], ids=["constant", "line"])
@pytest.mark.parametrize("n_members", [1, 3])
def test_the_fallback_stands_beside_the_members(n_members, line):
    rng = np.random.default_rng(0)
    mean, variance = np.array([3.0, -1.0]), np.array([2.0, 0.5])
    doubt = Doubt(CURVES["usual"], 0.2, -1.0, 0.4, mean, variance, line)
    on_line = None if line is None else rng.normal(size=(len(UNFAMILIAR), 2))
    means = rng.normal(size=(n_members, len(UNFAMILIAR), 2))
    variances = rng.uniform(0.1, 1, size=means.shape)
    expected = doubt(GaussianMixture(means, variances), UNFAMILIAR, on_line)
    graph, given = Graph(), {"u": UNFAMILIAR}
    shape = [n_members, 2, "rows"]
    inputs = [graph.input(name, TensorProto.DOUBLE, shape) for name in ("m", "v")]
    familiar = familiarity(graph, doubt.curve)
    if on_line is not None:
        said = graph.input("l", TensorProto.DOUBLE, [2, "rows"])
        familiar, given["l"] = familiar._replace(on_line=said), on_line.T
    found = add_doubted_values(graph, doubt, *inputs, familiar, n_members)
    names = ("means", "variances", "weights")
    for name, value in zip(names, found, strict=True):
        shape = [len(expected.means), 2, "rows"]
        graph.output(name, value, TensorProto.DOUBLE, shape)
    given |= {"m": means.transpose(0, 2, 1), "v": variances.transpose(0, 2, 1)}
    said = run(graph, **given)
    for name in names:
        values = np.broadcast_to(getattr(expected, name), expected.means.shape)
        np.testing.assert_allclose(
            said[name].transpose(0, 2, 1), values, rtol=1e-12, atol=1e-14
        )


def test_classes_go_to_their_frequencies():
    frequencies = np.array([0.7, 0.2, 0.1])
    doubt = ClassDoubt(CURVES["usual"], frequencies)
    chances = np.random.default_rng(0).dirichlet([1, 1, 1], size=len(UNFAMILIAR))
    graph = Graph()
    p = graph.input("p", TensorProto.DOUBLE, ["rows", 3])
    weight = familiarity(graph, doubt.curve).weight
    mixed = add_doubted_classes(graph, frequencies, p, weight)
    graph.output("mixed", mixed, TensorProto.DOUBLE, ["rows", 3])
    said = run(graph, p=chances, u=UNFAMILIAR)["mixed"]
    expected = doubt(ClassProbabilities(chances[None]), UNFAMILIAR).mean
    np.testing.assert_allclose(said, expected, atol=1e-14)
    np.testing.assert_allclose(said[-1], frequencies, atol=1e-12)
