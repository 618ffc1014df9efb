"""The whole graph: columns, scaling, network, prediction, score and flag."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from antireg.estimators.base import Ensemble
from antireg.networks import MLPStack
from antireg.networks.bins import Bins
from antireg.onnx.blame import add_reason_column
from antireg.onnx.builder import IR_VERSION, OPSET, Graph
from antireg.onnx.classification import add_classification
from antireg.onnx.doubt import Familiar, Familiarity, add_familiarity
from antireg.onnx.regression import add_regression
from antireg.onnx.signals import SeenRows
from antireg.rows.scaling import LARGEST, Scaling
from antireg.version import __version__
from onnx import ModelProto, TensorProto, checker, helper

ACTIVATIONS = {
    "relu": ("Relu", {}),
    "leaky_relu": ("LeakyRelu", {"alpha": 0.01}),
    "tanh": ("Tanh", {}),
    "sigmoid": ("Sigmoid", {}),
    "identity": ("Identity", {}),
}
PREDICTIONS: dict[str, Callable[..., str]] = {
    "regressor": add_regression,
    "classifier": add_classification,
}
"""What adds the predictions of each kind of estimator."""


def ensemble_graph(
    model: Ensemble, coverage: float, limit: float, encoding: Any = None
) -> ModelProto:
    """Return the model that onnxruntime runs.

    Args:
        model: Fitted.
        coverage: Of the interval of a regressor.
        limit: The OOD score above which a row is flagged.
        encoding: How a table's columns become inputs; each is an input then.
    """
    graph, strange, new = Graph(), None, None
    if encoding is None:
        shape = ["rows", model.n_inputs_]
        raw = graph.double(graph.input("X", TensorProto.FLOAT, shape))
    else:
        from antireg.onnx.table import add_columns  # noqa: PLC0415

        raw, strange, new = add_columns(graph, encoding)
    inputs = add_scaled(graph, model.scaling_, raw)
    outputs, hidden = _add_network(graph, model, inputs)
    outputs = graph.double(outputs)
    familiar: Familiar | None = None
    seen: list[SeenRows] = []
    if model.doubt_ is not None:
        doubting = model.doubt_

        def unfamiliar(uncertainty: str) -> Familiarity:
            seen.append(SeenRows(graph, inputs, uncertainty, hidden))
            return add_familiarity(graph, doubting, seen[0])

        familiar = unfamiliar

    score = PREDICTIONS[model.kind](graph, model, outputs, coverage, familiar)
    flag = add_flag(graph, score, limit, strange)
    if seen and model.doubt_ is not None:
        blame = model.doubt_.blame(model.columns().owners)
        rare = seen[0].rarities(blame.memory)
        add_reason_column(graph, blame, inputs, rare, flag, new)
    proto = as_model(graph, model, coverage, limit)
    columns = [] if encoding is None else encoding.columns
    dates = {c.name: c.notation.day_first for c in columns if c.kind == "date"}
    if dates:  # for services that read them: each with whether days come first
        proto.metadata_props.add(key="dates", value=json.dumps(dates))
    return proto


def add_flag(graph: Graph, score: str, limit: float, strange: str | None = None) -> str:
    """Return which rows are flagged, (rows,), and add score and flag to the outputs.

    Args:
        graph: With the predictions.
        score: Of each row, (rows,).
        limit: The score above which a row is flagged.
        strange: Rows that are flagged as well, (rows,), if any.
    """
    graph.output("ood_score", score, TensorProto.DOUBLE, ["rows"])
    flag = graph("Greater", score, graph.constant(limit))
    flag = flag if strange is None else graph("Or", flag, strange)
    graph.output("flag", flag, TensorProto.BOOL, ["rows"])
    return flag


def as_model(graph: Graph, model: Any, coverage: float, limit: float) -> ModelProto:
    """Return a finished graph as a model that tells what it was made with."""
    _check_names(graph)
    proto = helper.make_model(
        graph.proto("antireg"),
        opset_imports=[helper.make_opsetid("", OPSET)],
        producer_name="antireg",
        producer_version=__version__,
        ir_version=IR_VERSION,
    )
    names = getattr(model, "feature_names_in_", None)
    facts = {"coverage": str(coverage), "ood_threshold": str(limit)}
    facts |= {} if names is None else {"features": json.dumps(list(names))}
    classes = getattr(model, "classes_", None)
    facts |= {} if classes is None else {"classes": json.dumps(classes.tolist())}
    helper.set_model_props(proto, facts)
    checker.check_model(proto, full_check=True)
    return proto


def _check_names(graph: Graph) -> None:
    """Refuse columns that have the name of an output."""
    taken = {value.name for value in graph.outputs}
    same = [value.name for value in graph.inputs if value.name in taken]
    if same:
        raise ValueError(
            f"Columns must not be named like an output of the graph, got {same}. "
            "Rename them in the table and train again."
        )


def add_scaled(graph: Graph, scaling: Scaling, raw: str) -> str:
    """Return rows as the network sees them, (rows, features), as float."""
    shift, scale, limit = scaling.shift, scaling.scale, scaling.limit
    # In double: a float would lose the digits of columns far from zero.
    scaled = graph(
        "Div", graph("Sub", raw, graph.constant(shift)), graph.constant(scale)
    )
    limit = np.full(1, LARGEST) if limit is None else limit
    scaled = graph("Max", scaled, graph.constant(-limit))
    scaled = graph("Min", scaled, graph.constant(limit))
    return graph.cast(scaled, TensorProto.FLOAT)


def _add_network(graph: Graph, model: Ensemble, values: str) -> tuple[str, str | None]:
    """Return the outputs of members, then of their centre, if any, as float.

    Beside them is what enters the members' last layers, side by side, (rows, units), or
    None if that is the inputs.
    """
    members = []
    for stack in (model.network_, model.centre_):
        if stack is not None:
            assert isinstance(stack, MLPStack)
            numbers = range(stack.n_members)
            made = (
                values if stack.bins is None else _add_bins(graph, stack.bins, values)
            )
            members += [_add_member(graph, stack, m, made) for m in numbers]
    outputs, entering = zip(*members, strict=True)
    joined = graph("Concat", *(graph.unsqueeze(m, 0) for m in outputs), axis=0)
    if len(model.network_.shapes) == 2 or model.doubt_ is None:
        return joined, None
    own = entering[: model.network_.n_members]
    return joined, graph("Concat", *own, axis=1)


def _add_bins(graph: Graph, bins: Bins, values: str) -> str:
    """Return what columns become, (rows, inputs), as float."""
    column, *rest = (values.cpu().numpy() for values in bins.tensors)
    shift, slope, low, high = (graph.constant(part, np.float32) for part in rest)
    made = graph("Gather", values, graph.constant(column, np.int64), axis=1)
    made = graph("Mul", graph("Sub", made, shift), slope)
    return graph("Min", graph("Max", made, low), high)


def _add_member(
    graph: Graph, stack: MLPStack, member: int, values: str
) -> tuple[str, str]:
    """Return the outputs of one member and what enters its last layer, (rows, ...).

    Runtimes fuse Gemm, bias and activation, which they do not for all members at once.
    """
    operator, attributes = ACTIVATIONS[stack.activation]
    weights = [w[member].detach().cpu().numpy() for w in stack.weights().values()]
    layers = list(zip(weights[::2], weights[1::2], strict=True))
    entering = values
    for number, (kernel, bias) in enumerate(layers):
        constants = (graph.constant(w, np.float32) for w in (kernel, bias))
        entering = values
        values = graph("Gemm", values, *constants)
        if number < len(layers) - 1:
            values = graph(operator, values, **attributes)
    return values, entering
