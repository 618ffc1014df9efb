"""The mixture of the members' Gaussians, its spread and its quantiles, as a graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto
from scipy.special import ndtri

from antireg.estimators.regressor import (
    HIGHEST_PREDICTED_LOG_VARIANCE,
    EnsembleRegressor,
)
from antireg.losses import LOWEST_LOG_VARIANCE
from antireg.onnx_graph.builder import Graph
from antireg.onnx_graph.normal import add_normal_cdf, add_normal_density

HALVINGS = 24
"""Of the distance between the members' own quantiles, down to 6e-8 of it."""


def add_regression(
    graph: Graph, model: EnsembleRegressor, outputs: str, coverage: float
) -> str:
    """Add mean, std, low and high to the outputs; return the OOD score, (rows,).

    Args:
        graph: To add to.
        model: Fitted.
        outputs: Of the members, (members, rows, outputs), in double precision.
        coverage: Of the interval.
    """
    # Rows last: where the last axis is of length 1, onnxruntime takes a constant times
    # a tensor one number at a time, twenty times slower.
    outputs = graph("Transpose", outputs, perm=[0, 2, 1])
    means, variances = _scaled_mixture(graph, model, outputs)
    total = _total_variance(graph, means, variances)
    score = graph("Sqrt", graph.over("ReduceSum", total, [0], keep=False))
    scales, shifts = (
        np.reshape(values, (-1, 1))
        for values in (model.target_scaling_.scale, model.target_scaling_.shift)
    )
    scale = graph.constant(scales)
    means = graph("Add", graph("Mul", means, scale), graph.constant(shifts))
    stds = graph("Sqrt", graph("Mul", variances, graph.constant(scales**2)))
    low, high = _quantiles(graph, means, stds, [(1 - coverage) / 2, (1 + coverage) / 2])
    found = {
        "mean": graph.over("ReduceMean", means, [0], keep=False),
        "std": graph("Mul", graph("Sqrt", total), scale),
        "low": low,
        "high": high,
    }
    for name, value in found.items():
        shape: list[Any] = ["rows"] if model._flat_y else ["rows", model._n_targets]
        shown = graph.squeeze(value, 0) if model._flat_y else graph("Transpose", value)
        graph.output(name, shown, TensorProto.DOUBLE, shape)
    return score


def _scaled_mixture(
    graph: Graph, model: EnsembleRegressor, outputs: str
) -> tuple[str, str]:
    """Return means and variances in scaled units, (members, targets, rows) each."""
    if model.noise_ is not None:
        zeros = graph("Mul", outputs, graph.constant(0.0))
        return outputs, graph("Add", zeros, graph.constant(model.noise_))
    means, raw = graph.several("Split", 2, outputs, axis=1, num_outputs=2)
    low = graph.constant(LOWEST_LOG_VARIANCE)
    high = graph.constant(HIGHEST_PREDICTED_LOG_VARIANCE)
    return means, graph("Exp", graph("Clip", raw, low, high))


def _total_variance(graph: Graph, means: str, variances: str) -> str:
    """Return aleatoric plus epistemic variance, (targets, rows)."""
    centre = graph.over("ReduceMean", means, [0], keep=True)
    away = graph("Sub", means, centre)
    spread = graph("Add", variances, graph("Mul", away, away))
    return graph.over("ReduceMean", spread, [0], keep=False)


def _quantiles(
    graph: Graph, means: str, stds: str, levels: Sequence[float]
) -> list[str]:
    """Return the quantiles of the mixture, (targets, rows) each, by halving.

    What is halved is the logarithm of y, so that the digits of y are found even if
    one member is far wider than another.
    """
    column = np.reshape(levels, (-1, 1, 1, 1))
    corners = graph("Add", means, graph("Mul", stds, graph.constant(ndtri(column))))
    low = graph.over("ReduceMin", corners, [1], keep=True)
    high = graph.over("ReduceMax", corners, [1], keep=True)
    spreads = graph("Mul", stds, graph.constant(math.sqrt(2)))
    # Halving takes erf of floats, the only kernel there is and good for 1e-7; one
    # step of Newton in double then gives the other digits.
    wanted = graph.constant(2 * column - 1, np.float32)
    finest = graph.over("ReduceMin", stds, [0], keep=True)
    low, high = _squashed(graph, low, finest), _squashed(graph, high, finest)
    body = _halving(means, spreads, finest, wanted)
    times = graph.constant(HALVINGS, np.int64)
    always = graph.constant(True, np.bool_)
    low, high = graph.several("Loop", 2, times, always, low, high, body=body)
    found = _stretched(graph, high, finest)
    exact = _newton(graph, found, means, stds, graph.constant(column))
    ends = graph.several("Split", 2, exact, axis=0, num_outputs=2)
    two = graph.constant([0, 1], np.int64)
    return [graph("Squeeze", end, two) for end in ends]


def _newton(graph: Graph, y: str, means: str, stds: str, levels: str) -> str:
    """Return a better y: one step, which no flat part of the cdf may make long."""
    z = graph("Div", graph("Sub", y, means), stds)
    reached = graph.over("ReduceMean", add_normal_cdf(graph, z), [1], keep=True)
    steep = graph("Div", add_normal_density(graph, z), stds)
    slope = graph.over("ReduceMean", steep, [1], keep=True)
    step = graph("Div", graph("Sub", levels, reached), slope)
    longest = graph.over("ReduceMin", stds, [0], keep=True)
    longest = graph("Mul", longest, graph.constant(1e-4))
    step = graph("Max", graph("Min", step, longest), graph("Neg", longest))
    return graph("Add", y, step)


def _squashed(graph: Graph, y: str, unit: str) -> str:
    """Return sign(y) · log(1 + |y|/unit)."""
    size = graph("Add", graph("Div", graph("Abs", y), unit), graph.constant(1.0))
    return graph("Mul", graph("Sign", y), graph("Log", size))


def _stretched(graph: Graph, u: str, unit: str) -> str:
    """Return the y that `_squashed` takes to u."""
    size = graph("Sub", graph("Exp", graph("Abs", u)), graph.constant(1.0))
    return graph("Mul", graph("Sign", u), graph("Mul", size, unit))


def _halving(means: str, spreads: str, finest: str, wanted: str) -> object:
    """Return the body of the loop: keep the half that holds the quantile."""
    body = Graph("b")
    rows = (2, 1, None, None)
    body.input("antireg/turn", TensorProto.INT64, [])
    body.input("antireg/going", TensorProto.BOOL, [])
    low = body.input("antireg/low_in", TensorProto.DOUBLE, rows)
    high = body.input("antireg/high_in", TensorProto.DOUBLE, rows)
    half = body.constant(0.5)
    middle = body("Add", body("Mul", low, half), body("Mul", high, half))
    y = _stretched(body, middle, finest)
    z = body("Div", body("Sub", y, means), spreads)
    inner = body("Erf", body.cast(z, TensorProto.FLOAT))
    reached = body(
        "GreaterOrEqual", body.over("ReduceMean", inner, [1], keep=True), wanted
    )
    body.output("antireg/going_out", "antireg/going", TensorProto.BOOL, [])
    for name, value in {
        "antireg/low_out": body("Where", reached, low, middle),
        "antireg/high_out": body("Where", reached, middle, high),
    }.items():
        body.output(name, value, TensorProto.DOUBLE, rows)
    return body.proto("halving")
