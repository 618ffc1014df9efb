"""The signals of rows, as a graph: one function for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from antireg.familiarity.columns import SLACK, largest_distances, neighbours
from antireg.familiarity.neighbours import Space
from antireg.familiarity.signal import SHORTEST, Memory, Reference
from antireg.onnx.builder import Graph
from antireg.onnx.neighbours import Near, add_near
from onnx import TensorProto


@dataclass(frozen=True, eq=False)
class SeenRows:
    """Names of the values by which rows are compared, as those of `Seen`.

    Attributes:
        graph: They are of.
        inputs: As the network sees them, (rows, columns), as float.
        uncertainty: (rows,), in double precision.
        hidden: What enters the last layer, (rows, units), as float; None if nothing.
    """

    graph: Graph
    inputs: str
    uncertainty: str
    hidden: str | None
    _found: dict[Space, Near] = field(default_factory=dict, init=False)
    _rare: dict[int, str] = field(default_factory=dict, init=False)

    def near(self, space: Space, rows: str) -> Near:
        """Return the nearest references of these rows, searched for once."""
        if space not in self._found:
            self._found[space] = add_near(self.graph, space, rows)
        return self._found[space]

    def rarities(self, memory: Memory) -> str:
        """Return e to the score of each column, (columns, rows), computed once."""
        if id(memory) not in self._rare:
            self._rare[id(memory)] = _add_rarities(self, memory)
        return self._rare[id(memory)]


def add_nearest(rows: SeenRows, reference: Reference, memory: Memory) -> str:
    """Return the signal `nearest`, (rows,)."""
    near = rows.near(reference.by_inputs, rows.inputs)
    return _add_log(rows.graph, near.first, memory)


def add_density(rows: SeenRows, reference: Reference, memory: Memory) -> str:
    """Return the signal `density`, (rows,)."""
    graph, near = rows.graph, rows.near(reference.by_inputs, rows.inputs)
    theirs = graph("Gather", graph.constant(memory["own"]), near.places)
    usual = graph.over("ReduceMean", theirs, [1], keep=False)
    return graph("Sub", _add_log(graph, near.last, memory), usual)


def add_direction(rows: SeenRows, reference: Reference, memory: Memory) -> str:
    """Return the signal `direction`, (rows,)."""
    graph = rows.graph
    lengths = graph.over("ReduceL2", rows.inputs, [1], keep=True)
    longer = graph("Max", lengths, graph.constant(SHORTEST, np.float32))
    directions = graph("Div", rows.inputs, longer)
    return _add_log(graph, rows.near(reference.by_direction, directions).first, memory)


def add_sensitive(rows: SeenRows, reference: Reference, memory: Memory) -> str:
    """Return the signal `sensitive`, (rows,)."""
    weight = rows.graph.constant(reference.sensitivity, np.float32)
    weighted = rows.graph("Mul", rows.inputs, weight)
    near = rows.near(reference.by_effect, weighted)
    return _add_log(rows.graph, near.first, memory)


def add_hidden(rows: SeenRows, reference: Reference, memory: Memory) -> str:
    """Return the signal `hidden`, (rows,)."""
    assert rows.hidden is not None
    near = rows.near(reference.by_hidden, rows.hidden)
    return _add_log(rows.graph, near.first, memory)


def add_spread(rows: SeenRows, reference: Reference, memory: Memory) -> str:
    """Return the signal `spread`, (rows,)."""
    return rows.graph("Log", rows.uncertainty)


def add_rarity(rows: SeenRows, reference: Reference, memory: Memory) -> str:
    """Return the signal `columns`, (rows,)."""
    worst = rows.graph.over("ReduceMax", rows.rarities(memory), [0], keep=False)
    return rows.graph("Log", rows.graph("Max", worst, rows.graph.constant(1.0)))


def _add_rarities(rows: SeenRows, memory: Memory) -> str:
    """Return e to the score of each column, (columns, rows): a loop bounds memory."""
    graph, values, own = rows.graph, memory["values"], memory["own"]
    n, k = len(values), min(neighbours(len(values)), len(values))
    # Of each column: windows' middles, values, distances of references, the largest.
    known = [(values[:-k] + values[k:]) / 2, values, own]
    tables = [graph.constant(table.T.copy()) for table in known]
    largest = graph.constant(largest_distances(values, own))
    x = graph("Transpose", graph.double(rows.inputs))
    body = Graph("columns/")
    turn, going = (
        body.input(f"antireg/{body.prefix}{name}", kind, ())
        for name, kind in (("turn", TensorProto.INT64), ("going", TensorProto.BOOL))
    )
    column, middles, seen, distances, most = (
        body("Gather", table, turn, axis=0) for table in (x, *tables, largest)
    )
    begin = _add_below(body, middles, column)
    low = body("Gather", seen, begin)
    end = body("Add", begin, body.constant(k - 1, np.int64))
    high = body("Gather", seen, end)
    away = body("Max", body("Sub", column, low), body("Sub", high, column))
    nearer = _add_below(body, distances, body("Mul", away, body.constant(SLACK)))
    as_large = body("Sub", body.constant(n + 1, np.int64), nearer)
    share = body("Div", body.constant(n + 1.0), body.double(as_large))
    beyond = body("Max", body("Div", away, most), body.constant(1.0))
    rarity = body("Mul", share, beyond)
    body.output(f"{going}_out", going, TensorProto.BOOL, ())
    body.output(f"antireg/{body.prefix}rarity", rarity, TensorProto.DOUBLE, (None,))
    turns = graph.constant(values.shape[1], np.int64)
    always = graph.constant(True, np.bool_)
    return graph("Loop", turns, always, body=body.proto("columns"))


def _add_below(graph: Graph, ascending: str, x: str) -> str:
    """Return how many values are below each x, (rows,), as `searchsorted` does."""
    below = graph("Less", ascending, graph.unsqueeze(x, 1))
    ones = graph.cast(below, TensorProto.INT32)
    count = graph.over("ReduceSum", ones, [1], keep=False)
    return graph.cast(count, TensorProto.INT64)


def _add_log(graph: Graph, distances: str, memory: Memory) -> str:
    """Return  log(d + φ),  (rows,)."""
    return graph("Log", graph("Add", distances, graph.constant(memory["floor"])))


SIGNAL_GRAPHS: dict[str, Callable[[SeenRows, Reference, Memory], str]] = {
    "nearest": add_nearest,
    "density": add_density,
    "columns": add_rarity,
    "direction": add_direction,
    "sensitive": add_sensitive,
    "hidden": add_hidden,
    "spread": add_spread,
    "entropy": add_spread,
}
