import re
from xml.etree import ElementTree

import numpy as np
import pytest

from antireg.report.charts import HEIGHT, RIGHT, TOP, Chart
from antireg.report.pictures import WIDTH, Picture


def a_chart(**more):
    return Chart("t", "x", "y", **({"x": [0, 10], "y": [0, 10]} | more))


def path(chart, number=-1):
    return chart.drawn.findall("path")[number].get("d")


def corners(chart):
    """Lower left and upper right of the axes."""
    return (chart.left, HEIGHT - chart.bottom), (WIDTH - RIGHT, TOP)


def numbers(text):
    return [float(found) for found in re.findall(r"-?\d+\.\d", text)]


def words(chart):
    return [text.text for text in chart.panel()[0].iter("text") if text.text]


def test_the_ends_of_the_axes_are_the_ends_of_the_drawing():
    chart = a_chart(x=[2, 4])
    chart.line([2, 4], [0, 10], "red")
    lower, upper = corners(chart)
    assert numbers(path(chart)) == pytest.approx([*lower, *upper], abs=0.06)


def test_a_logarithmic_axis_puts_the_geometric_mean_in_the_middle():
    chart = a_chart(x=[1, 100], log_x=True)
    chart.line([10], [0], "red")
    assert numbers(path(chart))[0] == pytest.approx(
        (chart.left + WIDTH - RIGHT) / 2, abs=0.06
    )


def test_a_line_is_broken_where_it_goes_on_beyond_the_drawing():
    chart = a_chart()
    chart.line([0, 1, 2, 3, 4], [5, 11, 12, 13, 5], "red")
    # To the edge, nothing along it, and back from it.
    assert re.sub(r"[^ML]", "", path(chart)) == "MLMML"


def test_bars_stand_on_zero_and_bands_lie_between_their_lines():
    chart = a_chart(y=[-10, 10])
    (left, bottom), (right, top) = corners(chart)
    chart.bars([0, 5, 10], [10, -10], "red")
    middle, half = (top + bottom) / 2, (left + right) / 2
    assert numbers(path(chart)) == pytest.approx(
        [*(left, top, half, middle, left), *(half, bottom, right, middle, half)],
        abs=0.06,
    )
    chart.band([0, 10], [-10, -10], [10, 0], "red")
    assert numbers(path(chart)) == pytest.approx(
        [left, bottom, right, bottom, right, middle, left, top], abs=0.06
    )


def test_shades_cover_the_cells_above_each_level():
    chart = a_chart()
    (left, bottom), (right, top) = corners(chart)
    chart.shade(np.array([[0.0, 1.0], [0.0, 0.0]]), [0.5, 2.0], "red", "doubt")
    first, second = chart.drawn.findall("path")
    assert first.get("d") == "M1 0h1v1h-1z"
    assert second.get("d") == "", "nothing is above 2"
    # The first row is the lowest.
    x, y, across, up = map(float, re.findall(r"-?[\d.]+", first.get("transform")))
    assert (x, y) == pytest.approx((left, bottom), abs=0.06)
    assert (x + 2 * across, y + 2 * up) == pytest.approx((right, top), abs=0.06)
    assert [name for name, *_ in chart.keys] == ["doubt"]


def test_shades_of_all_levels_together_leave_fifteen_percent():
    chart = a_chart()
    chart.shade(np.ones((1, 1)), [0.2, 0.5, 0.8], "red")
    shades = chart.drawn.findall("path")
    opacities = [float(re.search(r"[\d.]+$", p.get("style"))[0]) for p in shades]
    assert len(opacities) == 3
    assert np.prod(1 - np.array(opacities)) == pytest.approx(0.15, abs=0.001)


def test_marks_lie_at_their_points_and_are_named_once():
    chart = a_chart()
    chart.points([0, 10], [0, 10], "red", "data", "triangle")
    marks = [mark.get("d") for mark in chart.drawn.find("g")]
    lower, upper = corners(chart)
    assert numbers(marks[0])[:2] == pytest.approx(lower, abs=0.06)
    assert numbers(marks[1])[:2] == pytest.approx(upper, abs=0.06)
    assert [name for name, *_ in chart.keys] == ["data"]


def test_texts_of_an_axis_that_would_touch_are_left_out():
    ticks = {float(k): "a long text" for k in range(11)}
    shown = words(a_chart(x_ticks=ticks))
    assert 3 <= shown.count("a long text") <= 5
    few = {0.0: "first", 10.0: "last"}
    assert {"first", "last"} <= set(words(a_chart(x_ticks=few)))


def test_long_texts_at_the_left_get_room():
    chart = a_chart(y_ticks={0.0: "AnchorNet", 1.0: "DE"})
    assert chart.left > a_chart(y_ticks={0.0: "DE"}).left + 30


def test_names_that_do_not_fit_go_on_below_and_make_the_chart_higher():
    chart = a_chart()
    chart.line([0, 1], [0, 1], "red", "a name of some thirty letters")
    one_line = chart.panel()[1]
    chart.line([0, 1], [0, 1], "red", "another of some thirty letters")
    group, two_lines = chart.panel()
    assert two_lines == one_line + 17
    keys = [p.get("transform") for p in group.findall("path")]
    assert keys == ["translate(12 39)", "translate(12 56)"]
    chart.line([0, 1], [0, 1], "red", "x" * 500)
    assert max(map(len, words(chart))) < 60


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(
    "values", [[0.0], [3.0, 3.0], [0, 1e300], [-1, 1], [1e-9, 2e-9]]
)
def test_any_values_give_a_finite_drawing(values, log):
    chart = Chart('<t> & "q"', "x", "y", x=values, y=values, log_x=log, log_y=log)
    chart.line(values, values, "red", "<name>")
    chart.points(values, values, "red")
    chart.bars(np.array([0.0, 1.0]), [1.0], "red")
    chart.band(values, values, values, "red")
    chart.limit(values[0], "limit")
    chart.limit(values[0], "limit", axis=1)
    drawing = Picture(chart).__html__()
    ElementTree.fromstring(drawing)
    assert not re.search(r"\b(nan|inf)\b", drawing)
