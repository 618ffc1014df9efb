import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from antireg.tables.frames import is_frame
from antireg.trusted.frames import as_numbers, frame_encoder, taken

COLUMNS = {"colour": ["red", "blue", "red"], "size": [1.0, 2.0, 3.0]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_rows_of_a_frame_are_taken_in_order(make):
    frame = make(COLUMNS)
    assert is_frame(frame)
    assert list(taken(frame, np.array([2, 0]))["size"]) == [3.0, 1.0]
    assert list(taken(frame, np.array([True, False, True]))["size"]) == [1.0, 3.0]


def test_rows_of_an_array_are_taken_too():
    array = np.arange(6).reshape(3, 2)
    assert not is_frame(array)
    assert taken(array, np.array([False, True, False])).tolist() == [[2, 3]]


def test_numbers_are_numbers_and_words_are_not():
    assert as_numbers(csr_array([[0.0, 1.0]])).tolist() == [[0.0, 1.0]]
    assert as_numbers(pd.DataFrame({"a": [1, 2]})).tolist() == [[1.0], [2.0]]
    assert as_numbers(pd.DataFrame(COLUMNS)) is None


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_words_become_one_number_per_category_and_one_for_unseen_ones(make):
    encoding = frame_encoder(make(COLUMNS))
    assert encoding.encoding_.owners.tolist() == [0, 0, 0, 1]
    found = encoding.transform(make({"colour": ["blue", "green"], "size": [5.0, 6.0]}))
    assert found.tolist() == [[1, 0, 0, 5], [0, 0, 1, 6]]


def test_what_is_neither_words_nor_numbers_is_refused():
    spans = pd.DataFrame({"day": pd.to_timedelta(["1 day", "2 days"])})
    with pytest.raises(ValueError, match=r"'day' must hold numbers.*give a Pipeline"):
        frame_encoder(spans)
