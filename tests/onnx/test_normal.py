import numpy as np
import onnxruntime
from scipy.special import ndtr

from antireg.onnx.builder import IR_VERSION, OPSET, Graph
from antireg.onnx.normal import add_normal_cdf
from onnx import TensorProto, helper


def test_the_normal_distribution_has_the_digits_of_a_double():
    graph = Graph()
    z = graph.input("z", TensorProto.DOUBLE, ["rows"])
    graph.output("cdf", add_normal_cdf(graph, z), TensorProto.DOUBLE, ["rows"])
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(
        graph.proto("g"), opset_imports=opsets, ir_version=IR_VERSION
    )
    session = onnxruntime.InferenceSession(model.SerializeToString())
    values = np.concatenate([np.linspace(-8, 8, 10_001), [-1e9, 1e9]])
    (cdf,) = session.run(None, {"z": values})
    np.testing.assert_allclose(cdf, ndtr(values), rtol=1e-14)
