import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from antireg.tables.frames import (
    arrow_table,
    as_targets,
    check_columns,
    frame_names,
    holds_only_numbers,
    is_frame,
    table_of_array,
    target_name,
)

COLUMNS = {"area": [60.0, 70.5, None], "heating": ["gas", None, "oil"]}
MAKERS = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("make", MAKERS)
def test_tables_of_three_packages_are_one_table(make):
    frame = make(COLUMNS)
    assert is_frame(frame)
    assert frame_names(frame) == ["area", "heating"]
    assert not holds_only_numbers(frame)
    found = arrow_table(frame, ["heating", "area"])
    assert found.column_names == ["heating", "area"]
    assert found.to_pydict() == COLUMNS


@pytest.mark.parametrize("make", MAKERS)
def test_numbers_without_gaps_are_an_array_too(make):
    assert holds_only_numbers(make({"a": [1.0, 2.0], "b": [3, 4]}))
    assert not holds_only_numbers(make({"a": [1.0, float("nan")]}))
    assert holds_only_numbers(make({"a": [1.0, float("inf")]}))  # said as in arrays


def test_arrays_and_series_are_no_tables():
    assert not is_frame(np.zeros((2, 2)))
    assert not is_frame(pd.Series([1.0]))
    assert not is_frame([[1.0]])


def test_categories_are_text_even_if_they_are_numbers():
    words = pd.Categorical(["x", "y"])
    frame = pd.DataFrame({"zone": pd.Categorical([3, 1]), "a": words})
    assert arrow_table(frame).schema.types == [pa.string(), pa.string()]
    assert arrow_table(frame)["zone"].to_pylist() == ["3", "1"]
    views = pa.table({"a": pa.array(["x"], pa.string_view())})
    assert arrow_table(views).schema.types == [pa.string()]


def test_the_index_of_a_frame_is_no_column():
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=["x", "y"])
    assert arrow_table(frame).column_names == ["a"]


def test_values_of_several_kinds_in_one_column_are_said():
    mixed = pd.DataFrame({"a": [1.0, 2.0], "b": [1, "x"]})
    with pytest.raises(ValueError, match=r"column 'b' of X must .* one kind, got int"):
        arrow_table(mixed)


def test_names_must_differ():
    frame = pd.DataFrame([[1.0, 2.0]], columns=["a", "a"])
    with pytest.raises(ValueError, match="names of their own, got 'a' more than once"):
        arrow_table(frame)


def test_missing_and_unknown_columns_are_named():
    check_columns(["b", "a"], ["a", "b"])
    with pytest.raises(ValueError, match="must have the column 'b' as in training"):
        check_columns(["a", "c"], ["a", "b"])
    with pytest.raises(ValueError, match="only the columns of training, got the"):
        check_columns(["a", "b", "c"], ["a", "b"])


def test_without_pyarrow_words_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setattr("antireg.tables.frames.find_spec", lambda name: None)
    for make in (arrow_table, lambda frame: table_of_array(frame.to_numpy(), ["a"])):
        with pytest.raises(ImportError, match=r"needs pyarrow.*antireg\[tables\]"):
            make(pd.DataFrame({"a": ["x"]}))


def test_targets_of_every_package_become_what_estimators_take():
    assert as_targets([1, 2]) == [1, 2]
    series = pd.Series([1.0, 2.0], name="price")
    assert as_targets(series) is series
    assert target_name(series) == "price"
    assert target_name(pl.Series("price", [1.0])) == "price"
    assert target_name(np.zeros(2)) == target_name(pd.Series([1.0])) == "target"
    for given in (
        pl.Series(["a", "b"]),
        pa.array(["a", "b"]),
        pa.chunked_array([["a"], ["b"]]),
    ):
        assert np.asarray(as_targets(given)).tolist() == ["a", "b"]
