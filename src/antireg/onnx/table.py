"""The columns of a table as the features of an ensemble, as a graph."""

from __future__ import annotations

import numpy as np

from antireg.onnx.builder import Graph
from antireg.tables import Column, Encoding
from onnx import TensorProto


def add_columns(graph: Graph, encoding: Encoding) -> tuple[str, str, str]:
    """Add an input, (rows, 1), for each column.

    Returns:
        The features in double precision, (rows, features); which rows have a value
        unlike any in training, (rows,); and the first column that has it, −1 if none
        has, (rows,).
    """
    features: list[str] = []
    strange: dict[int, str] = {}
    for number, column in enumerate(encoding.columns):
        add = _add_category if column.kind == "categorical" else _add_number
        found, odd = add(graph, column)
        features += found
        if odd:
            strange[number] = odd
    never = graph("Less", features[0], features[0])
    place = graph("Sub", graph.cast(never, TensorProto.INT64), _whole(graph, 1))
    for number, where in reversed(strange.items()):
        place = graph("Where", where, _whole(graph, number), place)
    first = graph.squeeze(place, 1)
    any_ = graph("GreaterOrEqual", first, _whole(graph, 0))
    return graph("Concat", *features, axis=1), any_, first


def _whole(graph: Graph, number: int) -> str:
    return graph.constant(number, np.int64)


def _add_number(graph: Graph, column: Column) -> tuple[list[str], str]:
    """Return its features, and which rows miss a value that none missed in training.

    If some missed it, the second is empty.
    """
    values = graph.input(column.name, TensorProto.FLOAT, ["rows", 1])
    missing = graph("IsNaN", values)
    fill = graph.constant([column.fill])
    filled = graph("Where", missing, fill, graph.double(values))
    if column.missing:
        return [filled, graph.double(missing)], ""
    return [filled], missing


def _add_category(graph: Graph, column: Column) -> tuple[list[str], str]:
    """Return its features, and which rows are unseen; an empty string is missing."""
    values = graph.input(column.name, TensorProto.STRING, ["rows", 1])
    known = [*column.categories, *([""] if column.missing else [])]
    equal = graph("Equal", values, graph.constant([known], np.object_))
    ones = graph.double(equal)
    count = graph.over("ReduceSum", ones, [1], keep=True)
    unseen = graph("Less", count, graph.constant(0.5))
    return [ones, graph.double(unseen)], unseen
