"""The nearest references in one space, as a graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from antireg.familiarity.neighbours import FARTHEST, Space
from antireg.onnx.builder import Graph


class Near(NamedTuple):
    """The nearest references of rows.

    Attributes:
        first: Distance to the nearest, (rows,), in double precision.
        last: Distance to the farthest of those asked for, (rows,).
        places: Whose they are, in no order, (rows, k).
    """

    first: str
    last: str
    places: str


def add_near(graph: Graph, space: Space, rows: str) -> Near:
    """Return what `Space.near` does.

    Args:
        graph: To add to.
        space: The references, which become constants of the graph.
        rows: In that space, (rows, columns), as float.
    """
    n_points = len(space.points)
    k = min(space.k, n_points)
    ends = (graph.constant(end, np.float32) for end in (-FARTHEST, FARTHEST))
    centre = graph.constant(space.centre, np.float32)
    away = graph("Clip", graph("Sub", rows, centre), *ends)
    along = away
    if space.axes is not None:
        along = graph("MatMul", away, graph.constant(space.axes.numpy(), np.float32))
    turned = graph.constant(-2 * space.turned[:, :n_points].numpy(), np.float32)
    squares = graph.constant(space.squares[:n_points].numpy(), np.float32)
    if k == 1:
        found = graph("Gemm", along, turned, squares)
        places = graph("ArgMin", found, axis=1, keepdims=1)
    else:
        n_rows = graph("Shape", along, start=0, end=1)
        found = graph("Gemm", _add_a_row(graph, along, n_rows), turned, squares)
        count, zero = (graph.constant([number], np.int64) for number in (k, 0))
        _, places = graph.several("TopK", 2, found, count, axis=1, largest=0)
        places = graph("Slice", places, zero, n_rows, zero)
    kept = graph.constant(space.kept.numpy(), np.float32)
    apart = graph("Sub", graph("Gather", kept, places), graph.unsqueeze(away, 1))
    summed = graph.over("ReduceSumSquare", apart, [2], keep=False)
    distances = graph.double(graph("Sqrt", summed))
    first = graph.over("ReduceMin", distances, [1], keep=False)
    return Near(first, graph.over("ReduceMax", distances, [1], keep=False), places)


def _add_a_row(graph: Graph, rows: str, n_rows: str) -> str:
    """Return the rows, or one if there are none.

    TopK of no rows ends the process, with onnxruntime up to 1.23.
    """
    missing = graph("Sub", graph.constant([1], np.int64), n_rows)
    missing = graph("Max", missing, graph.constant([0], np.int64))
    before, after = (graph.constant(axes, np.int64) for axes in ([0, 0], [0]))
    return graph("Pad", rows, graph("Concat", before, missing, after, axis=0))
