import re

import pytest

from antireg.cli import main
from tests.browser import numbers_of
from tests.made_tables import houses, written
from tests.quick_options import LEARNS


def scripted(table):
    """A table with a column whose name would run in a browser."""
    script = "<script>alert(1)</script>"
    return table.rename_columns(
        [n if n != "new" else script for n in table.column_names]
    )


@pytest.fixture(scope="module", params=["price", "dear"])
def pages(request, tmp_path_factory):
    """Pages without and with a shifted file, of a regressor and of a classifier."""
    folder = tmp_path_factory.mktemp("pages")
    train = written(scripted(houses(200)), folder / "train.csv")
    test = written(scripted(houses(60, seed=1)), folder / "test.csv")
    colours = ["<b>purple</b>"] * 60
    odd = scripted(houses(60, seed=2, shift=8.0, colour=colours))
    shifted = written(odd, folder / "shifted.csv")
    model, target = str(folder / "model"), request.param
    drop = {"price": "dear", "dear": "price"}[target]
    command = ["fit", train, "--target", target, "--drop", drop, "--out", model]
    assert main([*command, *LEARNS, "--quiet"]) == 0
    for name, more in {"one": [], "two": ["--ood", shifted]}.items():
        report = ["--report", str(folder / f"{name}.html"), "--quiet"]
        assert main(["evaluate", model, test, *more, *report]) == 0
    return folder


def test_page_loads_nothing_from_elsewhere(pages):
    text = (pages / "two.html").read_text()
    assert not re.search(r"(src|href)=|https?://|@import|url\(|<script|<link", text)


def test_page_says_all_that_was_asked(pages):
    text = (pages / "two.html").read_text()
    for words in (
        *("flagged as out of distribution", "AUROC", "Calibration", "threshold"),
        *("Error against uncertainty", "Which inputs changed", "unusual inputs"),
        *("validation", "test.csv", "shifted.csv"),
    ):
        assert words in text
    assert "shifted.csv" not in (pages / "one.html").read_text()


def test_the_shift_is_seen_in_the_input_that_moved(pages):
    text = (pages / "two.html").read_text()
    moved = text[text.index("Which inputs changed") : text.index("The rows most")]
    # As many times as there were rows in training, and one.
    assert re.search(r"<td>colour</td>.*201×, 100\.0% never in training", moved)
    rows = text[text.index("The rows most") : text.index("How it was trained")]
    assert rows.count("colour &#39;&lt;b&gt;purple&lt;/b&gt;&#39;: not seen") == 12
    size = re.search(r"<td>size</td><td>([\d.]+)×</td><td><strong>([\d.]+)×", moved)
    assert float(size[1]) < 3
    assert float(size[2]) > 30


def test_the_page_opens_with_the_verdict(pages):
    text = (pages / "two.html").read_text()
    first = text[text.index("<h1>") : text.index("<section>")]
    assert (
        "<strong>shifted.csv</strong>: 100\u00a0% of these 60 rows are unlike" in first
    )
    assert "n = 60, mostly because of <code>colour</code>" in first
    assert "No score on inputs can notice" in first
    alone = (pages / "one.html").read_text()
    first = alone[alone.index("<h1>") : alone.index("<section>")]
    assert "test.csv" not in first
    assert "of these 60 rows" in first


@pytest.mark.slow
def test_labels_of_charts_do_not_overprint_each_other(pages):
    script = (
        "[[...page.querySelectorAll('svg')].map(svg => { const boxes = "
        "[...svg.querySelectorAll('text')].filter(t => t.textContent)"
        ".map(t => t.getBoundingClientRect()); return boxes.filter((a, i) => boxes"
        ".some((b, j) => j < i && a.left < b.right - 1 && b.left < a.right - 1 && "
        "a.top < b.bottom - 3 && b.top < a.bottom - 3)).length})"
        ".reduce((a, b) => a + b)]"
    )
    for width in (360, 1200):
        assert numbers_of(pages / "two.html", width, script) == [0]


def test_shapes_say_their_values_where_the_pointer_rests(pages):
    text = (pages / "two.html").read_text()
    assert "<title>training: epoch 1, loss" in text
    assert re.search(
        r"<title>score [\d.,]+ to [\d.,]+: test.csv [\d.]+%, shifted", text
    )


def test_without_targets_there_is_a_page_on_the_inputs(pages):
    rows = written(
        houses(40, seed=5).drop_columns(["price", "dear"]), pages / "new.csv"
    )
    renamed = pages / "new.csv"
    renamed.write_text(
        renamed.read_text().replace('"new"', '"<script>alert(1)</script>"', 1)
    )
    page = pages / "new.html"
    command = ["evaluate", str(pages / "model"), rows, "--report", str(page)]
    assert main([*command, "--quiet"]) == 0
    text = page.read_text()
    assert "Without targets, nothing says how wrong the answers are." in text
    assert "Calibration" not in text


def test_text_from_a_file_is_escaped(pages):
    text = (pages / "two.html").read_text()
    assert "<b>" not in text
    assert "<script" not in text
    assert "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in text


def test_numbers_in_drawings_are_finite(pages):
    for name in ("one.html", "two.html"):
        assert not re.search(r'"[^"]*\b(nan|inf)\b', (pages / name).read_text())


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 390, 1200])
def test_page_fits_its_window(pages, width):
    script = (
        "[page.documentElement.scrollWidth, [...page.querySelectorAll('.table')]"
        ".filter(t => t.scrollWidth > t.clientWidth).length]"
    )
    used, n_cut = numbers_of(pages / "two.html", width, script)
    assert used <= width
    assert n_cut == 0, "no table is cut"


def test_a_small_rate_of_false_alarms_is_not_shown_as_none(tmp_path):
    train = written(houses(100), tmp_path / "train.csv")
    model, page = str(tmp_path / "model"), tmp_path / "page.html"
    command = ["fit", train, "--target", "price", "--out", model, *LEARNS, "--quiet"]
    assert main([*command, "--false-alarm-rate", "0.002"]) == 0
    assert main(["evaluate", model, train, "--report", str(page), "--quiet"]) == 0
    assert "0.2% of familiar rows should be" in page.read_text()
