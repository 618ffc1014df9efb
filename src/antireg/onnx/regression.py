"""The mixture of the members' Gaussians, its spread and its quantiles, as a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from antireg.estimators.regressor import EnsembleRegressor
from antireg.losses import LOWEST_LOG_VARIANCE
from antireg.onnx.builder import Graph
from antireg.onnx.pooling import add_pooled
from antireg.onnx.quantile import add_quantiles
from onnx import TensorProto


def add_regression(
    graph: Graph, model: EnsembleRegressor, outputs: str, coverage: float
) -> str:
    """Add mean, std, low and high to the outputs; return the OOD score, (rows,).

    Args:
        graph: To add to.
        model: Fitted.
        outputs: Of the members, then of their centre, if any, (all, rows, outputs), in
            double precision.
        coverage: Of the interval.
    """
    # Rows last: if the last axis has length 1, onnxruntime multiplies a constant and a
    # tensor one number at a time, which is twenty times slower.
    outputs = graph("Transpose", outputs, perm=[0, 2, 1])
    (means, variances), centre = _scaled_mixtures(graph, model, outputs)
    total = _total_variance(graph, means, variances)
    score = graph("Sqrt", graph.over("ReduceSum", total, [0], keep=False))
    if model.robust_:
        n_members, allowed = model.network_.n_members, model.target_range_
        own = means, variances
        means, variances = add_pooled(graph, own, centre, n_members, allowed)
        total = _total_variance(graph, means, variances)
    scales, shifts = (
        np.reshape(values, (-1, 1))
        for values in (model.target_scaling_.scale, model.target_scaling_.shift)
    )
    scale = graph.constant(scales)
    means = graph("Add", graph("Mul", means, scale), graph.constant(shifts))
    stds = graph("Sqrt", graph("Mul", variances, graph.constant(scales**2)))
    low, high = _interval(graph, means, stds, coverage, model)
    found = {
        "mean": graph.over("ReduceMean", means, [0], keep=False),
        "std": graph("Mul", graph("Sqrt", total), scale),
        "low": low,
        "high": high,
    }
    for name, value in found.items():
        flat = model.flat_targets_
        shape: list[Any] = ["rows"] if flat else ["rows", model.n_targets_]
        shown = graph.squeeze(value, 0) if flat else graph("Transpose", value)
        graph.output(name, shown, TensorProto.DOUBLE, shape)
    return score


def _scaled_mixtures(
    graph: Graph, model: EnsembleRegressor, outputs: str
) -> tuple[tuple[str, str], tuple[str, str] | None]:
    """Return means and variances of the members, and of their centre, if any."""
    means, variances = _scaled_mixture(graph, model, outputs)
    if model.centre_ is None:
        return (means, variances), None
    parts = (
        graph.several("Split", 2, values, axis=0, num_outputs=2)
        for values in (means, variances)
    )
    own, centre = zip(*parts, strict=True)
    return own, centre


def _scaled_mixture(
    graph: Graph, model: EnsembleRegressor, outputs: str
) -> tuple[str, str]:
    """Return means and variances in scaled units, (members, targets, rows) each."""
    if model.noise_ is not None:
        zeros = graph("Mul", outputs, graph.constant(0.0))
        return outputs, graph("Add", zeros, graph.constant(model.noise_))
    means, raw = graph.several("Split", 2, outputs, axis=1, num_outputs=2)
    low = graph.constant(LOWEST_LOG_VARIANCE)
    high = graph.constant(model.highest_log_variance_)
    return means, graph("Exp", graph("Clip", raw, low, high))


def _total_variance(graph: Graph, means: str, variances: str) -> str:
    """Return aleatoric plus epistemic variance, (targets, rows)."""
    centre = graph.over("ReduceMean", means, [0], keep=True)
    away = graph("Sub", means, centre)
    spread = graph("Add", variances, graph("Mul", away, away))
    return graph.over("ReduceMean", spread, [0], keep=False)


def _interval(
    graph: Graph, means: str, stds: str, coverage: float, model: EnsembleRegressor
) -> tuple[str, str]:
    """Return both ends of the widened central interval, (targets, rows) each."""
    flat = graph.constant([0, -1], np.int64)
    means, stds = (graph("Reshape", values, flat) for values in (means, stds))
    levels = [(1 - coverage) / 2, (1 + coverage) / 2]
    ends = add_quantiles(graph, means, stds, levels)
    shape = graph.constant([model.n_targets_, -1], np.int64)
    low, high = (graph("Reshape", end, shape) for end in ends)
    more = 0.5 * (model.interval_factors_.at(coverage) - 1)
    half = graph.constant(more.reshape(-1, 1))
    wider = graph("Sub", graph("Mul", high, half), graph("Mul", low, half))
    return graph("Sub", low, wider), graph("Add", high, wider)
