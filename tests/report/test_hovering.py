from xml.etree.ElementTree import Element

from antireg.report import hovering
from antireg.report.charts import Chart
from antireg.report.pictures import Picture


def a_chart():
    chart = Chart("t", "epoch", "loss", x=[0, 10], y=[0, 10])
    chart.line([0, 5, 10], [1, 2, 3], "red", "training")
    return chart


def test_points_of_a_named_line_say_both_values():
    said = [title.text for title in a_chart().drawn.iter("title")]
    assert said == [
        "training: epoch 0, loss 1",
        "training: epoch 5, loss 2",
        "training: epoch 10, loss 3",
    ]


def test_a_long_line_has_few_places_and_both_its_ends():
    chart = Chart("t", "", "", x=[0, 999], y=[0, 1])
    chart.line(range(1000), [0.5] * 1000, "red", "a")
    said = [title.text for title in chart.drawn.iter("title")]
    assert len(said) == hovering.MOST_SPOTS
    assert (said[0], said[-1]) == ("a: 0, 0.5", "a: 999, 0.5")


def test_markers_say_their_values_too():
    chart = Chart("t", "x", "y", x=[0, 1], y=[0, 1])
    chart.points([0.25], [0.5], "red", "rows")
    (title,) = chart.drawn.iter("title")
    assert title.text == "rows: x 0.25, y 0.5"


def test_titles_are_escaped():
    chart = Chart("t", "x", "y", x=[0, 1], y=[0, 1])
    chart.points([0.25], [0.5], "red", "<b>")
    assert "<title>&lt;b&gt;: x 0.25" in Picture(chart).__html__()


def test_a_picture_in_a_file_has_no_invisible_places():
    picture = Picture(a_chart())
    assert "<circle" in picture.__html__()
    assert b"<circle" not in picture.file()
    root = Element("g")
    hovering.add_boxes(root, [("M0,0h1v1z", "one")])
    assert len(root) == 1
    assert len(hovering.without_spots(root)) == 0
