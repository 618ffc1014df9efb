"""Robust pooling: members pulled towards their median, as a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antireg.onnx.builder import Graph
from antireg.predictive.pooling import (
    FEWEST_MEMBERS,
    MOST_DEVIATIONS,
    MOST_NOISE,
    NORMAL,
)


def add_pulled_in(graph: Graph, values: str, noise: str, n_members: int) -> str:
    """Return what `antireg.predictive.pooling.pulled_in` does, (members, ...).

    Args:
        graph: To add to.
        values: (members, ...).
        noise: Standard deviation around them, (1, ...) or one number.
        n_members: How many there are.
    """
    if n_members < FEWEST_MEMBERS:
        return values
    deviation = _add_deviation(graph, values, noise, n_members)
    reach = graph("Mul", deviation, graph.constant(MOST_DEVIATIONS))
    centre = add_median(graph, values, n_members)
    low, high = graph("Sub", centre, reach), graph("Add", centre, reach)
    return graph("Min", graph("Max", values, low), high)


def add_calmed(
    graph: Graph, means: str, variances: str, n_members: int
) -> tuple[str, str]:
    """Return what `antireg.predictive.pooling.calmed` does, (members, ...) each.

    Args:
        graph: To add to.
        means: (members, ...).
        variances: (members, ...).
        n_members: How many there are.
    """
    if n_members < FEWEST_MEMBERS:
        return means, variances
    noise = graph("Sqrt", add_median(graph, variances, n_members))
    deviation = _add_deviation(graph, means, noise, n_members)
    most = graph("Mul", deviation, graph.constant(MOST_NOISE))
    variances = graph("Min", variances, graph("Mul", most, most))
    return add_pulled_in(graph, means, noise, n_members), variances


def add_pooled(
    graph: Graph,
    members: tuple[str, str],
    centre: tuple[str, str] | None,
    n_members: int,
    allowed: NDArray[np.float64],
) -> tuple[str, str]:
    """Return what `antireg.predictive.pooling.pooled` does, (members, outputs, rows).

    Args:
        graph: To add to.
        members: Their means and variances.
        centre: Those of as many others, if there are any.
        n_members: How many there are.
        allowed: The least and the most that their mean may be, (2, outputs).
    """
    means, variances = add_calmed(graph, *members, n_members)
    if centre is not None:
        others, _ = add_calmed(graph, *centre, n_members)
        middle = graph.over("ReduceMean", others, [0], keep=True)
        means = _add_moved(graph, means, middle)
    ends = (graph.constant(end.reshape(1, -1, 1)) for end in allowed)
    return add_moved_inside(graph, means, *ends), variances


def _add_deviation(graph: Graph, values: str, noise: str, n_members: int) -> str:
    """Return s, the robust deviation of members, (1, ...)."""
    away = graph("Sub", values, add_median(graph, values, n_members))
    spread = add_median(graph, graph("Abs", away), n_members)
    spread = graph("Mul", spread, graph.constant(NORMAL))
    squares = (graph("Mul", value, value) for value in (spread, noise))
    return graph("Sqrt", graph("Add", *squares))


def add_moved_inside(graph: Graph, means: str, low: str, high: str) -> str:
    """Return what `antireg.predictive.pooling.moved_inside` does, (members, ...).

    Args:
        graph: To add to.
        means: (members, ...).
        low: The least that their mean may be, (1, ...).
        high: The most.
    """
    centre = graph.over("ReduceMean", means, [0], keep=True)
    return _add_moved(graph, means, graph("Min", graph("Max", centre, low), high))


def _add_moved(graph: Graph, means: str, centre: str) -> str:
    """Return what `antireg.predictive.pooling.moved_to` does, (members, ...)."""
    mean = graph.over("ReduceMean", means, [0], keep=True)
    return graph("Add", means, graph("Sub", centre, mean))


def add_median(graph: Graph, values: str, n_members: int) -> str:
    """Return the median over the first axis, (1, ...)."""
    count = graph.constant([n_members], np.int64)
    ordered, _ = graph.several("TopK", 2, values, count, axis=0)
    middle = sorted({(n_members - 1) // 2, n_members // 2})
    found = graph("Gather", ordered, graph.constant(middle, np.int64), axis=0)
    return graph.over("ReduceMean", found, [0], keep=True)
