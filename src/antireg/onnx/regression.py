"""The mixture of the members' Gaussians, its spread and its quantiles, as a graph."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from antireg.estimators.regressor import EnsembleRegressor
from antireg.familiarity.doubt import Doubt
from antireg.familiarity.spread import LEAST_VARIANCE
from antireg.losses import LOWEST_LOG_VARIANCE
from antireg.onnx.builder import Graph
from antireg.onnx.doubt import Familiar, add_doubted_values
from antireg.onnx.pooling import add_pooled
from antireg.onnx.quantile import add_quantiles
from antireg.predictive import GaussianMixture
from antireg.predictive.intervals import widened
from antireg.predictive.log_normal import Limits
from onnx import TensorProto


class Mixture(NamedTuple):
    """Of Gaussians, (members, targets, rows) each; weights None if all are alike."""

    means: str
    variances: str
    weights: str | None = None


def add_regression(
    graph: Graph,
    model: EnsembleRegressor,
    outputs: str,
    coverage: float,
    familiar: Familiar | None = None,
) -> str:
    """Add mean, std, low and high to the outputs; return the OOD score, (rows,).

    Args:
        graph: To add to.
        model: Fitted.
        outputs: Of the members, then of their centre, if any, (all, rows, outputs), in
            double precision.
        coverage: Of the interval.
        familiar: Tells how unfamiliar rows are, of a model with doubt.
    """
    # Rows last: if the last axis has length 1, onnxruntime multiplies a constant and a
    # tensor one number at a time, which is twenty times slower.
    outputs = graph("Transpose", outputs, perm=[0, 2, 1])
    n_members = model.network_.n_members
    mixture, centre = _scaled_mixtures(graph, model, outputs)
    doubt = None if model.doubt_ is None else model.doubt_.doubt
    if familiar is None:
        _, total = _moments(graph, mixture)
        score = graph("Sqrt", graph.over("ReduceSum", total, [0], keep=False))
    else:
        familiarity = familiar(_spread(graph, mixture.means, n_members))
        score = familiarity.score
    mixture = _in_units(graph, model, mixture, centre)
    ends = doubted = None
    if familiar is not None:
        assert isinstance(doubt, Doubt)
        ends = _simple_ends(graph, model, doubt, coverage, familiarity.on_line)
        mixture = Mixture(
            *add_doubted_values(graph, doubt, *mixture[:2], familiarity, n_members)
        )
        doubted = graph("Greater", familiarity.weight, graph.constant(0.0))
    low, high = _interval(graph, mixture, coverage, model, doubted, ends)
    if model.target_transform_ == "log":
        mixture = _of_amounts(graph, mixture, model.log_limits_)
        low, high = (_exponential(graph, end) for end in (low, high))
    mean, total = _moments(graph, mixture)
    found = {"mean": mean, "std": graph("Sqrt", total), "low": low, "high": high}
    for name, value in found.items():
        flat = model.flat_targets_
        shape: list[Any] = ["rows"] if flat else ["rows", model.n_targets_]
        shown = graph.squeeze(value, 0) if flat else graph("Transpose", value)
        graph.output(name, shown, TensorProto.DOUBLE, shape)
    return score


def _of_amounts(graph: Graph, mixture: Mixture, limits: Limits | None) -> Mixture:
    """Return means and variances of amounts, from those of their logarithms."""
    if limits is not None:
        highest, widest = (graph.constant(limit.reshape(-1, 1)) for limit in limits)
        mixture = Mixture(
            graph("Min", mixture.means, highest),
            graph("Min", mixture.variances, widest),
            mixture.weights,
        )
    half = graph("Mul", mixture.variances, graph.constant(0.5))
    means = _exponential(graph, graph("Add", mixture.means, half))
    # expm1 is not an operator: for σ² that is small, its series.
    exact = graph("Sub", graph("Exp", mixture.variances), graph.constant(1.0))
    series = graph("Mul", mixture.variances, graph("Add", half, graph.constant(1.0)))
    small = graph("Less", mixture.variances, graph.constant(1e-5))
    growth = graph("Where", small, series, exact)
    variances = graph("Mul", growth, graph("Mul", means, means))
    most = graph.constant(float(np.finfo(np.float64).max))
    return Mixture(means, graph("Min", variances, most), mixture.weights)


def _exponential(graph: Graph, values: str) -> str:
    most = graph.constant(float(np.finfo(np.float64).max))
    return graph("Min", graph("Exp", values), most)


def _in_units(
    graph: Graph, model: EnsembleRegressor, mixture: Mixture, centre: Mixture | None
) -> Mixture:
    """Return what the members say in the units of y."""
    means, variances, _ = mixture
    if model.robust_:
        means, variances = add_pooled(
            graph,
            (means, variances),
            None if centre is None else centre[:2],
            model.network_.n_members,
            model.target_range_,
        )
    scale, shift = (
        np.reshape(values, (-1, 1))
        for values in (model.target_scaling_.scale, model.target_scaling_.shift)
    )
    means = graph("Mul", means, graph.constant(scale))
    means = graph("Add", means, graph.constant(shift))
    return Mixture(means, graph("Mul", variances, graph.constant(scale**2)))


def _scaled_mixtures(
    graph: Graph, model: EnsembleRegressor, outputs: str
) -> tuple[Mixture, Mixture | None]:
    """Return what the members say in scaled units, and what their centre, if any."""
    mixture = _scaled_mixture(graph, model, outputs)
    if model.centre_ is None:
        return mixture, None
    parts = (
        graph.several("Split", 2, values, axis=0, num_outputs=2)
        for values in mixture[:2]
    )
    own, centre = zip(*parts, strict=True)
    return Mixture(*own), Mixture(*centre)


def _scaled_mixture(graph: Graph, model: EnsembleRegressor, outputs: str) -> Mixture:
    """Return what the members say in scaled units."""
    if model.noise_ is not None:
        zeros = graph("Mul", outputs, graph.constant(0.0))
        noise = graph.constant(model.noise_.transpose(0, 2, 1))
        return Mixture(outputs, graph("Add", zeros, noise))
    means, raw = graph.several("Split", 2, outputs, axis=1, num_outputs=2)
    low = graph.constant(LOWEST_LOG_VARIANCE)
    high = graph.constant(model.highest_log_variance_)
    return Mixture(means, graph("Exp", graph("Clip", raw, low, high)))


def _moments(graph: Graph, mixture: Mixture) -> tuple[str, str]:
    """Return mean and variance of the mixture, (targets, rows) each."""
    mean = _average(graph, mixture, mixture.means)
    away = graph("Sub", mixture.means, mean)
    spread = graph("Add", mixture.variances, graph("Mul", away, away))
    return graph.squeeze(mean, 0), graph.squeeze(_average(graph, mixture, spread), 0)


def _average(graph: Graph, mixture: Mixture, values: str) -> str:
    """Return the mean over members, (1, targets, rows)."""
    if mixture.weights is None:
        return graph.over("ReduceMean", values, [0], keep=True)
    weighted = graph("Mul", values, mixture.weights)
    return graph.over("ReduceSum", weighted, [0], keep=True)


def _spread(graph: Graph, means: str, n_members: int) -> str:
    """Return the members' deviation, as `spread_of_means`, (rows,)."""
    away = graph("Sub", means, graph.over("ReduceMean", means, [0], keep=True))
    total = graph.over("ReduceSumSquare", away, [0, 1], keep=False)
    variance = graph("Div", total, graph.constant(float(max(n_members - 1, 1))))
    return graph("Sqrt", graph("Add", variance, graph.constant(LEAST_VARIANCE)))


