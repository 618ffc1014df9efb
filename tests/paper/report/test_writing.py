import re

import pytest

from antireg.cli import main
from antireg.paper.report.tables import TABLES
from antireg.paper.report.writing import CONTENTS
from tests.browser import numbers_of
from tests.paper.report.made_rows import made_book


@pytest.fixture(scope="module")
def written(made, tmp_path_factory):
    """The report of complete rows."""
    folder = tmp_path_factory.mktemp("report")
    assert main(["report", "--rows", str(made), "--out", str(folder), "--quiet"]) == 0
    return folder


def test_page_loads_nothing_from_elsewhere(written):
    text = (written / "index.html").read_text()
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', text))
    assert not re.search(r"src=|https?://|@import|url\(|<script|<link", text)
    assert len(text) < 700_000


def test_each_figure_and_each_table_is_a_file_too(written):
    text = (written / "index.html").read_text()
    figures = {path.stem for path in (written / "figures").glob("*.svg")}
    assert len(figures) == text.count("<svg") == 9 + 6 + 2 + 3 + 3 + 18
    tables = {path.stem for path in (written / "tables").glob("*.csv")}
    assert tables == {"doubt", *(table.name for table in TABLES)}


def test_contents_lead_to_every_section(written):
    text = (written / "index.html").read_text()
    assert re.findall(r'<section id="([^"]*)"', text) == list(CONTENTS)
    assert "<section>" not in text


@pytest.mark.slow
def test_same_rows_give_the_same_report(written, made, tmp_path):
    assert main(["report", "--rows", str(made), "--out", str(tmp_path), "--quiet"]) == 0
    for path in written.rglob("*.*"):
        assert path.read_bytes() == (tmp_path / path.relative_to(written)).read_bytes()


def test_some_rows_give_a_report_beside_them(tmp_path, capsys):
    made_book(tmp_path, "two-moons", "uci-gap-yacht", seeds=1)
    assert main(["report", "--rows", str(tmp_path)]) == 0
    assert f"page: {tmp_path / 'report' / 'index.html'}" in capsys.readouterr().out
    text = (tmp_path / "report" / "index.html").read_text()
    assert not re.search(r"\bnan\b", text)
    assert "missing" in text


def test_no_rows_at_all_is_an_error_that_says_what_to_type(tmp_path, capsys):
    assert main(["report", "--rows", str(tmp_path)]) == 1
    assert "antireg reproduce toys" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1200])
def test_page_fits_its_window(written, width):
    script = (
        "[page.documentElement.scrollWidth, [...page.querySelectorAll('.table')]"
        ".filter(t => t.scrollWidth > t.clientWidth + 1).length, "
        "[...page.querySelectorAll('svg')].filter(i => i.clientWidth < 200).length]"
    )
    used, n_cut, n_small = numbers_of(written / "index.html", width, script)
    assert used <= width
    # The narrow page shows its tables whole: none but table 4 and those
    # with a line for each data set may scroll.
    assert n_cut <= (4 if width == 390 else 0)
    assert n_small == 0, "pictures too small to be seen"
