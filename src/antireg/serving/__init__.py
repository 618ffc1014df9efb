"""Answers requests over HTTP from an ONNX graph, without PyTorch."""
