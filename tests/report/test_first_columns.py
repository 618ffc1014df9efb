import numpy as np
import pandas as pd

from antireg import EnsembleRegressor
from antireg.report.first_columns import first_columns, most_named
from antireg.tables.wording import About
from tests.doubtful_models import curved, regressor


def test_the_column_of_a_row_is_the_one_its_reason_names_first():
    X = curved()[0][:3].copy()
    X[1, 2] = 1000.0
    assert first_columns(regressor(), X)[1] == "x2"
    words = ["", "", About.of("x1 'many': not a number", 1)]
    assert first_columns(regressor(), X, words)[1:] == ["x2", "x1"]
    assert first_columns(regressor(), X[:0]) == []


def test_columns_whose_names_begin_alike_are_told_apart():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "a b": ["x", "y", "z"] * 20})
    model = EnsembleRegressor(
        "deep_ensemble", doubt=None, n_members=2, hidden=(4,), epochs=1, random_state=0
    )
    model.fit(frame, rng.normal(size=60))
    frame.loc[0, "a b"], frame.loc[1, "a"] = "new", np.nan
    rows = model.entering(frame[:3])
    assert first_columns(model, rows.values, rows.words) == ["a b", "a", ""]


def test_the_column_of_most_rows_is_named_with_its_share():
    assert most_named(["a", "b", "a", ""]) == ("a", 0.5)
    assert most_named(["", ""]) == ("", 0.0)
    assert most_named([]) == ("", 0.0)
    assert np.isclose(most_named(["a", "", ""])[1], 1 / 3)
