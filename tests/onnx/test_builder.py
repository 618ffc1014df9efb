import numpy as np

from antireg.onnx.builder import Graph
from onnx import TensorProto
from tests.onnx.running import run


def test_an_expression_is_run_as_it_is_written():
    graph = Graph()
    x = graph.input("x", TensorProto.DOUBLE, ["rows", 2])
    graph.output(
        "y", graph("Add", x, graph.constant([1.0, 2.0])), TensorProto.DOUBLE, None
    )
    found = run(graph, x=np.array([[10.0, 20.0], [0.0, 0.0]]))
    assert found["y"].tolist() == [[11.0, 22.0], [1.0, 2.0]]


def test_a_value_can_be_reduced_and_lose_and_gain_axes():
    graph = Graph()
    x = graph.input("x", TensorProto.DOUBLE, [2, 3])
    total = graph.over("ReduceSum", x, [1], keep=True)
    ends = {
        "kept": total,
        "squeezed": graph.squeeze(total, 1),
        "unsqueezed": graph.unsqueeze(x, 0),
        "mean": graph.over("ReduceMean", x, [0, 1], keep=False),
    }
    for name, value in ends.items():
        graph.output(name, value, TensorProto.DOUBLE, None)
    found = run(graph, x=np.arange(6.0).reshape(2, 3))
    assert found["kept"].tolist() == [[3.0], [12.0]]
    assert found["squeezed"].tolist() == [3.0, 12.0]
    assert found["unsqueezed"].shape == (1, 2, 3)
    assert found["mean"] == 2.5


def test_a_node_may_have_several_results():
    graph = Graph()
    x = graph.input("x", TensorProto.DOUBLE, ["rows", 4])
    halves = graph.several("Split", 2, x, axis=1, num_outputs=2)
    for name, value in zip(("left", "right"), halves, strict=True):
        graph.output(name, value, TensorProto.DOUBLE, None)
    found = run(graph, x=np.array([[1.0, 2.0, 3.0, 4.0]]))
    assert (found["left"].tolist(), found["right"].tolist()) == ([[1, 2]], [[3, 4]])


def test_types_are_those_asked_for():
    graph = Graph()
    x = graph.input("x", TensorProto.FLOAT, ["rows"])
    graph.output("double", graph.double(x), TensorProto.DOUBLE, None)
    graph.output("whole", graph.cast(x, TensorProto.INT64), TensorProto.INT64, None)
    words = graph.constant(["a", "b"], np.object_)
    graph.output("words", words, TensorProto.STRING, None)
    found = run(graph, x=np.float32([1.5]))
    assert found["double"].dtype == np.float64
    assert found["whole"].tolist() == [1]
    assert found["words"].tolist() == ["a", "b"]


def test_inner_names_differ_and_are_no_name_of_a_column():
    graph, inner = Graph(), Graph("loop")
    made = [graph.constant(0.0), graph("Identity", graph.constant(1.0))]
    made += [graph.constant(2.0), inner.constant(0.0)]
    assert len(set(made)) == 4
    assert all(name.startswith("antireg/") for name in made)
