"""Saves a fitted ensemble to a folder that holds only data, and loads it.

Nothing in the folder is executed: no pickle, and names only of known methods, losses
and activations. A model that an older version saved loads in every later one: `FORMAT`
grows when the meaning of a field changes, and tests/files has a folder of each format.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.base import Ensemble
from antireg.estimators.restoring import FORMAT, LIMITED, LINED, restored
from antireg.estimators.stored_doubt import doubt_arrays
from antireg.estimators.stored_network import (
    Architecture,
    bin_arrays,
    described_network,
)
from antireg.estimators.stored_parts import described_map, interval_arrays, score_arrays
from antireg.familiarity.doubt import Doubt
from antireg.process import own_modes
from antireg.storage import model_folder
from antireg.storage.descriptions import (
    described_labels,
    described_method,
    described_settings,
)
from antireg.storage.fields import Fields
from antireg.training.provenance import TrainingData
from antireg.version import __version__

WITH_LOGARITHMS = 6
WITH_CENTRE = 4
WITH_DOUBT = 3
WITHOUT_DOUBT = 2

MOST_EPOCHS = 100
"""Most epochs stored, so that the file is hardly larger than the weights."""

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""Fields of the description, and arrays."""


@dataclass(frozen=True, eq=False)
class StoredModel:
    """The contents of a folder.

    Attributes:
        model: The fitted estimator.
        metrics: Measured on validation rows, by name.
        versions: Of the packages that wrote it.
    """

    model: Any
    metrics: dict[str, Any]
    versions: dict[str, Any]


def save(
    model: Ensemble,
    path: str | os.PathLike[str],
    *,
    metrics: Mapping[str, float] | None = None,
) -> None:
    """Write a fitted estimator to a folder; a model already there is replaced.

    Args:
        model: The estimator.
        path: The folder.
        metrics: Measured on validation rows, by name.
    """
    description, arrays = described(model)
    description |= {"metrics": dict(metrics or {})}
    model_folder.write(path, description, arrays)


def described(model: Ensemble) -> Parts:
    """Return all that a fitted estimator is, as words and arrays."""
    check_is_fitted(model)
    description, arrays = _shared(model)
    words, more = TARGETS[model.kind](model)
    return description | {"kind": model.kind, **words}, arrays | more


@own_modes()
def read(
    path: str | os.PathLike[str], *, network: Architecture | None = None
) -> StoredModel:
    """Return the estimator in a folder and what is stored beside it.

    Args:
        path: The folder.
        network: The module, or the function that makes one, if the estimator has an
            architecture of your own: that is code, which the folder does not hold.
    """
    with model_folder.opened(path) as (description, arrays):
        fields = Fields(path, description)
        if "gate" in description or "networks" in description:
            raise ValueError(
                f"The model in {os.fspath(path)!r} is a gate around another, or "
                "trained networks, which only antireg.load reads. Commands take models "
                "of `antireg fit`."
            )
        return StoredModel(
            restored(fields, arrays, network),
            fields.inner("metrics").values,
            fields.inner("versions").values,
        )


def _shared(model: Ensemble) -> Parts:
    """Return what both estimators store."""
    encoding = None if model.encoder_ is None else model.encoder_.encoding_
    names = getattr(model, "feature_names_in_", None)
    if encoding is not None and not encoding.plain:
        names = None  # they are those of the table
    history = model.history_.thinned(MOST_EPOCHS)
    description = {
        "format": _format(model),
        "versions": {
            "antireg": __version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "torch": str(torch.__version__),
        },
        "settings": described_settings(model)
        | {"robust": model.robust_, "scaling": model.scaled_by_}
        | {"target_transform": getattr(model, "target_transform_", None)},
        "method": described_method(model.method_),
        "loss": next(
            name for name, kind in model.losses.items() if kind is type(model.loss_)
        ),
        "network": described_network(model),
        "features": None if names is None else list(names),
        "table": None if encoding is None else encoding.described(),
        "training": {
            "rows": model.training_data_.n_rows,
            **({} if model.n_groups_ is None else {"groups": model.n_groups_}),
            "sha256": model.training_data_.fingerprint,
            "seconds": model.history_.seconds,
            **({} if encoding else _ranges(model.training_data_)),
        },
        "ood_threshold": model.ood_threshold(),
    }
    curves = [history.loss, history.validation_loss, history.control, history.weight]
    arrays = {
        "weights": model.network_.flat.detach().cpu().numpy(),
        "input_shift": model.scaling_.shift,
        "input_scale": model.scaling_.scale,
        "input_mean": model.training_data_.mean,
        "input_variance": model.training_data_.variance,
        **score_arrays(model.held_out_scores_, model.false_alarm_rate),
        "history": np.stack(curves).astype(np.float32),
        "history_epochs": history.epochs,
        "history_kept": history.kept,
        **bin_arrays(model.network_),
    }
    if model.centre_ is not None:
        arrays["centre_weights"] = model.centre_.flat.detach().cpu().numpy()
    if model.doubt_ is not None:
        signals = list(model.doubt_.normalisation.middle)
        line = {} if model.doubt_.line is None else {"line": True}
        description |= {"doubt": {"signals": signals, **line}}
        arrays |= doubt_arrays(model.doubt_)
    if model.scaling_.limit is not None:
        arrays["input_limit"] = model.scaling_.limit
    return description, arrays


def _ranges(training: TrainingData) -> dict[str, Any]:
    """Return the least and the greatest of each input, if they are known."""
    ends = {"low": training.low, "high": training.high}
    return {name: end.tolist() for name, end in ends.items() if end is not None}


def _format(model: Ensemble) -> int:
    """Return the oldest format that holds all of the model."""
    widened = model.doubt_ is not None and hasattr(model, "interval_factors_")
    doubt = None if model.doubt_ is None else model.doubt_.doubt
    if isinstance(doubt, Doubt) and np.isfinite(doubt.reach):
        return FORMAT
    if isinstance(doubt, Doubt) and doubt.line is not None:
        return LINED
    if widened or bin_arrays(model.network_):
        return LIMITED
    if getattr(model, "target_transform_", None) is not None:
        return WITH_LOGARITHMS
    if model.centre_ is not None:
        return WITH_CENTRE
    return WITHOUT_DOUBT if model.doubt_ is None else WITH_DOUBT


def _amounts(model: EnsembleRegressor) -> Parts:
    scaling = model.target_scaling_
    arrays = {"target_shift": scaling.shift, "target_scale": scaling.scale}
    arrays |= interval_arrays(model.interval_factors_, model.doubt_ is not None)
    if model.robust_:
        arrays["target_range"] = model.target_range_
    if model.noise_ is not None:
        arrays["noise"] = model.noise_
    targets = {"count": model.n_targets_, "flat": model.flat_targets_}
    return {"targets": targets}, arrays


def _classes(model: EnsembleClassifier) -> Parts:
    made = model.probability_map_
    parts = None if made is None else described_map(made)
    labels = described_labels(model.classes_)
    return {"classes": labels, "probability_map": parts}, {}


TARGETS: dict[str, Callable[[Any], Parts]] = {
    "regressor": _amounts,
    "classifier": _classes,
}
"""What each kind of estimator stores of its targets."""
