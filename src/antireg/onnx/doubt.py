"""Doubt, as a graph: how unfamiliar rows are, and what is answered then."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from antireg.estimators.doubting import Doubting
from antireg.familiarity import SIGNALS
from antireg.familiarity.doubt import GROWTH, MOST_GROWTH, SHORTEST, Curve, Doubt
from antireg.familiarity.joining import LARGEST, Normalisation
from antireg.onnx.builder import Graph
from antireg.onnx.signals import SIGNAL_GRAPHS, SeenRows
from antireg.predictive import values
from onnx import TensorProto


class Familiarity(NamedTuple):
    """How unfamiliar rows are, (rows,) each.

    Attributes:
        score: What the flag is by.
        within: r, how far from the start to the end of doubt.
        weight: w, how much of the answer is "I do not know".
    """

    score: str
    within: str
    weight: str


Familiar = Callable[[str], Familiarity]
"""From the members' own uncertainty, (rows,)."""


def add_familiarity(graph: Graph, doubting: Doubting, rows: SeenRows) -> Familiarity:
    """Return how unfamiliar rows are, and add doubt to the outputs.

    Args:
        graph: To add to.
        doubting: Of the model; its references become constants.
        rows: As its members see them.
    """
    reference, normal = doubting.signalling.reference, doubting.normalisation
    signals = {
        name: SIGNAL_GRAPHS[name](rows, reference, memory)
        for name, memory in doubting.signalling.memories.items()
    }
    flag_names = normal.flag_names()
    weights = [SIGNALS[name].weight for name in flag_names]
    score = _add_sum(graph, normal, signals, flag_names, weights)
    names = normal.doubt_names()
    summed = _add_sum(graph, normal, signals, names, [1.0] * len(names))
    unfamiliar = graph("Div", summed, graph.constant(float(len(names))))
    within, weight = _add_weight(graph, doubting.doubt.curve, unfamiliar)
    graph.output("doubt", weight, TensorProto.DOUBLE, ["rows"])
    return Familiarity(score, within, weight)


def add_doubted_values(
    graph: Graph,
    doubt: Doubt,
    means: str,
    variances: str,
    familiar: Familiarity,
    n_members: int,
) -> tuple[str, str, str]:
    """Return means, variances and weights with the constant beside the members.

    Each is (members + 1, targets, rows).

    Args:
        graph: To add to.
        doubt: Of the model.
        means: Of the members, (members, targets, rows).
        variances: Of the members, (members, targets, rows).
        familiar: How unfamiliar the rows are.
        n_members: How many there are.
    """
    noise = math.exp(doubt.noise)
    exponent = graph("Mul", familiar.within, graph.constant(math.exp(doubt.growth)))
    inflation = graph("Exp", graph("Min", exponent, graph.constant(MOST_GROWTH)))
    unbiased = graph.constant(noise * n_members / max(n_members - 1, 1))
    apart = graph("Sqrt", graph("Mul", inflation, unbiased))
    centre = graph.over("ReduceMean", means, [0], keep=True)
    away = graph("Mul", graph("Sub", means, centre), apart)
    means = graph("Add", centre, away)
    variances = graph("Mul", variances, graph.constant(noise))
    variances = graph("Min", variances, graph.constant(values.LARGEST))
    # One of the shape (1, targets, rows), of which both constants are made.
    zeros = graph("Mul", centre, graph.constant(0.0))
    constants = (
        graph("Add", zeros, graph.constant(of_targets.reshape(1, -1, 1)))
        for of_targets in (doubt.mean, doubt.fallback_variance)
    )
    means, variances = (
        graph("Concat", of_members, constant, axis=0)
        for of_members, constant in zip((means, variances), constants, strict=True)
    )
    trust = graph("Sub", graph.constant(1.0), familiar.weight)
    share = graph("Div", graph("Add", zeros, trust), graph.constant(float(n_members)))
    weights = graph(
        "Concat", *[share] * n_members, graph("Add", zeros, familiar.weight), axis=0
    )
    return means, variances, weights


def add_doubted_classes(
    graph: Graph, frequencies: values.Array, probabilities: str, weight: str
) -> str:
    """Return  (1 − w) p + w · class frequencies,  (rows, classes).

    Args:
        graph: To add to.
        frequencies: Of the classes, (classes,).
        probabilities: (rows, classes).
        weight: w, (rows,).
    """
    w = graph.unsqueeze(weight, 1)
    trusted = graph("Mul", graph("Sub", graph.constant(1.0), w), probabilities)
    return graph("Add", trusted, graph("Mul", w, graph.constant([frequencies])))


def _add_sum(
    graph: Graph,
    normal: Normalisation,
    signals: dict[str, str],
    names: Sequence[str],
    weights: Sequence[float],
) -> str:
    """Return the weighted sum of what is above the median, (rows,)."""
    parts = []
    for name, weight in zip(names, weights, strict=True):
        middle, scale = (
            graph.constant(of[name]) for of in (normal.middle, normal.scale)
        )
        high = graph("Div", graph("Sub", signals[name], middle), scale)
        above = graph("Clip", high, graph.constant(0.0), graph.constant(LARGEST))
        parts.append(graph("Mul", above, graph.constant(weight)))
    return graph("Sum", *parts)


def _add_weight(graph: Graph, curve: Curve, unfamiliar: str) -> tuple[str, str]:
    """Return r and w, (rows,) each: see `antireg.familiarity.doubt`."""
    end = max(curve.end, curve.start)
    start, end_name = graph.constant(curve.start), graph.constant(end)
    within = graph("Sub", graph("Clip", unfamiliar, start, end_name), start)
    one = graph.constant(1.0)
    rate = graph.constant(-math.exp(curve.b))
    trust = graph("Exp", graph("Mul", within, rate))
    most = graph.constant(1 / (1 + math.exp(-curve.a)))
    known = graph("Mul", most, graph("Sub", one, trust))
    beyond = graph("Max", graph("Sub", unfamiliar, end_name), graph.constant(0.0))
    stretch = max(curve.end - curve.start, SHORTEST)
    shrunk = graph("Exp", graph("Mul", beyond, graph.constant(-GROWTH / stretch)))
    left = graph("Mul", graph("Sub", one, known), shrunk)
    return within, graph("Sub", one, left)
