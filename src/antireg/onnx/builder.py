"""Builds ONNX graphs like expressions: each call returns the name of a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from onnx import GraphProto, NodeProto, TensorProto, helper, numpy_helper

OPSET = 19
IR_VERSION = 9
"""Supported by onnxruntime 1.16 (2023) and later."""


class Graph:
    """A graph under construction: nodes, constants, inputs and outputs."""

    def __init__(self, prefix: str = "v") -> None:
        """Start with nothing; inner names begin with `antireg/` and `prefix`."""
        self.prefix = prefix
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.n_names = 0

    def __call__(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add one node and return the name of its result."""
        return self.several(operator, 1, *inputs, **attributes)[0]

    def several(
        self, operator: str, n_outputs: int, *inputs: str, **attributes: Any
    ) -> list[str]:
        """Add a node with several results and return their names."""
        names = [self._name() for _ in range(n_outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, **attributes))
        return names

    def constant(self, values: ArrayLike, dtype: Any = np.float64) -> str:
        """Add a constant and return its name."""
        array: NDArray[Any] = np.asarray(values, dtype=dtype)
        name = self._name()
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def cast(self, name: str, to: int) -> str:
        """Return the value as another type, a constant of TensorProto."""
        return self("Cast", name, to=to)

    def double(self, name: str) -> str:
        """Return the value in double precision."""
        return self.cast(name, TensorProto.DOUBLE)

    def over(self, operator: str, name: str, axes: Sequence[int], keep: bool) -> str:
        """Return a reduction such as ReduceSum over these axes."""
        where = self.constant(axes, np.int64)
        return self(operator, name, where, keepdims=int(keep))

    def squeeze(self, name: str, axis: int) -> str:
        """Return the value without an axis of length 1."""
        return self("Squeeze", name, self.constant([axis], np.int64))

    def unsqueeze(self, name: str, axis: int) -> str:
        """Return the value with a new axis of length 1."""
        return self("Unsqueeze", name, self.constant([axis], np.int64))

    def input(self, name: str, kind: int, shape: Sequence[Any]) -> str:
        """Declare an input of the graph."""
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name: str, value: str, kind: int, shape: Sequence[Any]) -> None:
        """Declare a value as an output of the graph, under its own name."""
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def proto(self, name: str) -> GraphProto:
        """Return the finished graph."""
        return helper.make_graph(
            self.nodes, name, self.inputs, self.outputs, self.constants
        )

    def _name(self) -> str:
        self.n_names += 1
        return f"antireg/{self.prefix}{self.n_names}"
