import re
from xml.etree import ElementTree

from antireg.report.charts import Chart
from antireg.report.pictures import COLOURS, FIRST, Picture, css


def a_chart(title='<b> & "q"', **more):
    chart = Chart(title, "x", "y", x=[0, 1], y=[0, 1], **more)
    chart.line([0, 1], [0, 1], FIRST, "<name>")
    return chart


def test_colours_on_a_page_are_variables_and_all_are_known():
    drawing = Picture(a_chart()).__html__()
    assert not re.search(r"#[0-9a-f]{3}|rgb|white|black", drawing)
    assert "var(--first)" in drawing
    assert set(re.findall(r"var\(--(\w+)\)", drawing)) <= COLOURS.keys()


def test_a_file_stands_alone_in_the_colours_of_a_light_page():
    written = Picture(a_chart()).file()
    assert ElementTree.fromstring(written).tag == "{http://www.w3.org/2000/svg}svg"
    assert b"var(" not in written
    assert COLOURS["first"][0].encode() in written
    assert COLOURS["first"][1].encode() not in written
    assert written == Picture(a_chart()).file()


def test_text_is_escaped_and_read_to_those_who_cannot_see():
    drawing = Picture(a_chart()).__html__()
    assert "<b>" not in drawing
    assert "<name>" not in drawing
    assert ElementTree.fromstring(drawing).get("aria-label") == '<b> & "q"'


def test_charts_stand_in_columns_and_rows_as_high_as_their_highest():
    low, high = a_chart("low", height=100), a_chart("high", height=200)
    heights = [chart.panel()[1] for chart in (low, high)]
    assert heights == [147, 247]
    root = ElementTree.fromstring(Picture(low, high, low, columns=2).__html__())
    assert root.get("viewBox") == "0 0 800 394"
    places = [group.get("transform") for group in root.findall("g")]
    assert places == ["translate(0 0)", "translate(400 0)", "translate(0 247)"]
    assert root.get("aria-label") == "low; high; low"


def test_style_is_written_as_css():
    assert css({"fill": "none", "stroke": FIRST}) == "fill:none;stroke:var(--first)"
