"""Parts that models of several kinds store: scalings, held-out scores, noise, names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity import detection
from antireg.predictive.intervals import LARGEST_OUTSIDE, IntervalFactors
from antireg.predictive.probability_map import ProbabilityMap
from antireg.rows.scaling import LARGEST, Scaling
from antireg.storage.array_file import Taking
from antireg.storage.fields import Fields
from antireg.training.provenance import TrainingData

Array = NDArray[np.float64]


MOST_SCORES = 499
"""Most scores stored, so that the file is hardly larger than the weights."""


def score_arrays(scores: Array, rate: float) -> dict[str, NDArray[Any]]:
    """Return held-out scores by name, thinned.

    Args:
        scores: Ascending, (rows,).
        rate: Of false alarms, whose threshold stays the same.
    """
    kept, ranks = detection.thinned(scores, MOST_SCORES, rate)
    return {"held_out_scores": kept, "held_out_ranks": ranks}


def compared_arrays(scaling: Scaling) -> dict[str, Array]:
    """Return the scaling of the numbers that rows are compared by, by name."""
    limit = np.full(len(scaling.shift), LARGEST)
    return {
        "input_shift": scaling.shift,
        "input_scale": scaling.scale,
        "input_limit": limit if scaling.limit is None else scaling.limit,
    }


def compared_from(fields: Fields, arrays: Taking, columns: int) -> Scaling:
    """Return the scaling of the numbers that rows are compared by."""
    scaling = scaling_from(fields, arrays, "input", columns)
    return replace(scaling, limit=limit_from(fields, arrays, columns))


def limit_from(fields: Fields, arrays: Taking, columns: int) -> Array:
    """Return where scaled inputs are clipped, (columns,)."""
    limit = arrays.take("input_limit", np.float64, (columns,))
    if limit.min() <= 0:
        raise fields.wrong("input_limit", "must be above 0")
    return limit


def rate_from(fields: Fields) -> float:
    """Return the share of in-distribution rows that may be flagged."""
    rate = fields.number("false_alarm_rate")
    if not 0 < rate < 1:
        raise fields.wrong("false_alarm_rate", "must be between 0 and 1")
    return rate


def names_from(fields: Fields, columns: int) -> NDArray[Any] | None:
    """Return the names of the columns, (columns,), if they have any."""
    if fields.get("features") is None:
        return None
    names = fields.texts("features")
    if len(names) != columns:
        raise fields.wrong("features", f"must name {columns} columns")
    return np.array(names, dtype=object)


def targets_from(fields: Fields) -> tuple[int, bool]:
    """Return how many targets there are, and whether y was given as (rows,)."""
    targets = fields.inner("targets")
    count, flat = targets.count("count"), targets.flag("flat")
    if flat and count > 1:
        raise targets.wrong("flat", "must be false for several targets")
    return count, flat


def target_range_from(fields: Fields, arrays: Taking, n_targets: int) -> Array:
    """Return the least and the most that a robust mean may be, (2, targets)."""
    ends = arrays.take("target_range", np.float64, (2, n_targets))
    if np.any(np.diff(ends, axis=0) < 0):
        raise fields.wrong("target_range", "must hold the lower ends first")
    return ends


def noise_from(
    fields: Fields, arrays: Taking, shape: tuple[int | None, int, int]
) -> Array:
    """Return the variance of targets around the outputs, (members, 1, targets)."""
    noise = arrays.take("noise", np.float64, shape)
    if noise.size and noise.min() < 0:
        raise fields.wrong("noise", "must be 0 or more")
    return noise


def described_map(made: ProbabilityMap) -> dict[str, float]:
    """Return what makes probabilities of outputs, as numbers by name."""
    return {"power": made.power, "floor": made.floor}


def probability_map_from(fields: Fields) -> ProbabilityMap:
    """Return what makes probabilities of outputs."""
    parts = fields.inner("probability_map")
    power, floor = parts.number("power"), parts.number("floor")
    if not (0 < power < 1e6 and 0 < floor < 1e6):
        raise fields.wrong("probability_map", "must hold moderate positive numbers")
    return ProbabilityMap(power, floor)


def interval_arrays(
    factors: IntervalFactors, doubted: bool
) -> dict[str, NDArray[np.float64]]:
    """Return what says how wide intervals are, by name.

    Args:
        factors: Of the model.
        doubted: Whether it has doubt.
    """
    arrays = {
        "interval_coverages": factors.coverages,
        "interval_factors": factors.factors,
    }
    outside = {"interval_outside": np.array([factors.outside, factors.simple])}
    return arrays | (outside if doubted else {})


def interval_factors_from(
    fields: Fields, arrays: Taking, n_targets: int, *, n_outside: int = 0
) -> IntervalFactors:
    """Return how much wider than the mixture's intervals are.

    Args:
        fields: The description.
        arrays: Those of intervals are taken.
        n_targets: How many there are.
        n_outside: How many numbers say how wide they are where there is doubt.
    """
    coverages = arrays.take("interval_coverages", np.float64, (None,))
    if not _ascending(coverages) or coverages[0] <= 0 or coverages[-1] >= 1:
        raise fields.wrong("interval_coverages", "must ascend between 0 and 1")
    shape = (len(coverages), n_targets)
    factors = arrays.take("interval_factors", np.float64, shape)
    if factors.min() < 0:
        raise fields.wrong("interval_factors", "must be 0 or more")
    if not n_outside:
        return IntervalFactors(coverages, factors)
    outside = arrays.take("interval_outside", np.float64, (n_outside,))
    if not (outside.min() >= 1 and outside.max() <= LARGEST_OUTSIDE):
        raise fields.wrong("interval_outside", f"must be 1 to {LARGEST_OUTSIDE:g}")
    return IntervalFactors(coverages, factors, *map(float, outside))


def held_out_scores_from(
    fields: Fields, arrays: Taking, *, ranked: bool = True
) -> NDArray[np.float64]:
    """Return held-out scores, ascending; ranks say which of all are there, (rows,)."""
    scores = arrays.take("held_out_scores", np.float64, (None,))
    if not scores.size or np.any(np.diff(scores) < 0):
        raise fields.wrong("held_out_scores", "must be one or more, ascending")
    if not ranked:
        return scores
    return detection.filled_in(scores, _ranks(fields, arrays, len(scores)))


def _ranks(fields: Fields, arrays: Taking, n_scores: int) -> NDArray[np.int64]:
    ranks = arrays.take("held_out_ranks", np.int64, (n_scores,))
    most = detection.MOST_RANKS
    if not _ascending(ranks) or ranks[0] != 1 or ranks[-1] > most:
        raise fields.wrong("held_out_ranks", f"must ascend from 1 to {most} at most")
    return ranks


def _ascending(values: NDArray[Any]) -> bool:
    return values.size > 0 and bool(np.all(values[1:] > values[:-1]))


def scaling_from(fields: Fields, arrays: Taking, name: str, columns: int) -> Scaling:
    """Return the shift and the scale of columns."""
    shift = arrays.take(f"{name}_shift", np.float64, (columns,))
    scale = arrays.take(f"{name}_scale", np.float64, (columns,))
    if scale.min() <= 0:
        raise fields.wrong(f"{name}_scale", "must be above 0")
    return Scaling(shift, scale)


def training_data_from(fields: Fields, arrays: Taking, n_inputs: int) -> TrainingData:
    """Return what is known of the rows that a model was trained on."""
    training, columns = fields.inner("training"), (n_inputs,)
    mean = arrays.take("input_mean", np.float64, columns)
    variance = arrays.take("input_variance", np.float64, columns)
    if variance.min() < 0:
        raise fields.wrong("input_variance", "must be 0 or more")
    low, high = (
        np.array(training.numbers(name)) if name in training.values else None
        for name in ("low", "high")
    )
    for found in (low, high):
        if found is not None and found.shape != columns:
            raise training.wrong("low", "and high must be one number for each input")
    rows, trace = training.count("rows"), training.text("sha256")
    return TrainingData(rows, trace, mean, variance, low, high)


def n_groups_from(fields: Fields) -> int | None:
    """Return how many groups the training rows had, None if they had none."""
    return fields.count("groups") if "groups" in fields.values else None
