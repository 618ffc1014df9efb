import re
from xml.etree import ElementTree

import numpy as np
import pytest

from antireg.report.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Chart, _shown


def places(drawing, tag="polyline"):
    root = ElementTree.fromstring(str(drawing))
    points = root.find(f".//{tag}").get("points").split()
    return [tuple(map(float, point.split(","))) for point in points]


def test_the_ends_of_the_axes_are_the_ends_of_the_drawing():
    chart = Chart("t", "x", "y", x=[2, 4], y=[0, 10])
    chart.line([2, 4], [0, 10], "red")
    bottom, top = (LEFT, HEIGHT - BOTTOM), (WIDTH - RIGHT, TOP)
    assert places(chart.html()) == [bottom, top]


def test_a_logarithmic_axis_puts_the_geometric_mean_in_the_middle():
    chart = Chart("t", "x", "y", x=[1, 100], y=[0, 1], log_x=True)
    chart.line([10], [0], "red")
    ((x, _),) = places(chart.html())
    assert x == pytest.approx((LEFT + WIDTH - RIGHT) / 2, abs=0.1)


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "values", [[0.0], [3.0, 3.0], [0, 1e300], [-1, 1], [1e-9, 2e-9]]
)
def test_any_values_give_a_finite_drawing(values, log):
    chart = Chart('<t> & "q"', "x", "y", x=values, y=values, log_x=log, log_y=log)
    chart.line(values, values, "red", "<name>")
    chart.points(values, values, "red")
    chart.bars(np.array([0.0, 1.0]), [1.0], "red")
    chart.limit(values[0], "limit")
    chart.limit(values[0], "limit", axis=1)
    drawing = chart.html()
    ElementTree.fromstring(str(drawing))
    assert not re.search(r"\b(nan|inf)\b", drawing)


@pytest.mark.parametrize(
    ("tick", "shown"),
    [(0, "0"), (0.5, "0.5"), (2500, "2,500"), (1e4, "10⁴"), (3e7, "3·10⁷"),
     (-25000, "-2.5·10⁴"), (1e-12, "10⁻¹²"), (1000.0, "1,000")],
)  # fmt: skip
def test_ticks_are_short(tick, shown):
    assert _shown(tick) == shown
