"""The figures of the small problems: moons, a line, inside one member, theorem 1."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from antireg.paper.experiments.pictures import REACH
from antireg.paper.experiments.rows import Record
from antireg.paper.report.figures import experiment_charts, toy_charts
from antireg.paper.report.figures.figure import Figure, slug
from antireg.paper.report.results import Results, points
from antireg.predictive.values import Array
from antireg.report.pictures import Picture

TOYS = ("DE (NLL)", "DE (MSE)", "DARE")
FILLING = ("second_moment", "predicted", "measured", "predicted_without_log")
N_LAYERS = 3
Layers = dict[int, dict[str, Array]]


def one_each(
    results: Results, study: str, name: str, draw: Callable[[Record, str], Picture]
) -> Figure:
    """Return one picture for each of the three ensembles.

    Args:
        results: The rows.
        study: To draw.
        name: First part of the pictures' names.
        draw: Returns the picture of a record under a title.
    """
    shown = Figure()
    for contender in TOYS:
        record = results.record(study, contender)
        picture = draw(record, contender) if record else None
        shown.add(f"{name}-{slug(contender)}", picture)
    return shown


def inside_members(results: Results) -> Figure:
    """Return the layers of a DARE member, then those of a deep ensemble's member."""
    shown = Figure()
    names = ("DARE", "DE (MSE)")
    records = {name: results.record("two-moons", name) for name in names}
    found = {name: layers(record) for name, record in records.items() if record}
    for name in names:
        for number in range(1, N_LAYERS + 1):
            same = [each[number] for each in found.values()]
            picture = None
            if name in found:
                tops = (
                    max(max(v["stranger"].max(), _upper(v).max()) for v in same),
                    max(v["weight"].max() for v in same),
                )
                title = f"{name}, layer {number}"
                picture = experiment_charts.inside(found[name][number], title, tops)
            shown.add(f"inside-{slug(name)}-layer-{number}", picture)
    return shown


def water(results: Results) -> Figure:
    """Return the predictions of theorem 1 beside what was measured."""
    shown = Figure()
    for study, title in (
        ("still-water-filling", "Best weights at 0"),
        ("water-filling", "Some best weights away from 0"),
    ):
        record = results.record(study, "DARE")
        shown.add(study, _filling(record, title) if record else None)
    return shown


def uncertainty_map(record: Record, title: str) -> Picture:
    """Draw how uncertain one ensemble is around the moons."""
    unsure = np.minimum(_square(record, "unsure"), 1)
    return toy_charts.uncertainty_map(unsure, REACH, *_moons(record), title)


def ood_map(record: Record, title: str) -> Picture:
    """Draw what one ensemble flags around the moons."""
    flagged = _square(record, "flagged")
    if not flagged.size:
        flagged = (_square(record, "unsure") > record["limit"]).astype(np.float64)
    return toy_charts.ood_map(flagged, REACH, *_moons(record), title)


def bands(record: Record, title: str) -> Picture:
    """Draw the band of one ensemble along a line."""
    places, mean = points(record, "mean")
    std, truth, x0, y = (
        points(record, metric)[1] for metric in ("std", "truth", "train_x0", "train_y")
    )
    x = np.array(places, dtype=np.float64)
    return toy_charts.bands(x, mean, std, truth, (x0, y), title)


def _filling(record: Record, title: str) -> Picture:
    moments, predicted, measured, without_log = (
        points(record, metric)[1] for metric in FILLING
    )
    return experiment_charts.filling(moments, predicted, measured, without_log, title)


def _square(record: Record, metric: str) -> Array:
    """Return a metric over the plane, (side, side)."""
    values = points(record, metric)[1]
    side = math.isqrt(len(values))
    return values.reshape(side, side)


def _moons(record: Record) -> tuple[Array, Array]:
    """Return the training points, (rows, 2), and their classes, (rows,)."""
    x0, x1, labels = (
        points(record, metric)[1] for metric in ("train_x0", "train_x1", "train_y")
    )
    return np.stack([x0, x1], axis=1), labels


def layers(record: Record) -> Layers:
    """Return the values of each component, by layer and metric."""
    found: Layers = {}
    for metric in ("mean", "std", "stranger", "weight"):
        places, values = points(record, f"inside_{metric}")
        numbers = np.array([int(place.split(":")[0]) for place in places])
        for number in np.unique(numbers):
            found.setdefault(int(number), {})[metric] = values[numbers == number]
    return found


def _upper(values: dict[str, Array]) -> Array:
    """Return the upper edge of the band of training activations, (components,)."""
    return values["mean"] + 2 * values["std"]
