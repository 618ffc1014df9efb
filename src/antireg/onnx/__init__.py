"""A fitted ensemble as one ONNX graph; the graph needs the extra `onnx`."""

from antireg.onnx import export

__all__ = ["export"]
