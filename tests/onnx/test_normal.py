import numpy as np
from scipy.special import ndtr

from antireg.onnx.builder import Graph
from antireg.onnx.normal import add_normal_cdf
from onnx import TensorProto
from tests.onnx.running import run


def test_the_normal_distribution_has_the_digits_of_a_double():
    graph = Graph()
    z = graph.input("z", TensorProto.DOUBLE, ["rows"])
    graph.output("cdf", add_normal_cdf(graph, z), TensorProto.DOUBLE, ["rows"])
    values = np.concatenate([np.linspace(-8, 8, 10_001), [-1e9, 1e9]])
    found = run(graph, z=values)["cdf"]
    # Older versions of the runtime leave a denormal number where others have 0.
    np.testing.assert_allclose(found, ndtr(values), rtol=1e-14, atol=1e-307)
