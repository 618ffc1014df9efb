"""The quantiles of a mixture of Gaussians, as a graph.

A quick search in floats is checked in double precision; where it is wrong, as it may be
where the cdf is nearly flat, a slow search in double precision replaces it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from antireg.onnx.builder import Graph
from antireg.onnx.normal import add_normal_cdf
from antireg.predictive.values import Array
from onnx import TensorProto

Reached = Callable[[Graph, str], str]

SHAPE = (None, 1, None)
"""Levels and columns, without names: their sizes differ between the two searches."""

QUICK_HALVINGS = 28
SLOW_HALVINGS = 36
"""From 1400 at most, the logarithms of doubles, to 5e-6 and to 2e-8."""

MARGIN = 1e-5
"""Error allowed in the quick search, relative to the value or the smallest std."""


class Mixture(NamedTuple):
    """Means and stds, (members, columns) each, and the least of the stds, (1, ...).

    Weights are (members, columns) too, or None if all are alike.
    """

    means: str
    stds: str
    finest: str
    weights: str | None = None


def add_quantiles(
    graph: Graph,
    means: str,
    stds: str,
    levels: Sequence[float],
    weights: str | None = None,
) -> list[str]:
    """Return the quantiles of the mixture, (columns,) each.

    Args:
        graph: To add to.
        means: Of the members, (members, columns), in double precision.
        stds: Of the members, (members, columns), in double precision.
        levels: Of the quantiles, between 0 and 1.
        weights: Of the members, (members, columns), in double precision, summing to 1;
            None if all are alike.
    """
    column = np.reshape(levels, (-1, 1, 1))
    finest = graph.over("ReduceMin", stds, [0], keep=True)
    mixture = Mixture(means, stds, finest, weights)
    corners = graph("Add", means, graph("Mul", stds, graph.constant(ndtri(column))))
    ends = [
        _squashed(graph, graph.over(operator, corners, [1], keep=True), finest)
        for operator in ("ReduceMin", "ReduceMax")
    ]
    quick = _quick(graph, mixture, column)
    near = _halved(graph, ends, finest, QUICK_HALVINGS, quick)
    found, wrong = _checked(graph, near, mixture, graph.constant(column))
    found = _replaced(graph, found, wrong, ends, mixture, levels)
    parts = graph.several("Split", len(levels), found, axis=0, num_outputs=len(levels))
    return [graph.squeeze(part, 0) for part in parts]


def _quick(graph: Graph, mixture: Mixture, levels: Array) -> Reached:
    """Return the test for the quick search: erf in floats is good to 1e-7."""
    spreads = graph("Mul", mixture.stds, graph.constant(math.sqrt(2)))
    wanted = graph.constant(2 * levels - 1, np.float32)
    weights = mixture.weights
    shares = None if weights is None else graph.cast(weights, TensorProto.FLOAT)

    def reached(body: Graph, y: str) -> str:
        z = body("Div", body("Sub", y, mixture.means), spreads)
        inner = body("Erf", body.cast(z, TensorProto.FLOAT))
        mean = _average(body, inner, shares)
        return body("GreaterOrEqual", mean, wanted)

    return reached


def _checked(graph: Graph, near: str, mixture: Mixture, levels: str) -> tuple[str, str]:
    """Interpolate the cdf around `near`; return y, and where it is not in between."""
    margin = graph.constant(MARGIN)
    below = _stretched(graph, graph("Sub", near, margin), mixture.finest)
    above = _stretched(graph, graph("Add", near, margin), mixture.finest)
    first, last = (_cdf(graph, y, mixture) for y in (below, above))
    right = graph(
        "And", graph("Less", first, levels), graph("LessOrEqual", levels, last)
    )
    share = graph("Div", graph("Sub", levels, first), graph("Sub", last, first))
    found = graph("Add", below, graph("Mul", share, graph("Sub", above, below)))
    return found, graph("Not", right)


def _replaced(
    graph: Graph,
    found: str,
    wrong: str,
    ends: Sequence[str],
    mixture: Mixture,
    levels: Sequence[float],
) -> str:
    """Return what was found, replaced by the slow search where it is wrong."""
    found, wrong, *ends = (graph.squeeze(value, 1) for value in (found, wrong, *ends))
    places = graph("NonZero", wrong)
    level, column = graph.several("Split", 2, places, axis=0, num_outputs=2)
    level, column = graph.squeeze(level, 0), graph.squeeze(column, 0)
    places = graph("Transpose", places)
    row = graph.constant([1, 1, -1], np.int64)
    ends = [graph("Reshape", graph("GatherND", end, places), row) for end in ends]
    wanted = graph("Gather", graph.constant(levels), level)
    few = Mixture(
        *(
            None if values is None else graph("Gather", values, column, axis=1)
            for values in mixture
        )  # type: ignore[arg-type]
    )

    def reached(body: Graph, y: str) -> str:
        return body("GreaterOrEqual", _cdf(body, y, few), wanted)

    exact = _halved(graph, ends, few.finest, SLOW_HALVINGS, reached)
    exact = graph(
        "Reshape", _stretched(graph, exact, few.finest), graph.constant([-1], np.int64)
    )
    return graph("ScatterND", found, places, exact)


def _cdf(graph: Graph, y: str, mixture: Mixture) -> str:
    """Return the cdf of the mixture, (levels, 1, columns)."""
    z = graph("Div", graph("Sub", y, mixture.means), mixture.stds)
    return _average(graph, add_normal_cdf(graph, z), mixture.weights)


def _average(graph: Graph, values: str, weights: str | None) -> str:
    """Return the mean over members, (levels, 1, columns)."""
    if weights is None:
        return graph.over("ReduceMean", values, [1], keep=True)
    return graph.over("ReduceSum", graph("Mul", values, weights), [1], keep=True)


def _halved(
    graph: Graph, ends: Sequence[str], finest: str, times: int, reached: Reached
) -> str:
    """Return the upper end after a number of halvings, (levels, 1, columns).

    It bisects the logarithm of y, so that all digits of y are found even if one member
    is far wider than another.
    """
    some = graph("Greater", graph("Size", ends[0]), graph.constant(0, np.int64))
    body = Graph(f"halving{times}/")
    _, going, low, high = (
        body.input(f"antireg/{body.prefix}{name}", kind, shape)
        for name, kind, shape in (
            ("turn", TensorProto.INT64, ()),
            ("going", TensorProto.BOOL, ()),
            ("low", TensorProto.DOUBLE, SHAPE),
            ("high", TensorProto.DOUBLE, SHAPE),
        )
    )
    half = body.constant(0.5)
    middle = body("Add", body("Mul", low, half), body("Mul", high, half))
    enough = reached(body, _stretched(body, middle, finest))
    body.output(f"{going}_out", going, TensorProto.BOOL, ())
    for name, kept in {low: (low, middle), high: (middle, high)}.items():
        value = body("Where", enough, *kept)
        body.output(f"{name}_out", value, TensorProto.DOUBLE, SHAPE)
    turns = graph.constant(times, np.int64)
    loop = body.proto("halving")
    return graph.several("Loop", 2, turns, some, *ends, body=loop)[1]


def _squashed(graph: Graph, y: str, unit: str) -> str:
    """Return sign(y) · log(1 + |y|/unit)."""
    size = graph("Add", graph("Div", graph("Abs", y), unit), graph.constant(1.0))
    return graph("Mul", graph("Sign", y), graph("Log", size))


def _stretched(graph: Graph, u: str, unit: str) -> str:
    """Return the inverse of `_squashed`."""
    size = graph("Sub", graph("Exp", graph("Abs", u)), graph.constant(1.0))
    return graph("Mul", graph("Sign", u), graph("Mul", size, unit))
