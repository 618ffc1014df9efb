import re

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from antireg.report import page
from antireg.report.charts import Chart
from antireg.report.page import Templates
from antireg.report.pictures import COLOURS, Picture

DRAWING = Picture(Chart("A dot", "x", "y", x=[0], y=[0]))


@pytest.fixture
def templates(tmp_path, monkeypatch):
    """A package with a page and with parts of one."""
    folder = tmp_path / "pages_of_a_test" / "templates"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "whole.html").write_text(
        '{% extends "page.html" %}{% block title %}{{ title }}{% endblock %}'
        "{% block lead %}Lead{% endblock %}"
        "{% block main %}{% call figure([drawing]) %}See {{ title }}{% endcall %}"
        "{{ table(*cells) }}{% endblock %}{% block footer %}Made so{% endblock %}"
    )
    (folder / "table.html").write_text("{{ table(*cells, wraps=wraps) }}")
    monkeypatch.syspath_prepend(str(tmp_path))
    return Templates("pages_of_a_test")


@pytest.fixture
def whole(templates):
    cells = page.Cells(["method", "<th>"], [["DARE", page.strong("0.99")]])
    return templates.render("whole.html", title="a < b", drawing=DRAWING, cells=cells)


def test_page_loads_nothing_from_elsewhere(whole):
    assert not re.search(r"(src|href)=|https?://|@import|url\(|<script|<link", whole)


def test_page_is_readable_on_a_phone_and_in_the_dark(whole):
    assert 'name="viewport"' in whole
    light, dark = whole.split("prefers-color-scheme: dark")
    for name, (on_light, on_dark) in COLOURS.items():
        assert f"--{name}: {on_light};" in light
        assert f"--{name}: {on_dark};" in dark


def test_plain_text_is_escaped_but_cells_and_drawings_are_not(whole):
    assert "<h1>a &lt; b</h1>" in whole
    assert "<title>a &lt; b</title>" in whole
    assert '<th scope="col">&lt;th&gt;</th>' in whole
    assert "<td>DARE</td><td><strong>0.99</strong></td>" in whole
    assert DRAWING.__html__() in whole


def test_parts_come_in_the_order_given(whole):
    text = re.sub(r"<(style|svg).*?</\1>|<[^>]*>", " ", whole, flags=re.DOTALL)
    words = "a &lt; b a &lt; b Lead See a &lt; b method &lt;th&gt; DARE 0.99 Made so"
    assert " ".join(text.split()) == words


def test_a_table_that_wraps_says_so(templates):
    for wraps, kind in ((True, "table wraps"), (False, "table")):
        cells = page.Cells(["a"], [["<b>"]])
        made = templates.render("table.html", cells=cells, wraps=wraps)
        assert f'<div class="{kind}">' in made
        assert "<td>&lt;b&gt;</td>" in made


def test_a_value_that_a_template_misses_is_an_error(templates):
    with pytest.raises(UndefinedError, match="'wraps' is undefined"):
        templates.render("table.html", cells=page.Cells([], []))


@pytest.mark.parametrize("make", [page.strong, page.far, page.absent, page.words])
def test_what_goes_into_a_cell_is_escaped_once(make):
    assert "&lt;b&gt;" in make("<b>")
    assert "<i>" in make(Markup("<i>"))
    assert make(page.strong("<b>")).count("&lt;b&gt;") == 1


def test_a_cell_of_several_lines_escapes_each():
    cell = page.stacked("1 < 2", page.far("+3 sd"), page.wide("paper", "<2>"))
    assert cell == (
        '1 &lt; 2<small><span class="far">+3 sd</span></small>'
        '<small><span class="wide">paper </span>&lt;2&gt;</small>'
    )
