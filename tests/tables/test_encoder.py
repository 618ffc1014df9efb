import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from antireg import TableEncoder
from antireg.tables import learn_encoding

COLUMNS = {
    "area": [60.0, None, 80.0],
    "heating": ["gas", "oil", "gas"],
    "new": [True, False, True],
}

WORDS = (
    "Columns are matched by their names, in any order, and an error says in one "
    "sentence which is missing or unknown."
)


@parametrize_with_checks(
    [TableEncoder()],
    expected_failed_checks=lambda _: {
        "check_dataframe_column_names_consistency": WORDS
    },
)
def test_scikit_learns_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_it_is_the_encoding_of_the_command_line(make):
    encoder = TableEncoder().fit(make(COLUMNS))
    table = pa.table(COLUMNS | {"price": [1.0, 2.0, 3.0]})
    assert encoder.encoding_.columns == learn_encoding(table, "price").columns
    assert encoder.feature_names_in_.tolist() == list(COLUMNS)
    assert encoder.get_feature_names_out().tolist() == [
        *("area", "area is missing", "heating = gas", "heating = oil"),
        *("heating is unseen", "new"),
    ]
    assert encoder.transform(make(COLUMNS)).tolist() == [
        [60, 0, 1, 0, 0, 1],
        [70, 1, 0, 1, 0, 0],
        [80, 0, 1, 0, 0, 1],
    ]


def test_what_training_never_had_is_in_words():
    encoder = TableEncoder().fit(pd.DataFrame(COLUMNS))
    new = pd.DataFrame({"new": [None], "heating": ["coal"], "area": ["wide"]})
    found = encoder.encoded(new)
    assert found.values.tolist() == [[70, 1, 0, 0, 1, 2 / 3]]
    assert found.words == [
        "area 'wide': not a number; heating 'coal': not seen; new missing: never "
        "missing in training"
    ]


def test_numbers_that_are_names_can_be_said_to_be():
    frame = pd.DataFrame({"zone": [1, 2, 1], "a": [0.5, 1.5, 2.5]})
    encoder = TableEncoder(categorical=["zone"]).fit(frame)
    assert encoder.get_feature_names_out()[:2].tolist() == ["zone = 1", "zone = 2"]
    with pytest.raises(ValueError, match="categorical must name columns of X, got 'z'"):
        TableEncoder(categorical=["z"]).fit(frame)


def test_too_many_words_are_refused_with_a_way_out():
    frame = pd.DataFrame({"id": [f"n{k}" for k in range(101)]})
    with pytest.raises(ValueError, match=r"at most 100 .*\(TableEncoder\(most_categ"):
        TableEncoder().fit(frame)
    assert TableEncoder(most_categories=101).fit(frame).n_features_in_ == 1


def test_no_rows_are_said():
    encoder = TableEncoder().fit(pd.DataFrame(COLUMNS))
    with pytest.raises(ValueError, match="at least one row, got none"):
        encoder.transform(pd.DataFrame(COLUMNS).head(0))


def test_other_estimators_take_what_it_makes():
    frame = pd.DataFrame(COLUMNS)
    model = make_pipeline(clone(TableEncoder()), RandomForestRegressor(5))
    found = model.fit(frame, [1.0, 2.0, 3.0]).predict(frame)
    assert np.isfinite(found).all()
    named = TableEncoder().set_output(transform="pandas").fit_transform(frame)
    assert named.columns.tolist()[1] == "area is missing"
