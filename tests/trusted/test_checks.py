import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from antireg.trusted.checks import check_rows_for

WORDS = pd.DataFrame({"colour": ["red", "blue"]})


def test_frames_stay_as_they_are_and_their_columns_are_remembered():
    model = BaseEstimator()
    assert check_rows_for(model, Ridge(), WORDS, reset=True) is WORDS
    assert model.feature_names_in_.tolist() == ["colour"]
    with pytest.raises(ValueError, match="feature names"):
        check_rows_for(model, Ridge(), WORDS.rename(columns=str.upper), reset=False)


def test_a_pipeline_may_be_given_words_in_an_array():
    pipeline = make_pipeline(OneHotEncoder(), Ridge())
    rows = check_rows_for(BaseEstimator(), pipeline, WORDS.to_numpy(), reset=True)
    assert rows.tolist() == [["red"], ["blue"]]


def test_gaps_are_for_models_that_take_them():
    gapped = np.array([[1.0], [np.nan]])
    boosting = HistGradientBoostingRegressor()
    assert check_rows_for(BaseEstimator(), boosting, gapped, reset=True) is not None
    with pytest.raises(ValueError, match="contains NaN"):
        check_rows_for(BaseEstimator(), Ridge(), gapped, reset=True)