def _interval(
    graph: Graph,
    mixture: Mixture,
    coverage: float,
    model: EnsembleRegressor,
    doubted: str | None,
    simple: tuple[str, str] | None,
) -> tuple[str, str]:
    """Return both ends of the widened central interval, (targets, rows) each.

    Args:
        graph: To add to.
        mixture: In the units of y.
        coverage: Of the interval.
        model: Which knows how much wider it is to be.
        doubted: Where there is doubt, (rows,); None for nowhere.
        simple: Ends of the simple model's interval, beyond which none is widened.
    """
    flat = graph.constant([0, -1], np.int64)
    means, variances, weights = (
        None if values is None else graph("Reshape", values, flat) for values in mixture
    )
    assert means is not None
    assert variances is not None
    levels = [(1 - coverage) / 2, (1 + coverage) / 2]
    stds = graph("Sqrt", variances)
    ends = add_quantiles(graph, means, stds, levels, weights)
    shape = graph.constant([model.n_targets_, -1], np.int64)
    low, high = (graph("Reshape", end, shape) for end in ends)
    factors = model.interval_factors_
    inside, outside = factors.at(coverage), factors.outside_at(coverage)
    usual, least, most = (
        graph.constant(factor.reshape(-1, 1))
        for factor in (inside, np.maximum(inside, 1.0), outside)
    )
    if doubted is None or simple is None:
        return _widened(graph, low, high, usual)
    near = _widened(graph, low, high, graph("Where", doubted, least, usual))
    far = _widened(graph, low, high, graph("Where", doubted, most, usual))
    return (
        graph("Max", far[0], graph("Min", near[0], simple[0])),
        graph("Min", far[1], graph("Max", near[1], simple[1])),
    )


def _widened(graph: Graph, low: str, high: str, factor: str) -> tuple[str, str]:
    """Return both ends of intervals that are as many times as wide."""
    half = graph("Mul", graph("Sub", factor, graph.constant(1.0)), graph.constant(0.5))
    more = graph("Sub", graph("Mul", high, half), graph("Mul", low, half))
    return graph("Sub", low, more), graph("Add", high, more)


def _simple_ends(
    graph: Graph,
    model: EnsembleRegressor,
    doubt: Doubt,
    coverage: float,
    on_line: str | None,
) -> tuple[str, str]:
    """Return both ends of the simple model's interval, (targets, 1) or (…, rows)."""
    nowhere = np.zeros_like(doubt.mean)
    mean, variance = doubt.fallback(None if on_line is None else nowhere)[-1]
    shape = (1, 1, model.n_targets_)
    gaussian = GaussianMixture(mean.reshape(shape), variance.reshape(shape))
    ends = widened(*gaussian.interval(coverage), model.interval_factors_.simple)
    low, high = (graph.constant(end.T) for end in ends)
    if on_line is None:
        return low, high
    return graph("Add", on_line, low), graph("Add", on_line, high)
