"""From a checked description and arrays to a gate around one of our ensembles."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from antireg.estimators.restoring import restored
from antireg.estimators.stored_doubt import doubting_from
from antireg.estimators.stored_network import Architecture, n_inputs_of
from antireg.estimators.stored_parts import (
    compared_from,
    held_out_scores_from,
    interval_factors_from,
    n_groups_from,
    probability_map_from,
    rate_from,
)
from antireg.predictive.probability_map import ProbabilityMap
from antireg.storage.array_file import Arrays, Taking
from antireg.storage.fields import Fields
from antireg.trusted.classifier import TrustedClassifier
from antireg.trusted.inputs import Inputs
from antireg.trusted.learning import Gate
from antireg.trusted.looking import Observer
from antireg.trusted.noise import N_KNOTS, Curve, Noise
from antireg.trusted.regressor import TrustedRegressor
from antireg.trusted.rules import ClassRules, Rules, ValueRules

FORMAT = 5
"""1 had intervals that were not widened where there is doubt, 2 widened them without
limit; up to 3, noise had no part that all rows have; up to 4, the model's answer
had no limit where there is doubt."""
PREFIX = "gate_"
"""Of the names of arrays that are not the ensemble's."""

LARGEST_LOG = 600.0
"""Of logarithms of variances, whose exponential must be a float."""

GATES: dict[str, Any] = {"regressor": TrustedRegressor, "classifier": TrustedClassifier}


def restored_gate(fields: Fields, arrays: Arrays, network: Architecture | None) -> Any:
    """Return the gate, after a check of all that it will compute with.

    Args:
        fields: The description.
        arrays: Each is taken; one too many is an error.
        network: The architecture of the ensemble, if it is the user's own.
    """
    words, described = fields.inner("gate"), fields.inner("estimator")
    words.version("gate", FORMAT)
    kind, n_columns = described.choice("kind", GATES), n_inputs_of(described)
    own = arrays.prefixed(PREFIX)
    model = GATES[kind](None, prefit=words.flag("prefit"))
    model.false_alarm_rate = rate_from(words)
    model.held_out_scores_ = held_out_scores_from(words, own)
    model.n_groups_ = n_groups_from(words)
    inputs = _inputs(words, own, n_columns)
    calibration, n_outputs = CALIBRATIONS[kind](model, words, described, own)
    shape = n_columns, n_outputs
    doubting = doubting_from(words, own, kind, shape, lambda inputs: None)
    inner = restored(described, arrays, network)
    model.estimator = inner if model.prefit else clone(inner)
    model.estimator_, model.n_features_in_ = inner, n_columns
    if hasattr(inner, "feature_names_in_"):
        model.feature_names_in_ = inner.feature_names_in_
    rules = RULES[kind](model, inner, doubting.doubt)
    looking = Observer(rules, replace(inputs, last=inner), doubting.signalling)
    model.gate_ = Gate(looking, calibration, doubting.normalisation, doubting.doubt)
    return model


def _inputs(words: Fields, own: Taking, n_columns: int) -> Inputs:
    scaling = compared_from(words, own, n_columns)
    fill, none = np.zeros(n_columns), np.zeros(0, dtype=np.intp)
    return Inputs((), None, None, np.arange(n_columns), none, fill, scaling)


def _amounts(
    model: TrustedRegressor, words: Fields, described: Fields, own: Taking
) -> tuple[Noise, int]:
    """Restore intervals; return the noise, and how many targets there are."""
    n_targets = described.inner("targets").count("count")
    version = words.count("format")
    model.interval_factors_ = interval_factors_from(
        words, own, n_targets, n_outside=min(version, 3) - 1
    )
    numbers = own.take("noise_numbers", np.float64, (n_targets, 4))
    common = np.zeros(n_targets)
    if version > 3:
        common = own.take("noise_common", np.float64, (n_targets,))
    if common.min() < 0 or common.max() > np.exp(LARGEST_LOG):
        raise words.wrong("noise_common", "must be moderate numbers, 0 or more")
    curves = []
    for number, (slope, floor, low, high) in enumerate(numbers.tolist()):
        knots = own.take(f"noise_knots_{number}", np.float64, (None,))
        heights = own.take(f"noise_heights_{number}", np.float64, (len(knots),))
        if not 1 <= len(knots) <= N_KNOTS or np.any(np.diff(knots) <= 0):
            raise words.wrong("noise_knots", f"must ascend, up to {N_KNOTS}")
        largest = np.abs(heights).max() + abs(slope) * max(abs(low), abs(high))
        if low > high or floor < 0 or not largest <= LARGEST_LOG:
            raise words.wrong("noise_numbers", "must be moderate numbers")
        curve = Curve(knots, heights, slope, floor, low, high, float(common[number]))
        curves.append(curve)
    return Noise(tuple(curves)), n_targets


def _classes(
    model: TrustedClassifier, words: Fields, described: Fields, own: Taking
) -> tuple[ProbabilityMap, int]:
    """Return what probabilities mean, and how many classes there are."""
    found, values = probability_map_from(words), described.inner("classes")
    listed = values.get("values")
    if type(listed) is not list:
        raise values.wrong("values", "must be a list")
    return found, len(listed)


CALIBRATIONS: dict[str, Any] = {"regressor": _amounts, "classifier": _classes}


def _value_rules(model: TrustedRegressor, inner: Any, doubt: Any) -> Rules:
    model.flat_targets_ = inner.flat_targets_
    return ValueRules(doubt.mean, doubt.variance)


def _class_rules(model: TrustedClassifier, inner: Any, doubt: Any) -> Rules:
    model.classes_ = inner.classes_
    return ClassRules(inner.classes_, doubt.frequencies)


RULES: dict[str, Any] = {"regressor": _value_rules, "classifier": _class_rules}
