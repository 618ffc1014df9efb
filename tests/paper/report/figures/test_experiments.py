from antireg.paper.report.figures.experiments import deltas, lambdas, table_dots
from antireg.paper.report.results import Results
from antireg.paper.report.tables import INSIDE
from tests.paper.report.made_rows import made_book


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
