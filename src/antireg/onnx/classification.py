"""Class probabilities, labels and OOD scores, as a graph."""

from __future__ import annotations

import numpy as np

from antireg.estimators import EnsembleClassifier
from antireg.familiarity.doubt import ClassDoubt
from antireg.familiarity.spread import LEAST_ENTROPY
from antireg.onnx.builder import Graph
from antireg.onnx.doubt import Familiar, add_doubted_classes
from antireg.onnx.pooling import add_pulled_in
from antireg.predictive.pooling import label_noise
from antireg.predictive.probability_map import ProbabilityMap
from onnx import TensorProto


def add_classification(
    graph: Graph,
    model: EnsembleClassifier,
    outputs: str,
    coverage: float,
    familiar: Familiar | None = None,
) -> str:
    """Add probabilities and label to the outputs; return the OOD score, (rows,).

    Args:
        graph: To add to.
        model: Fitted.
        outputs: Of the members, (members, rows, outputs), in double precision.
        coverage: Of an interval, which classes have none of.
        familiar: Tells how unfamiliar rows are, of a model with doubt.
    """
    n_classes = len(model.classes_)
    one_output = _n_outputs(model) == 1
    if model.probability_map_ is None:
        probabilities = _softmax(graph, outputs, one_output)
        score = _entropy(graph, probabilities)
    else:
        score = _squared_error_score(graph, outputs, n_classes, one_output)
        if model.robust_:
            noise = graph.constant(label_noise(_n_outputs(model)))
            outputs = add_pulled_in(graph, outputs, noise, model.network_.n_members)
        mean = graph.over("ReduceMean", outputs, [0], keep=False)
        if one_output:
            other = graph("Sub", graph.constant(1.0), mean)
            both = graph("Concat", other, mean, axis=-1)
            mean = graph("Mul", both, graph.constant(2.0))
        probabilities = _mapped(graph, mean, model.probability_map_, n_classes)
    if familiar is not None:
        assert model.doubt_ is not None
        assert isinstance(model.doubt_.doubt, ClassDoubt)
        entropy = _entropy(graph, probabilities)
        unsure = graph("Add", entropy, graph.constant(LEAST_ENTROPY))
        familiarity = familiar(unsure)
        score = familiarity.score
        shares = model.doubt_.doubt.frequencies
        probabilities = add_doubted_classes(
            graph, shares, probabilities, familiarity.weight
        )
    graph.output(
        "probabilities", probabilities, TensorProto.DOUBLE, ["rows", n_classes]
    )
    kinds = {"i": np.int64, "u": np.int64, "b": np.bool_, "f": np.float64}
    dtype = kinds.get(model.classes_.dtype.kind, np.object_)
    types = {np.int64: TensorProto.INT64, np.bool_: TensorProto.BOOL}
    types |= {np.float64: TensorProto.DOUBLE}
    labels = graph.constant(model.classes_, dtype)
    place = graph("ArgMax", probabilities, axis=-1, keepdims=0)
    label = graph("Gather", labels, place)
    graph.output("label", label, types.get(dtype, TensorProto.STRING), ["rows"])
    return score


def _softmax(graph: Graph, logits: str, one_output: bool) -> str:
    """Return the mean over members of their probabilities, (rows, classes)."""
    if one_output:
        zeros = graph("Mul", logits, graph.constant(0.0))
        logits = graph("Concat", zeros, logits, axis=-1)
    return graph.over("ReduceMean", graph("Softmax", logits, axis=-1), [0], keep=False)


def _entropy(graph: Graph, probabilities: str) -> str:
    some = graph("Max", probabilities, graph.constant(1e-300))
    terms = graph("Mul", probabilities, graph("Log", some))
    return graph("Neg", graph.over("ReduceSum", terms, [-1], keep=False))


def _mapped(graph: Graph, outputs: str, chosen: ProbabilityMap, n_classes: int) -> str:
    share = graph("Div", outputs, graph.constant(float(n_classes)))
    below = graph("Min", share, graph.constant(0.0))
    below = graph("Div", below, graph("Sub", graph.constant(1.0), below))
    below = graph("Mul", below, graph.constant(1e-3 * chosen.floor))
    share = graph("Max", share, graph.constant(0.0))
    share = graph("Add", share, graph.constant(chosen.floor))
    logs = graph("Log", graph("Add", share, below))
    return graph("Softmax", graph("Mul", logs, graph.constant(chosen.power)), axis=-1)


def _squared_error_score(
    graph: Graph, outputs: str, n_classes: int, one_output: bool
) -> str:
    """Return how far members are from any class and from each other, (rows,)."""
    centre = graph.over("ReduceMean", outputs, [0], keep=True)
    away = graph("Sub", outputs, centre)
    squares = graph("Mul", outputs, outputs)
    if one_output:
        other = graph("Sub", graph.constant(1.0), outputs)
        misfit = graph("Min", squares, graph("Mul", other, other))
    else:
        # ‖h − K·onehot(largest)‖², as Σ h² with the largest exchanged.
        largest = graph.over("ReduceMax", outputs, [-1], keep=True)
        gap = graph("Sub", largest, graph.constant(float(n_classes)))
        change = graph("Sub", graph("Mul", gap, gap), graph("Mul", largest, largest))
        total = graph.over("ReduceSum", squares, [-1], keep=True)
        misfit = graph("Add", total, change)
    spread = graph.over("ReduceSum", graph("Mul", away, away), [-1], keep=True)
    score = graph.over("ReduceMean", graph("Add", misfit, spread), [0], keep=False)
    return graph.squeeze(score, -1)


def _n_outputs(model: EnsembleClassifier) -> int:
    return list(model.network_.shapes.values())[-1][-1]
