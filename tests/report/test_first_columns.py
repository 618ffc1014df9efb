import numpy as np

from antireg.report.first_columns import first_columns, most_named
from tests.doubtful_models import curved, regressor


def test_the_column_of_a_row_is_the_one_its_reason_names_first():
    X = curved()[0][:3].copy()
    X[1, 2] = 1000.0
    assert first_columns(regressor(), X)[1] == "x2"
    words = ["", "", "x1 'many': not a number"]
    assert first_columns(regressor(), X, words)[1:] == ["x2", "x1"]
    assert first_columns(regressor(), X[:0]) == []


def test_of_two_names_the_longer_one_is_meant(monkeypatch):
    model = regressor()
    columns = model.columns()
    names = ("area", "area 2", "built")
    renamed = [
        type(column)(**vars(column) | {"name": name})
        for column, name in zip(columns.columns, names, strict=True)
    ]
    changed = type(columns)(tuple(renamed), "y", "numeric")
    monkeypatch.setattr(type(model), "columns", lambda self: changed)
    X = curved()[0][:1]
    assert first_columns(model, X, ["area 2 missing: x"]) == ["area 2"]
    assert first_columns(model, X, ["area missing: x"]) == ["area"]


def test_the_column_of_most_rows_is_named_with_its_share():
    assert most_named(["a", "b", "a", ""]) == ("a", 0.5)
    assert most_named(["", ""]) == ("", 0.0)
    assert most_named([]) == ("", 0.0)
    assert np.isclose(most_named(["a", "", ""])[1], 1 / 3)
