"""Doubt, as a graph: how unfamiliar rows are, and what is answered then."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from antireg.estimators.doubting import Doubting
from antireg.familiarity import SIGNALS
from antireg.familiarity.doubt import (
    GROWTH,
    LEAST_LEFT,
    LINE_SHARE,
    MOST_GROWTH,
    SHORTEST,
    Curve,
    Doubt,
)
from antireg.familiarity.joining import LARGEST, Normalisation
from antireg.familiarity.line import Line
from antireg.onnx.builder import Graph
from antireg.onnx.signals import SIGNAL_GRAPHS, SeenRows
from antireg.predictive import values
from onnx import TensorProto

LEAST_WEIGHT = 1e-300
"""Instead of w = 0, which cannot divide."""


class Familiarity(NamedTuple):
    """How unfamiliar rows are, (rows,) each.

    Attributes:
        score: What the flag is by.
        within: r, how far from the start to the end of doubt.
        weight: w, how much of the answer is "I do not know".
        line_share: v, the part of that which a line has.
        on_line: What a straight line says, (targets, rows), if there is one.
    """

    score: str
    within: str
    weight: str
    line_share: str
    on_line: str | None = None


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
    for name in doubting.signalling.memories:
        if name not in SIGNAL_GRAPHS:
            raise ValueError(
                f"a model with the signal {name!r} cannot be exported, as it has no "
                "graph. Add one to SIGNAL_GRAPHS in antireg/onnx/signals.py, or fit "
                "with doubt=None."
            )
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
    within, weight, share = _add_weight(graph, doubting.doubt.curve, unfamiliar)
    graph.output("doubt", weight, TensorProto.DOUBLE, ["rows"])
    line = doubting.line
    on_line = None if line is None else _add_line(graph, line, rows.inputs)
    return Familiarity(score, within, weight, share, on_line)


def _add_line(graph: Graph, line: Line, inputs: str) -> str:
    """Return what a line says, (targets, rows), from the inputs of the network."""
    values = graph.cast(inputs, TensorProto.DOUBLE)
    said = graph("MatMul", values, graph.constant(line.weights))
    said = graph("Add", said, graph.constant(line.shift))
    said = graph("Max", said, graph.constant(line.low))
    return graph("Transpose", graph("Min", said, graph.constant(line.high)))


def add_doubted_values(
    graph: Graph,
    doubt: Doubt,
    means: str,
    variances: str,
    familiar: Familiarity,
    n_members: int,
) -> tuple[str, str, str]:
    """Return means, variances and weights with the fallback beside the members.

    Each is (members + 1, targets, rows), or one more with a line.

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
    # One of the shape (1, targets, rows), of which all others are made.
    zeros = graph("Mul", centre, graph.constant(0.0))

    def of_targets(numbers: values.Array) -> str:
        return graph("Add", zeros, graph.constant(numbers.reshape(1, -1, 1)))

    one, w = graph.constant(1.0), familiar.weight
    reach = of_targets(doubt.reach * np.sqrt(doubt.fallback_variance))
    least = graph.constant(LEAST_WEIGHT)
    limit = graph("Div", reach, graph("Max", w, least))
    limit = graph("Min", limit, graph.constant(math.sqrt(values.LARGEST)))
    middle = of_targets(doubt.mean)
    means = graph("Max", means, graph("Sub", middle, limit))
    means = graph("Min", means, graph("Add", middle, limit))
    variances = graph("Min", variances, graph("Mul", limit, limit))
    share = graph("Div", graph("Sub", one, w), graph.constant(float(n_members)))
    others = [(middle, of_targets(doubt.fallback_variance), w)]
    if familiar.on_line is not None:
        assert doubt.line is not None
        along = graph("Mul", w, familiar.line_share)
        beside = of_targets(math.exp(doubt.width) * doubt.line.variance)
        others = [(*others[0][:2], graph("Sub", w, along))]
        others += [(graph.unsqueeze(familiar.on_line, 0), beside, along)]
    other_means, other_variances, other_weights = zip(*others, strict=True)
    weights = [*[share] * n_members, *other_weights]
    return (
        graph("Concat", means, *other_means, axis=0),
        graph("Concat", variances, *other_variances, axis=0),
        graph("Concat", *(graph("Add", zeros, part) for part in weights), axis=0),
    )


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


def _add_weight(graph: Graph, curve: Curve, unfamiliar: str) -> tuple[str, str, str]:
    """Return r, w and v, (rows,) each: see `antireg.familiarity.doubt`."""
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
    least = graph("Max", shrunk, graph.constant(LEAST_LEFT))
    share = graph("Mul", least, graph.constant(LINE_SHARE))
    return within, graph("Sub", one, left), share
