"""Stores a model's doubt as named arrays, and restores it with every array checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from antireg.estimators.doubting import Doubting
from antireg.familiarity import SIGNALS, Reference
from antireg.familiarity.doubt import ClassDoubt, Curve, Doubt
from antireg.familiarity.joining import Normalisation, Signalling
from antireg.familiarity.line import Line
from antireg.familiarity.references import MOST, most_references
from antireg.networks.inference import seen_by
from antireg.storage.array_file import Arrays, Taking
from antireg.storage.fields import Fields

LARGEST_WEIGHT = 1e200
"""Of a line: so that its sums are finite for any inputs."""

LARGEST_NUMBER = 100.0
"""Largest absolute number of doubt; most are logarithms."""


def doubt_arrays(doubting: Doubting) -> dict[str, NDArray[Any]]:
    """Return everything that doubt has learned, by name."""
    reference, normal = doubting.signalling.reference, doubting.normalisation
    doubt, curve = doubting.doubt, doubting.doubt.curve
    numbers = [curve.a, curve.b, curve.start, curve.end]
    arrays: dict[str, NDArray[Any]] = {
        "reference_inputs": reference.inputs.astype(np.float32),
        "reference_sensitivity": reference.sensitivity,
        "signal_middle": np.array(list(normal.middle.values())),
        "signal_scale": np.array([normal.scale[name] for name in normal.middle]),
    }
    for name, memory in doubting.signalling.memories.items():
        arrays |= {f"signal_{name}_{key}": values for key, values in memory.items()}
    if isinstance(doubt, Doubt):
        numbers += [doubt.noise, doubt.growth, doubt.width]
        numbers += [doubt.reach] if np.isfinite(doubt.reach) else []
        arrays |= {"doubt_mean": doubt.mean, "doubt_variance": doubt.variance}
        if (line := doubt.line) is not None:
            ends = [line.shift, line.low, line.high, line.variance]
            arrays |= {"line_weights": line.weights, "line_ends": np.array(ends)}
    else:
        arrays["doubt_frequencies"] = doubt.frequencies
    return arrays | {"doubt_numbers": np.array(numbers)}


def restored_doubt(model: Any, fields: Fields, arrays: Arrays) -> Doubting:
    """Return the doubt of a stored model.

    Args:
        model: Restored except for its doubt.
        fields: The description, which names the signals.
        arrays: Of the model; those of doubt are taken out.
    """
    n_outputs = getattr(model, "n_targets_", 0) or len(model.classes_)

    def hidden_of(inputs: NDArray[np.float32]) -> NDArray[np.floating] | None:
        return seen_by(model.network_, torch.from_numpy(inputs)).hidden

    shape = model.n_inputs_, n_outputs
    most = most_references(model.network_, model.n_inputs_)
    doubting = doubting_from(fields, arrays, model.kind, shape, hidden_of, most)
    if "line" not in fields.values or not isinstance(doubting.doubt, Doubt):
        return doubting
    line = _line(shape, fields, arrays) if fields.flag("line") else None
    return replace(doubting, doubt=replace(doubting.doubt, line=line))


def doubting_from(
    fields: Fields,
    arrays: Taking,
    kind: str,
    shape: tuple[int, int],
    hidden_of: Callable[[NDArray[np.float32]], NDArray[np.floating] | None],
    most: int = MOST,
) -> Doubting:
    """Return the doubt that these arrays describe.

    Args:
        fields: The description, which names the signals.
        arrays: Those of doubt are taken.
        kind: "regressor" or "classifier".
        shape: Columns of the references, and targets or classes.
        hidden_of: What enters the last layer of a network that there may be.
        most: References that there may be.
    """
    n_features, n_outputs = shape
    names = fields.texts("signals")
    if not names or set(names) - set(SIGNALS) or len(set(names)) < len(names):
        raise fields.wrong("signals", f"must be some of {', '.join(SIGNALS)}")
    rows = range(1, most + 1)
    inputs = arrays.take("reference_inputs", np.float32, (rows, n_features))
    moved = arrays.take("reference_sensitivity", np.float64, (n_features,))
    hidden = hidden_of(inputs)
    reference = Reference(inputs, moved, hidden)
    if not all(SIGNALS[name].usable(reference) for name in names):
        raise fields.wrong("signals", "must be such that this network can be asked for")
    memories = {
        name: {
            key: arrays.take(f"signal_{name}_{key}", np.float64, shape)
            for key, shape in SIGNALS[name].shapes(reference).items()
        }
        for name in names
    }
    if any(memory["floor"] <= 0 for memory in memories.values() if "floor" in memory):
        raise fields.wrong("floor", "of a signal must be above 0")
    middle = arrays.take("signal_middle", np.float64, (len(names),))
    scale = arrays.take("signal_scale", np.float64, (len(names),))
    if scale.min() <= 0:
        raise fields.wrong("signal_scale", "must be above 0")
    normal = Normalisation(
        dict(zip(names, middle.tolist(), strict=True)),
        dict(zip(names, scale.tolist(), strict=True)),
    )
    if not normal.flag_names() or not normal.doubt_names():
        raise fields.wrong("signals", "must hold some for flags and some for doubt")
    doubt = DOUBT_OF[kind](n_outputs, fields, arrays)
    return Doubting(Signalling(reference, memories), normal, doubt)


def _of_values(n_targets: int, fields: Fields, arrays: Taking) -> Doubt:
    curve, numbers = _curve(fields, arrays, range(7, 9))
    mean = arrays.take("doubt_mean", np.float64, (n_targets,))
    variance = arrays.take("doubt_variance", np.float64, (n_targets,))
    if variance.min() <= 0:
        raise fields.wrong("doubt_variance", "must be above 0")
    noise, growth, width, *limit = numbers
    if min(limit, default=1.0) <= 0:
        raise fields.wrong("doubt_numbers", "must end with a number above 0")
    reach = limit[0] if limit else np.inf
    return Doubt(curve, noise, growth, width, mean, variance, reach=reach)


def _line(shape: tuple[int, int], fields: Fields, arrays: Taking) -> Line:
    """Return the line of columns and targets that doubt falls back on."""
    weights = arrays.take("line_weights", np.float64, shape)
    ends = arrays.take("line_ends", np.float64, (4, shape[1]))
    line = Line(weights, *ends)
    if np.abs(weights).max(initial=0) > LARGEST_WEIGHT:
        raise fields.wrong("line_weights", f"must be {LARGEST_WEIGHT:g} at most")
    if line.variance.min() <= 0 or np.any(line.low > line.high):
        raise fields.wrong(
            "line_ends", "must have low up to high, and variances above 0"
        )
    return line


def _of_classes(n_classes: int, fields: Fields, arrays: Taking) -> ClassDoubt:
    curve, _ = _curve(fields, arrays, 4)
    shares = arrays.take("doubt_frequencies", np.float64, (n_classes,))
    if shares.min() < 0 or abs(shares.sum() - 1) > 1e-6:
        raise fields.wrong("doubt_frequencies", "must be shares that sum to 1")
    return ClassDoubt(curve, shares)


DOUBT_OF: dict[str, Callable[[int, Fields, Taking], Doubt | ClassDoubt]] = {
    "regressor": _of_values,
    "classifier": _of_classes,
}


def _curve(
    fields: Fields, arrays: Taking, n_numbers: int | range
) -> tuple[Curve, list[float]]:
    """Return the curve of doubt and the remaining numbers."""
    numbers = arrays.take("doubt_numbers", np.float64, (n_numbers,))
    if np.abs(np.delete(numbers, [2, 3])).max() > LARGEST_NUMBER:
        raise fields.wrong("doubt_numbers", "must be moderate numbers")
    a, b, start, end = numbers[:4].tolist()
    return Curve(a, b, start, end), numbers[4:].tolist()
