"""A fitted ensemble as one ONNX graph; needs the extra `onnx`."""

from antireg.onnx_graph.model import ensemble_graph

__all__ = ["ensemble_graph"]
