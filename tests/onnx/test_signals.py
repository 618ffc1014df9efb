import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen
from antireg.onnx.builder import Graph
from antireg.onnx.export import to_onnx
from antireg.onnx.signals import SIGNAL_GRAPHS, SeenRows
from onnx import TensorProto
from tests.doubtful_models import regressor
from tests.onnx.running import run

RNG = np.random.default_rng(0)
COLUMNS = np.array([1.0, 10.0, 0.0])
"""How much each differs; the last never does."""


def rows(n_rows):
    inputs = (RNG.normal(size=(n_rows, 3)) * COLUMNS).astype(np.float32)
    return inputs, np.tanh(inputs @ RNG.normal(size=(3, 20)).astype(np.float32))


def graph_of(name, reference, memory):
    graph = Graph()
    inputs = graph.input("inputs", TensorProto.FLOAT, ["rows", 3])
    unsure = graph.input("uncertainty", TensorProto.DOUBLE, ["rows"])
    hidden = graph.input("hidden", TensorProto.FLOAT, ["rows", 20])
    seen = SeenRows(graph, inputs, unsure, hidden)
    found = SIGNAL_GRAPHS[name](seen, reference, memory)
    graph.output("signal", found, TensorProto.DOUBLE, ["rows"])
    return graph


def test_a_signal_without_a_graph_is_refused_by_name(tmp_path, monkeypatch):
    monkeypatch.delitem(SIGNAL_GRAPHS, "density")
    with pytest.raises(ValueError, match="'density' cannot be exported"):
        to_onnx(regressor(), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("n_references", [1, 30, 600])
@pytest.mark.parametrize("name", SIGNAL_GRAPHS)
def test_the_graph_says_what_the_signal_says(name, n_references):
    inputs, hidden = rows(n_references)
    reference = Reference(inputs, np.array([2.0, 0.1, 1.0]), hidden)
    memory = SIGNALS[name].init(reference)
    x, units = rows(40)
    x[:5], units[:5] = inputs[0], hidden[0]  # rows that are there
    x[5:10] *= 1000
    x[10, 2] = 1.0  # where a column never changed
    unsure = RNG.uniform(0.1, 1, size=40)
    expected = SIGNALS[name].score(Seen(x, unsure, units), reference, memory)
    graph = graph_of(name, reference, memory)
    found = run(graph, inputs=x, uncertainty=unsure, hidden=units)["signal"]
    # Distances are differences in float32, beside a floor of 1 % of usual ones.
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
