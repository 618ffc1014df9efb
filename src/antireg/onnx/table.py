"""The columns of a table as the features of an ensemble, as a graph."""

from __future__ import annotations

import numpy as np

from antireg.onnx.builder import Graph
from antireg.tables import Column, Encoding, calendar
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
        found, odd = ADDED[column.kind](graph, column)
        features += found
        if odd:
            strange[number] = odd
    one = graph.over("ReduceMax", features[0], [1], keep=True)  # it may have categories
    never = graph("Less", one, one)
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
    return _filled(graph, column, graph.double(values), missing, [])


def _add_date(graph: Graph, column: Column) -> tuple[list[str], str]:
    """Return the same of a date, given in seconds since 1970, double, NaN if missing.

    In single precision, seconds of today would be minutes.
    """
    seconds = graph.input(column.name, TensorProto.DOUBLE, ["rows", 1])
    days = graph("Div", seconds, graph.constant(calendar.SECONDS))
    after = graph("GreaterOrEqual", days, graph.constant(float(calendar.FIRST_DAY)))
    before = graph("Less", days, graph.constant(calendar.LAST_DAY + 1.0))
    missing = graph("Not", graph("And", after, before))  # NaN is neither
    waves = []
    for period in calendar.periods(column.clock):
        # As NumPy rounds: in a week there are seven values, and no others are known.
        length = graph.constant(period)
        part = graph("Mod", days, length, fmod=1)
        before_1970 = graph("Less", part, graph.constant(0.0))
        part = graph("Where", before_1970, graph("Add", part, length), part)
        angle = graph("Mul", part, graph.constant(2 * np.pi))
        angle = graph("Div", angle, length)
        # Not every runtime has a cosine in double precision.
        ahead = graph("Add", angle, graph.constant(np.pi / 2))
        waves += [graph("Sin", angle), graph("Sin", ahead)]
    nowhere = graph.constant(0.0)
    waves = [graph("Where", missing, nowhere, wave) for wave in waves]
    return _filled(graph, column, days, missing, waves)


def _filled(
    graph: Graph, column: Column, values: str, missing: str, beside: list[str]
) -> tuple[list[str], str]:
    filled = graph("Where", missing, graph.constant([column.fill]), values)
    if column.missing:
        return [filled, *beside, graph.double(missing)], ""
    return [filled, *beside], missing


def _add_category(graph: Graph, column: Column) -> tuple[list[str], str]:
    """Return its features, and which rows are unseen; an empty string is missing."""
    values = graph.input(column.name, TensorProto.STRING, ["rows", 1])
    known = [*column.categories, *([""] if column.missing else [])]
    equal = graph("Equal", values, graph.constant([known], np.object_))
    ones = graph.double(equal)
    count = graph.over("ReduceSum", ones, [1], keep=True)
    unseen = graph("Less", count, graph.constant(0.5))
    return [ones, graph.double(unseen)], unseen


ADDED = {
    "numeric": _add_number,
    "boolean": _add_number,
    "categorical": _add_category,
    "date": _add_date,
}
"""What adds a column of each kind."""
