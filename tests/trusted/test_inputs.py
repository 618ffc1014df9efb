import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from antireg.trusted.inputs import Inputs, sensitivity, split

X = np.array([[1.0, 10.0], [2.0, 30.0], [3.0, 50.0]])


def test_columns_are_standardised():
    inputs = Inputs.learned(LinearRegression(), X)
    deviation = np.sqrt(2 / 3)
    expected = [[(4 - 2) / deviation, (10 - 30) / (20 * deviation)]]
    np.testing.assert_allclose(inputs.numbers(np.array([[4.0, 10.0]])), expected, 1e-6)


def test_a_pipeline_is_split_before_its_last_step():
    inner = make_pipeline(StandardScaler(), LinearRegression())
    first, last = split(make_pipeline(StandardScaler(), inner))
    assert last is inner.steps[-1][1]
    assert len(first) == 2
    assert split(last) == ((), last)


def test_distances_are_taken_after_the_steps_of_a_pipeline():
    words = pd.DataFrame({"colour": ["red", "blue", "red", "blue"]})
    model = make_pipeline(OneHotEncoder(), LinearRegression()).fit(words, [1, 2, 1, 2])
    inputs = Inputs.learned(model, words)
    numbers = inputs.numbers(inputs.entering(words))
    assert numbers.tolist() == [[-1, 1], [1, -1], [-1, 1], [1, -1]]


def test_gaps_are_marked_and_a_gap_where_none_was_is_far():
    gapped = np.array([[1.0, 0.0], [np.nan, 1.0], [3.0, 2.0]])
    inputs = Inputs.learned(HistGradientBoostingRegressor(), gapped)
    assert inputs.owners.tolist() == [0, 1, 0, -1]
    numbers = inputs.numbers(np.array([[2.0, 1.0], [np.nan, np.nan]]))
    assert numbers[0, [0, 1, 3]].tolist() == [0, 0, 0]
    assert numbers[1, 0] == 0  # the mean stands for it
    assert numbers[1, 2] > numbers[0, 2]
    assert numbers[1, 3] == 1


def test_a_column_matters_as_much_as_the_answer_moves_with_it():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 3)) * [1.0, 10.0, 1.0]
    inputs = Inputs.learned(LinearRegression(), rows)
    found = sensitivity(inputs, lambda x: 3 * x[:, :1] - x[:, 1:2], rows)
    # Per standard deviation of a column: 3 · 1 and 1 · 10; the last does nothing.
    np.testing.assert_allclose(found, [3, 10, 0] * rows.std(axis=0) / [1, 10, 1], 1e-4)


def test_words_of_a_frame_matter_together():
    frame = pd.DataFrame({"colour": ["a", "b"] * 20, "n": np.arange(40.0)})
    inputs = Inputs.learned(LinearRegression(), frame)

    def answers(rows):
        return (rows["colour"] == "a").to_numpy(float)[:, None]

    found = sensitivity(inputs, answers, frame)
    assert found[0] == found[1] > 0
    assert found[-1] == 0


def test_numbers_where_words_were_are_refused():
    inputs = Inputs.learned(LinearRegression(), X)
    with pytest.raises(ValueError, match="the kinds of columns that fit was given"):
        inputs.numbers(pd.DataFrame({"a": ["x"], "b": ["y"]}))
    with pytest.raises(ValueError, match="X must be numbers or a data frame"):
        Inputs.learned(LinearRegression(), np.array([["x"]], dtype=object))
