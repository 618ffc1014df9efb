"""Trained networks as a graph: modules as PyTorch exports them, and what reads them."""

from __future__ import annotations

import copy
import io
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import onnx
from antireg.onnx.builder import OPSET, Graph
from antireg.onnx.doubt import Familiarity, add_familiarity
from antireg.onnx.graph import PREDICTIONS, add_flag, add_scaled, as_model
from antireg.onnx.signals import SeenRows
from antireg.trained.base import Networks
from antireg.trained.meaning import LEAST_VARIANCE
from antireg.trained.modules import Modules, evaluating
from onnx import ModelProto, TensorProto, compose

N_TRACED = 2
"""Rows that a module is exported with; the graph takes any number."""


def networks_graph(model: Networks, coverage: float, limit: float) -> ModelProto:
    """Return the model that onnxruntime runs.

    Args:
        model: Fitted.
        coverage: Of the interval of a regressor.
        limit: The OOD score above which a row is flagged.
    """
    graph, reader = Graph(), model.reader_
    x = graph.input("X", TensorProto.FLOAT, ["rows", *model.input_shape_])
    raw, hidden = _add_members(graph, model, x)
    outputs = MEANINGS[model.meaning_](graph, model, raw)
    columns = graph.constant([-1, int(np.prod(model.input_shape_))], np.int64)
    flat = graph("Reshape", graph.double(x), columns)
    inputs = add_scaled(graph, model.comparing_.scaling, flat)

    def familiar(uncertainty: str) -> Familiarity:
        rows = SeenRows(graph, inputs, uncertainty, hidden)
        return add_familiarity(graph, reader.doubt_, rows)

    n_outputs = getattr(reader, "n_targets_", 0) or len(model.classes_)
    read = copy.copy(reader)
    read.network_ = SimpleNamespace(
        n_members=len(model.modules_.members), shapes={"outputs": (n_outputs,)}
    )
    score = PREDICTIONS[model.kind](graph, read, outputs, coverage, familiar)
    add_flag(graph, score, limit)
    return as_model(graph, model, coverage, limit)


def _add_members(graph: Graph, model: Networks, x: str) -> tuple[str, str | None]:
    """Return the outputs of all modules, (members, rows, outputs), and hidden units."""
    looks_inside = model.modules_.has_hidden
    probe = torch.zeros(N_TRACED, *model.input_shape_)
    said, entering = [], []
    for number, member in enumerate(model.modules_.members):
        part = _exported(Modules((member,), looks_inside), probe)
        part = compose.add_prefix(part, f"antireg/network{number}/")
        graph.nodes.append(
            onnx.helper.make_node("Identity", [x], [part.graph.input[0].name])
        )
        graph.nodes.extend(part.graph.node)
        graph.constants.extend(part.graph.initializer)
        first, *rest = [value.name for value in part.graph.output]
        said.append(graph.unsqueeze(graph.double(first), 0))
        entering += rest
    hidden = graph("Concat", *entering, axis=1) if looks_inside else None
    return graph("Concat", *said, axis=0), hidden


class _Told(nn.Module):
    """A module that returns its outputs, and hidden units if it is to say them."""

    def __init__(self, modules: Modules) -> None:
        super().__init__()
        self.module, self.modules_ = modules.members[0], modules

    def forward(self, rows: Tensor) -> Any:
        outputs, hidden = self.modules_(rows)
        return outputs[0] if hidden is None else (outputs[0], hidden)


def _exported(modules: Modules, probe: Tensor) -> ModelProto:
    """Return the graph of one module, or say that PyTorch cannot make it."""
    member, file = modules.members[0], io.BytesIO()
    names = ["outputs", "hidden"] if modules.has_hidden else ["outputs"]
    axes = {name: {0: "rows"} for name in ("x", *names)}
    try:
        with evaluating(modules.members), warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                _Told(modules).eval(),
                (probe,),
                file,  # type: ignore[arg-type]
                dynamo=False,  # the other exporter needs one more package
                opset_version=OPSET,
                input_names=["x"],
                output_names=names,
                dynamic_axes=axes,
            )
    except Exception as error:  # of PyTorch, or of the user's code
        raise ValueError(
            "networks must be modules that PyTorch can export, got a "
            f"{type(member).__name__} that it cannot: {str(error)[:300]}. Use "
            "model.save, and antireg.load where the code is."
        ) from error
    return onnx.load_from_string(file.getvalue())


def _add_gaussians(graph: Graph, model: Any, raw: str) -> str:
    means, spread = graph.several("Split", 2, raw, axis=2, num_outputs=2)
    if model.meaning_ == "mean_variance":
        spread = graph("Max", spread, graph.constant(LEAST_VARIANCE))
        spread = graph("Log", spread)
    scale = graph.constant(2 * np.log(model.reader_.target_scaling_.scale))
    means = _standardised(graph, model, means)
    return graph("Concat", means, graph("Sub", spread, scale), axis=2)


def _standardised(graph: Graph, model: Any, means: str) -> str:
    scaling = model.reader_.target_scaling_
    away = graph("Sub", means, graph.constant(scaling.shift))
    return graph("Div", away, graph.constant(scaling.scale))


def _add_shares(graph: Graph, model: Any, raw: str) -> str:
    """Return K times the probability of each class, (members, rows, classes)."""
    softly = model.meaning_ == "logits"
    if _is_one(model):
        second = graph("Sigmoid", raw) if softly else _clipped(graph, raw)
        first = graph("Sub", graph.constant(1.0), second)
        shares = graph("Concat", first, second, axis=2)
    else:
        shares = graph("Softmax", raw, axis=2) if softly else _clipped(graph, raw)
    shares = graph("Mul", shares, graph.constant(float(len(model.classes_))))
    return graph("Gather", shares, graph.constant(model.places_, np.int64), axis=2)


def _clipped(graph: Graph, raw: str) -> str:
    return graph("Clip", raw, graph.constant(0.0), graph.constant(1.0))


def _is_one(model: Networks) -> bool:
    """Return whether one output stands for two classes."""
    with torch.no_grad():
        outputs, _ = model.modules_(torch.zeros(1, *model.input_shape_))
    return outputs.shape[-1] == 1


MEANINGS: dict[str, Any] = {
    "mean": _standardised,
    "mean_variance": _add_gaussians,
    "mean_log_variance": _add_gaussians,
    "logits": _add_shares,
    "probabilities": _add_shares,
}
"""What makes a reader's outputs of those of networks."""
