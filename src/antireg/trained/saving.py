"""Trained networks as a folder that holds data only.

The weights are arrays in it. What computes with them is code, which no file of data can
hold: `antireg.load(path, network=...)` is given modules of the same classes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from antireg.estimators.stored_doubt import doubt_arrays
from antireg.estimators.stored_parts import (
    compared_arrays,
    described_map,
    interval_arrays,
    score_arrays,
)
from antireg.storage import model_folder
from antireg.storage.descriptions import described_labels
from antireg.trained.base import Networks
from antireg.trained.restoring import FORMAT, shapes_of
from antireg.version import __version__

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]


def save(model: Networks, path: str | os.PathLike[str]) -> None:
    """Write fitted networks to a folder; a model already there is replaced.

    Args:
        model: A `NetworksRegressor` or a `NetworksClassifier`.
        path: The folder.
    """
    check_is_fitted(model)
    reader, rate = model.reader_, model.false_alarm_rate
    doubting = reader.doubt_
    names = getattr(model, "feature_names_in_", None)
    words: dict[str, Any] = {
        "format": FORMAT,
        "version": __version__,
        "kind": model.kind,
        "meaning": model.meaning_,
        "shape": list(model.input_shape_),
        "features": None if names is None else list(names),
        "false_alarm_rate": float(rate),
        "hidden": model.modules_.has_hidden,
        "signals": list(doubting.normalisation.middle),
        "states": [shapes_of(member) for member in model.modules_.members],
    }
    arrays = doubt_arrays(doubting)
    if doubting.signalling.reference.hidden is not None:
        hidden = doubting.signalling.reference.hidden
        arrays["reference_hidden"] = hidden.astype(np.float32)
    arrays |= compared_arrays(model.comparing_.scaling)
    arrays |= score_arrays(reader.held_out_scores_, rate)
    for number, member in enumerate(model.modules_.members):
        arrays |= _state(member, number)
    more_words, more = TARGETS[model.kind](model)
    model_folder.write(path, {"networks": words | more_words}, arrays | more)


def _amounts(model: Any) -> Parts:
    reader = model.reader_
    arrays = {
        "target_shift": reader.target_scaling_.shift,
        "target_scale": reader.target_scaling_.scale,
        "target_range": reader.target_range_,
        **interval_arrays(reader.interval_factors_, doubted=False),
    }
    if reader.noise_ is not None:
        arrays["noise"] = reader.noise_
    targets = {"count": reader.n_targets_, "flat": reader.flat_targets_}
    return {"targets": targets}, arrays


def _classes(model: Any) -> Parts:
    made, labels = model.reader_.probability_map_, described_labels(model.classes_)
    places = {"places": model.places_.astype(np.int64)}
    return {"classes": labels, "probability_map": described_map(made)}, places


TARGETS: dict[str, Callable[[Any], Parts]] = {
    "regressor": _amounts,
    "classifier": _classes,
}
"""What each kind stores of its targets."""


def _state(member: nn.Module, number: int) -> dict[str, NDArray[Any]]:
    """Return weights and statistics of a module, as arrays that a file can hold."""
    arrays = {}
    for place, (name, values) in enumerate(sorted(member.state_dict().items())):
        if not isinstance(values, Tensor) or values.is_complex():
            raise ValueError(
                "networks must hold real numbers to be saved, got something else in "
                f"{name!r}. Use torch.save, and load such files only if you trust them."
            )
        if not bool(values.isfinite().all()):
            raise ValueError(
                f"networks must hold finite numbers to be saved, got others in {name!r}"
                ". Register such a buffer with persistent=False."
            )
        exact = values.double() if values.dtype.itemsize == 8 else values.float()
        kind = exact if values.is_floating_point() else values.long()
        arrays[f"network_{number}_{place}"] = kind.cpu().numpy().reshape(-1)
    return arrays
