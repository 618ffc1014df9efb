"""Which column makes a flagged row unfamiliar, as a graph."""

from __future__ import annotations

import numpy as np

from antireg.familiarity.blame import Blame
from antireg.onnx.builder import Graph
from onnx import TensorProto


def add_reason_column(
    graph: Graph,
    blame: Blame,
    inputs: str,
    rarities: str,
    flag: str,
    strange: str | None,
) -> None:
    """Add the index of the column that tells most of each flagged row.

    It is −1 for rows that are not flagged, or where no column tells.

    Args:
        graph: To add to.
        blame: Of the model.
        inputs: As the network sees them, (rows, features), as float.
        rarities: e to the score of each feature alone, (features, rows).
        flag: Which rows are flagged, (rows,).
        strange: Index of the first column with a value that training never had, −1 if
            there is none, (rows,), if there can be such columns.
    """
    places = graph.squeeze(graph("NonZero", flag), 0)
    rows = graph("Gather", inputs, places, axis=0)
    rare = graph("Gather", rarities, places, axis=1)
    found = _add_most_blamed(graph, blame, rows, rare)
    none = graph(
        "Sub", graph.cast(flag, TensorProto.INT64), graph.constant(1, np.int64)
    )
    column = graph("ScatterElements", none, places, found, axis=0)
    if strange is not None:
        new = graph("Less", strange, graph.constant(0, np.int64))
        column = graph("Where", new, column, strange)
    graph.output("reason_column", column, TensorProto.INT64, ["rows"])


def _add_most_blamed(graph: Graph, blame: Blame, rows: str, rare: str) -> str:
    """Return the column with the largest blame, −1 if none has any, (rows,)."""
    n_columns = int(blame.owners[-1]) + 1
    x = graph("Max", rows, graph.constant(blame.low, np.float32))
    x = graph("Min", x, graph.constant(blame.high, np.float32))
    centre = blame.references.mean(axis=0)
    x = graph("Sub", x, graph.constant(centre, np.float32))
    known = blame.references - centre
    squares = graph.constant(np.square(known).sum(axis=1), np.float32)
    references = graph.constant(known, np.float32)
    own = graph.over("ReduceSumSquare", x, [1], keep=True)
    products = graph("MatMul", x, graph.constant(-2 * known.T, np.float32))
    whole = graph("Add", graph("Add", products, squares), own)
    apart, alone = _add_without(graph, blame, x, references, whole, rare)
    last = graph.unsqueeze(graph.over("ReduceMin", whole, [1], keep=False), 0)
    near = graph("Concat", apart, last, axis=0)
    near = graph("Sqrt", graph("Max", graph.double(near), graph.constant(0.0)))
    near = graph("Log", graph("Add", near, graph.constant(blame.floor)))
    near = _add_above(graph, near, blame.usual[:, None], blame.near_scale)
    together = graph("Gather", near, graph.constant([n_columns], np.int64), axis=0)
    near = graph("Min", near, together)
    alone = graph("Log", alone)
    most = graph.over("ReduceMax", alone, [0], keep=True)
    first = graph("ArgMax", alone, axis=0, keepdims=1)
    numbers = graph.constant(np.arange(n_columns)[:, None], np.int64)
    is_most = graph("Equal", numbers, first)
    second = graph("Where", is_most, graph.constant(0.0), alone)
    second = graph.over("ReduceMax", second, [0], keep=True)
    others = graph("Where", is_most, second, most)
    others = graph("Concat", others, most, axis=0)
    others = _add_above(graph, others, blame.middle, blame.scale)
    without = graph("Add", near, others)
    ends = (graph.constant([end], np.int64) for end in (0, n_columns))
    each = graph("Slice", without, *ends, graph.constant([0], np.int64))
    least = graph.over("ReduceMin", each, [0], keep=False)
    best = graph("ArgMin", each, axis=0, keepdims=0)
    all_ = graph("Gather", without, graph.constant(n_columns, np.int64), axis=0)
    tells = graph("Less", least, all_)
    return graph("Where", tells, best, graph.constant(-1, np.int64))


def _add_above(graph: Graph, values: str, middle: object, scale: float) -> str:
    """Return  max(values − middle, 0) / scale."""
    above = graph("Sub", values, graph.constant(middle))  # type: ignore[arg-type]
    above = graph("Max", above, graph.constant(0.0))
    return graph("Div", above, graph.constant(scale))


def _add_without(
    graph: Graph, blame: Blame, x: str, references: str, whole: str, rare: str
) -> tuple[str, str]:
    """Return least squared distances without each column, and its rarity alone.

    Both are (columns, rows): a loop over columns, to bound memory.
    """
    n_columns = int(blame.owners[-1]) + 1
    ends = np.searchsorted(blame.owners, np.arange(n_columns + 1))
    starts = graph.constant(ends[:-1, None], np.int64)
    stops = graph.constant(ends[1:, None], np.int64)
    body = Graph("blame/")
    turn, going = (
        body.input(f"antireg/{body.prefix}{name}", kind, ())
        for name, kind in (("turn", TensorProto.INT64), ("going", TensorProto.BOOL))
    )
    first, last = (body("Gather", side, turn, axis=0) for side in (starts, stops))
    wide, high = (body.constant([axis], np.int64) for axis in (1, 0))
    mine = body("Slice", x, first, last, wide)
    theirs = body("Slice", references, first, last, wide)
    inner = body("MatMul", mine, body("Transpose", theirs, perm=[1, 0]))
    squares = body.over("ReduceSumSquare", theirs, [1], keep=False)
    own = body.over("ReduceSumSquare", mine, [1], keep=True)
    apart = body("Sub", body("Add", squares, own), body("Add", inner, inner))
    left = body.over("ReduceMin", body("Sub", whole, apart), [1], keep=False)
    alone = body("Slice", rare, first, last, high)
    alone = body.over("ReduceMax", alone, [0], keep=False)
    body.output(f"{going}_out", going, TensorProto.BOOL, ())
    body.output(f"antireg/{body.prefix}left", left, TensorProto.FLOAT, (None,))
    body.output(f"antireg/{body.prefix}alone", alone, TensorProto.DOUBLE, (None,))
    turns = graph.constant(n_columns, np.int64)
    always = graph.constant(True, np.bool_)
    loop = body.proto("blame")
    apart, alone = graph.several("Loop", 2, turns, always, body=loop)
    return apart, alone
