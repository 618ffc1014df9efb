from xml.etree.ElementTree import Element

import numpy as np

from antireg.report import grid

BOX = grid.Box(left=40, right=380, top=4, bottom=190, height=236)


def words(plot):
    return [text.text for text in plot.iter("text")]


def test_each_tick_has_a_line_across_the_chart():
    plot = Element("g")
    grid.horizontal(plot, BOX, np.array([40.0, 380.0]), ["0", "1"], "epoch")
    assert [path.get("d") for path in plot.iter("path")] == [
        "M40.0,190.0L40.0,4.0",
        "M380.0,190.0L380.0,4.0",
    ]
    assert words(plot) == ["0", "1", "epoch"]
    plot = Element("g")
    grid.vertical(plot, BOX, np.array([4.0]), ["1"], "")
    assert [path.get("d") for path in plot.iter("path")] == ["M40.0,4.0L380.0,4.0"]
    assert words(plot) == ["1"]


def test_labels_that_would_touch_are_left_out():
    plot = Element("g")
    places = np.linspace(40, 380, 30)
    grid.horizontal(plot, BOX, places, ["100,000"] * 30, "x")
    assert 4 <= words(plot).count("100,000") <= 7
