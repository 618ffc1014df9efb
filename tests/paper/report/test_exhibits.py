from antireg.paper import figures
from antireg.paper.report.exhibits import (
    Exhibit,
    deltas,
    lambdas,
    slug,
    table_dots,
)
from antireg.paper.report.results import Results
from antireg.paper.report.tables import INSIDE
from tests.paper.report.made_rows import made_book


def test_what_cannot_be_drawn_is_named():
    shown = Exhibit()
    shown.add("first", figures.new_figure(1, 1))
    shown.add("second", None)
    assert list(shown.pictures) == ["first"]
    assert shown.missing == ["second"]
    html = shown.html("Look & see")
    assert 'alt="first"' in html
    assert "<figcaption>Look &amp; see</figcaption>" in html
    assert "Not drawn, for want of rows: second." in html


def test_nothing_drawn_has_no_caption():
    shown = Exhibit()
    shown.add("only", None)
    assert shown.html("Look") == (
        '<p class="note">Not drawn, for want of rows: only.</p>\n'
    )


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
