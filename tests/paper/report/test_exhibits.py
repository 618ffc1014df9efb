from antireg.paper.report.exhibits import (
    TEMPLATES,
    Exhibit,
    deltas,
    lambdas,
    slug,
    table_dots,
)
from antireg.paper.report.results import Results
from antireg.paper.report.tables import INSIDE
from antireg.report.charts import Chart
from antireg.report.pictures import Picture
from tests.paper.report.made_rows import made_book


def html(shown):
    exhibits = {"deltas": shown}
    return TEMPLATES.render("delta.html", exhibits=exhibits)


def test_what_cannot_be_drawn_is_named():
    shown = Exhibit()
    shown.add("first", Picture(Chart("A & B", "x", "y", x=[0], y=[0])))
    shown.add("<second>", None)
    assert list(shown.pictures) == ["first"]
    assert shown.missing == ["<second>"]
    assert 'aria-label="A &amp; B"' in html(shown)
    assert html(shown).count("<figcaption>") == 1
    assert "Not drawn, for want of rows: &lt;second&gt;." in html(shown)


def test_nothing_drawn_has_no_caption():
    shown = Exhibit()
    shown.add("only", None)
    assert "<figure>" not in html(shown)
    assert "Not drawn, for want of rows: only." in html(shown)


def test_names_of_files_are_plain():
    assert slug("DE (NLL)") == "de-nll"
    assert slug("95 % coverage: λ") == "95-coverage-λ"


def test_every_column_of_the_paper_is_drawn_even_without_rows(full, empty):
    shown = table_dots(full, INSIDE).pictures
    assert next(iter(shown)) == "table-2-citycam-inside-camera-shift-nll"
    assert len(shown) == 4
    assert table_dots(empty, INSIDE).pictures.keys() == shown.keys()


def test_lambda_is_drawn_from_what_there_is(full, empty):
    assert list(lambdas(full).pictures) == [
        "lambda-weight",
        "lambda-loss",
        "lambda-control",
    ]
    assert not lambdas(full).missing
    assert len(lambdas(empty).missing) == 6


def test_delta_has_a_quarter_from_the_tables_rows(full, tmp_path):
    assert len(deltas(full).pictures) == 3
    assert not deltas(full).missing
    some = deltas(Results(made_book(tmp_path, "citycam-weather", seeds=1)))
    assert list(some.pictures) == ["delta-citycam-weather"]
    assert some.missing[-1] == "weather shift with δ = 0, 0.5, 1"
    assert some.missing[0] == "camera shift with δ = 0, 0.25, 0.5, 1"
