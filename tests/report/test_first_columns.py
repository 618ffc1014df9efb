import copy

import numpy as np
import pytest

from antireg.report.first_columns import first_columns, most_named
from tests.small_models import regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_the_column_of_a_row_is_the_one_its_reason_names_first():
    model, X = regressor(), rows()[0][:3].copy()
    X[1, 2] = 1.0  # a thousand standard deviations away
    assert first_columns(model, X)[1] == "x2"
    words = ["", "", "x1 'x': not a number; x0 missing"]
    assert first_columns(model, X, words)[1:] == ["x2", "x1"]
    assert first_columns(model, X[:0]) == []


def test_of_two_names_the_longer_one_is_meant():
    model, X = copy.copy(regressor()), rows()[0][:1]
    model.feature_names_in_ = np.array(["area", "area 2", "built"], dtype=object)
    assert first_columns(model, X, ["area 2 missing: x"]) == ["area 2"]
    assert first_columns(model, X, ["area 3: x"]) == ["area"]


def test_the_column_of_most_rows_is_named_with_its_share():
    assert most_named(["a", "b", "a", ""]) == ("a", 0.5)
    assert most_named(["", ""]) == ("", 0.0)
    assert most_named([]) == ("", 0.0)
    assert np.isclose(most_named(["a", "", ""])[1], 1 / 3)
