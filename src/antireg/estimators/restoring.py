"""Restores a fitted estimator from a description and arrays, and checks both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.base import Ensemble
from antireg.estimators.stored_doubt import restored_doubt
from antireg.estimators.stored_network import (
    Architecture,
    axes_of,
    n_inputs_of,
    stack_from,
)
from antireg.estimators.stored_parts import (
    held_out_scores_from,
    interval_factors_from,
    limit_from,
    n_groups_from,
    names_from,
    noise_from,
    probability_map_from,
    scaling_from,
    target_range_from,
    targets_from,
    training_data_from,
)
from antireg.history import History
from antireg.predictive.intervals import IntervalFactors
from antireg.storage.array_file import Arrays
from antireg.storage.descriptions import labels_from, method_from, settings_from
from antireg.storage.fields import Fields
from antireg.tables.encoder import TableEncoder
from antireg.tables.encoding import Encoding

FORMAT, WIDENED, LIMITED, LINED = 9, 5, 7, 8
"""1 had no ranks of scores and no interval factors; 3 has doubt, 4 has a centre, 5
widens intervals where there is doubt, 6 learned logarithms of targets, 7 cuts columns
into bins and ends that widening where the interval of the constant ends, 8 has a line
beside the constant, and 9 limits how far members may go where there is doubt. A model
is written in the oldest format that holds it."""


def restored(fields: Fields, arrays: Arrays, network: Architecture | None) -> Any:
    """Return the estimator, after checking every value that it will compute with.

    Args:
        fields: The description.
        arrays: All must be used; one too many is an error.
        network: The architecture, if it is the user's own.
    """
    version = fields.version("model", FORMAT)
    estimator, restore = KINDS[fields.choice("kind", KINDS)]
    settings = settings_from(fields.inner("settings"), estimator)
    if version == 1:
        settings["robust"] = False  # there was no such setting
    for name in ("doubt", "patience", "bins"):
        settings.setdefault(name, None)  # before there was such a setting
    model = estimator(**settings, network=network)
    model.robust_, model.scaled_by_ = bool(model.robust), model.scaling
    loss = fields.choice("loss", model.losses)
    model.loss_ = model.losses[loss]()
    n_outputs = restore(model, loss, fields, arrays)
    model.network_ = stack_from(fields, arrays, n_outputs, network)
    if model.robust_ and model.takes_centre and arrays.has("centre_weights"):
        shape = tuple(model.network_.flat.shape)
        weights = torch.from_numpy(arrays.take("centre_weights", np.float32, shape))
        model.centre_ = model.network_.with_weights(weights)
    model.n_features_in_ = n_features = n_inputs_of(fields)
    if (axes := axes_of(fields)) is not None:
        model.input_shape_ = axes
    if (names := names_from(fields, n_features)) is not None:
        model.feature_names_in_ = names
    model.scaling_ = scaling_from(fields, arrays, "input", n_features)
    if arrays.has("input_limit"):
        limit = limit_from(fields, arrays, n_features)
        model.scaling_ = replace(model.scaling_, limit=limit)
    _restore_table(model, fields)
    if "doubt" in fields.values:
        model.doubt_ = restored_doubt(model, fields.inner("doubt"), arrays)
    model.held_out_rows_ = None
    model.method_ = method_from(fields.inner("method"))
    _restore_training(model, fields, arrays)
    arrays.finish()
    return model


def _amounts(
    model: EnsembleRegressor, loss: str, fields: Fields, arrays: Arrays
) -> int:
    """Restore what only a regressor has; return its network's number of outputs."""
    if model.target_transform not in (None, "log"):
        raise fields.inner("settings").wrong("target_transform", 'must be "log"')
    model.target_transform_ = model.target_transform
    model.n_targets_, model.flat_targets_ = targets_from(fields)
    model.target_scaling_ = scaling_from(fields, arrays, "target", model.n_targets_)
    if model.robust_:
        model.target_range_ = target_range_from(fields, arrays, model.n_targets_)
    model.interval_factors_ = IntervalFactors.none(model.n_targets_)
    if fields.count("format") > 1:
        model.interval_factors_ = interval_factors_from(
            fields,
            arrays,
            model.n_targets_,
            n_outside=_n_outside(fields),
        )
    model.noise_ = None
    if loss != "gaussian_nll":
        model.noise_ = noise_from(fields, arrays, (None, 1, model.n_targets_))
    return model.loss_.n_outputs(model.n_targets_)


def _n_outside(fields: Fields) -> int:
    """Return how many numbers say how wide intervals are where there is doubt."""
    if "doubt" not in fields.values:
        return 0
    return sum(fields.count("format") >= first for first in (WIDENED, LIMITED))


def _classes(
    model: EnsembleClassifier, loss: str, fields: Fields, arrays: Arrays
) -> int:
    """Restore what only a classifier has; return its network's number of outputs."""
    model.classes_ = labels_from(fields.inner("classes"))
    n_classes = len(model.classes_)
    if loss == "binary_squared_error" and n_classes > 2:
        raise fields.wrong("loss", "must fit the number of classes")
    one_column = n_classes == 2 and loss != "one_hot_squared_error"
    model.probability_map_ = None
    if loss != "cross_entropy":
        model.probability_map_ = probability_map_from(fields)
    return model.loss_.n_outputs(1 if one_column else n_classes)


KINDS: dict[str, tuple[type[Ensemble], Callable[..., int]]] = {
    EnsembleRegressor.kind: (EnsembleRegressor, _amounts),
    EnsembleClassifier.kind: (EnsembleClassifier, _classes),
}


def _restore_table(model: Any, fields: Fields) -> None:
    """Restore how tables become the model's inputs, if they do."""
    if fields.values.get("table") is None:
        return
    encoding = Encoding.from_description(fields.inner("table"))
    if len(encoding.features) != model.n_inputs_:
        raise fields.wrong("table", "does not have the features of the model")
    model._take_encoder(TableEncoder.of(encoding))


def _restore_training(model: Any, fields: Fields, arrays: Arrays) -> None:
    """Restore what the model remembers of its training."""
    training, members = fields.inner("training"), model.network_.n_members
    noise = getattr(model, "noise_", None)
    if noise is not None and len(noise) != members * (1 + (model.centre_ is not None)):
        raise fields.wrong("noise", "must have as many members as all weights")
    ranked = fields.count("format") > 1
    model.held_out_scores_ = held_out_scores_from(fields, arrays, ranked=ranked)
    # There may be several draws of each member that was trained.
    curves = arrays.take("history", np.float32, (4, None, None)).astype(np.float64)
    trained = curves.shape[2]
    if not trained or members % trained:
        raise fields.wrong("history", "must have members of which weights are drawn")
    epochs = arrays.take("history_epochs", np.int64, (curves.shape[1],))
    kept = arrays.take("history_kept", np.int64, (trained,))
    ascending = epochs.size and epochs[0] >= 1 and np.all(np.diff(epochs) > 0)
    if not ascending or not np.isin(kept, epochs).all():
        raise fields.wrong("history_epochs", "must ascend and hold the kept ones")
    seconds = training.number("seconds")
    loss, validation_loss, control, weight = curves
    model.history_ = History(
        loss, validation_loss, control, weight, kept, seconds, epochs
    )
    model.trials_ = [(model.method_, model.history_)]
    model.training_data_ = training_data_from(fields, arrays, model.n_inputs_)
    model.n_groups_ = n_groups_from(fields.inner("training"))
