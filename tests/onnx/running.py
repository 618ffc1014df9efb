"""Runs pieces of a graph as a service would."""

import onnxruntime

from antireg.onnx.builder import IR_VERSION, OPSET
from onnx import helper


def run(graph, **inputs):
    """Return the outputs of a graph by name."""
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(
        graph.proto("piece"), opset_imports=opsets, ir_version=IR_VERSION
    )
    return run_model(model, **inputs)


def run_model(model, **inputs):
    """Return the outputs of a whole model by name."""
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [value.name for value in session.get_outputs()]
    return dict(zip(names, session.run(None, inputs), strict=True))
