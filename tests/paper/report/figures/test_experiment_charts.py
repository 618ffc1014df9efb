import re

import numpy as np
import pytest

from antireg.paper.experiments.printed import Printed
from antireg.paper.report.entries import NLL, Entry
from antireg.paper.report.figures import experiment_charts as charts
from tests.paper.report.figures.checks import (
    assert_small_and_in_colours_of_the_page,
)

TWO = {
    "DE (NLL)": Entry(NLL, [1.0, 3.0], Printed(2.5, 0.5)),
    "DARE": Entry(NLL, [], Printed(1.5, 0.25)),
}
LAYER = {
    "mean": np.array([2.0, 1.0, 0.1]),
    "std": np.array([1.0, 0.5, 0.0]),
    "stranger": np.array([0.0, 5.0, 1.0]),
    "weight": np.array([0.1, 0.2, 0.9]),
}


def a_filling(predicted=(0.5, 0.0, 3.0)):
    moments, measured = np.array([1.0, 2.0, 0.1]), np.array([0.4, 0.2, 2.0])
    return charts.filling(
        moments, np.array(predicted), measured, np.array([0, 0, 9.0]), "Water"
    )


def an_ablation():
    lines = {"inside": [TWO["DE (NLL)"], TWO["DARE"]], "outside": [Entry(NLL, [])] * 2}
    levels = {"inside": Entry(NLL, [1.0]), "outside": Entry(NLL, [])}
    return charts.ablation([0.0, 0.25], lines, levels, "weather")


DRAWN = [
    lambda: charts.dots(TWO, "NLL"),
    lambda: charts.inside(LAYER, "layer 1", (6.0, 1.0)),
    lambda: charts.curves({"a": (np.arange(3), np.arange(3))}, "t", "y"),
    an_ablation,
    a_filling,
]


@pytest.mark.parametrize("draw", DRAWN)
def test_pictures_are_small_and_follow_the_dark(draw):
    assert_small_and_in_colours_of_the_page(draw, 20_000)


def values(chart, path):
    """Return what a path was drawn from, (points, 2), but for its rounding."""
    places = np.array(re.findall(r"[ML]([\d.]+),([\d.]+)", path), dtype=float)
    found = []
    for axis in (0, 1):
        first, last = (chart._between(axis, share) for share in (0.0, 1.0))
        share = (places[:, axis] - first) / (last - first)
        low, high = chart.range[axis]
        if chart.log[axis]:
            found.append(low * (high / low) ** share)
        else:
            found.append(low + share * (high - low))
    return np.stack(found, axis=1)


def marks_of(chart):
    """Return where the marks of each group lie."""
    return [
        np.concatenate([values(chart, mark.get("d")) for mark in group])
        for group in chart.drawn.findall("g")
    ]


def names(chart):
    return [name for name, *_ in chart.keys]


def test_dots_are_at_the_means_and_bars_as_long_as_the_sds():
    (chart,) = charts.dots(TWO, "NLL").charts
    means = [marks[0, 0] for marks in marks_of(chart)]
    # Ours, the paper's, and the paper's alone where rows are missing.
    assert means == pytest.approx([2.0, 2.5, 1.5], abs=0.01)
    bars = [values(chart, path.get("d"))[:, 0] for path in chart.drawn.findall("path")]
    ends = [[2 - np.sqrt(2), 2 + np.sqrt(2)], [2.0, 3.0], [1.25, 1.75]]
    assert np.allclose(bars, ends, atol=0.01)
    assert list(chart.ticks[1].values()) == list(TWO)
    assert names(chart) == ["ours", "paper"]
    first, second = (chart._along([place], 1)[0] for place in chart.ticks[1])
    assert first < second, "the first method stands above"


def test_layers_to_be_compared_share_their_scales():
    upper, lower = charts.inside(LAYER, "layer 1", (10.0, 2.0)).charts
    assert upper.range[1] == (0, 10.5)
    assert lower.range[1] == (0, 2.1)


def test_curves_show_a_level_and_may_be_logarithmic():
    curve = {"λ = 1": (np.arange(1.0, 4), np.array([1.0, 10, 1e6]))}
    (chart,) = charts.curves(curve, "Loss", "NLL", ("τ", 2.0), log=True).charts
    assert chart.log == (False, True)
    assert names(chart) == ["λ = 1", "τ"]
    level = values(chart, chart.drawn.findall("path")[-1].get("d"))
    assert level[:, 1] == pytest.approx([2.0, 2.0], rel=0.01)


def test_ablation_leaves_out_what_is_missing():
    (chart,) = an_ablation().charts
    assert names(chart) == ["inside", "DE (NLL) inside"]
    (marks,) = marks_of(chart)
    assert marks == pytest.approx(np.array([[0.0, 2.0]]), abs=0.01)


def test_features_come_strongest_first_and_zeros_stand_on_the_floor():
    (chart,) = a_filling().charts
    assert list(chart.ticks[0].values()) == ["2", "1", "0.1"]
    _, predicted, measured = marks_of(chart)
    # Half the least measured where 0 is predicted.
    assert predicted[:, 1] == pytest.approx([0.1, 0.5, 3.0], rel=0.01)
    assert measured[:, 1] == pytest.approx([0.2, 0.4, 2.0], rel=0.01)
