import re

import numpy as np
import pytest

from antireg.paper.report.figures import toy_charts
from tests.paper.report.figures.checks import (
    assert_small_and_in_colours_of_the_page,
)

RNG = np.random.default_rng(0)
POINTS, LABELS = RNG.normal(size=(20, 2)), np.repeat([0, 1], 10)
X = np.linspace(-1.5, 1.5, 31)
SHADE = RNG.uniform(size=(9, 9))


def a_band():
    data = (X[::5], np.zeros(7))
    return toy_charts.bands(X, 0 * X, 0 * X + 0.5, 2 * X, data, "DARE")


DRAWN = [
    lambda: toy_charts.uncertainty_map(SHADE, 3.0, POINTS, LABELS, "DARE"),
    lambda: toy_charts.ood_map(SHADE > 0.5, 3.0, POINTS, LABELS, "DARE"),
    a_band,
]


@pytest.mark.parametrize("draw", DRAWN)
def test_pictures_are_small_and_follow_the_dark(draw):
    assert_small_and_in_colours_of_the_page(draw, 50_000)


def test_the_plane_is_square_and_shows_both_classes():
    (chart,) = DRAWN[0]().charts
    across, up = (chart._between(axis, np.array([0.0, 1.0])) for axis in (0, 1))
    assert across[1] - across[0] == pytest.approx(up[0] - up[1], abs=1)
    assert [len(group) for group in chart.drawn.findall("g")] == [10, 10]
    assert [name for name, *_ in chart.keys] == ["coin toss", "class 0", "class 1"]


def test_band_marks_where_it_misses_the_truth():
    (chart,) = a_band().charts
    marks = chart.drawn.findall("path")[-1].get("d")
    places = np.array(re.findall(r"([\d.]+),([\d.]+)", marks), dtype=float)
    floor = chart._between(1, 0.0)
    raised = places[places[:, 1] < floor - 1, 0]
    left, right = (chart._between(0, share) for share in (0.0, 1.0))
    x = -1.5 + 3 * (raised - left) / (right - left)
    # ±2σ is ±1, the truth 2x, so beyond ±0.5; the points are 0.1 apart.
    assert np.sort(x) == pytest.approx([-1.5, -0.6, 0.6, 1.5], abs=0.01)
