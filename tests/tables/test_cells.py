import numpy as np
import pyarrow as pa
import pytest

from antireg.tables.cells import numbers, read_cells, signs_in
from antireg.tables.notation import Notation

NUMBERS = {
    "1200": 1200.0,
    "$1,200.50": 1200.5,
    "€ 3": 3.0,
    "3 €": 3.0,
    "USD 5": 5.0,
    "12 %": 12.0,
    "12%": 12.0,
    "(1,000)": -1000.0,
    "−5": -5.0,
    "-$5": -5.0,
    "1 200": 1200.0,
    "1\u00a0200.5": 1200.5,
    "1'200": 1200.0,
    "1.5e3": 1500.0,
    " 7 ": 7.0,
    ".5": 0.5,
    "+3.": 3.0,
    "inf": np.inf,
}
GAPS = ["", " ", "?", "-", "--", "NA", "n/a", "NaN", "unknown", "None", "#DIV/0!"]
OTHERS = ["many", "1,23", "1,2345", "12-3", "0x1F", "5+", "1 2", "$", "%", "1.2.3", "٣"]


@pytest.mark.parametrize("cell", NUMBERS)
def test_a_number_is_read_whatever_its_signs(cell):
    # The word beside it rules out the quick way.
    read = read_cells(pa.array([cell, "x"]), pa.float64())
    assert read.values[0].as_py() == NUMBERS[cell]
    assert read.bad.tolist() == [False, True]


def test_words_for_gaps_are_gaps_and_not_bad():
    read = read_cells(pa.array([*GAPS, None]), pa.float64())
    assert read.values.null_count == len(read.values)
    assert not read.bad.any()


@pytest.mark.parametrize("cell", OTHERS)
def test_what_is_no_number_is_bad(cell):
    read = read_cells(pa.array([cell]), pa.float64())
    assert read.values.to_pylist() == [None]
    assert read.bad.tolist() == [True]


def test_plain_numbers_are_the_same_in_both_ways():
    values = np.random.default_rng(0).normal(size=1000) * 10.0 ** np.arange(
        -250, 250, 0.5
    )
    texts = pa.array([repr(float(value)) for value in values])
    assert numbers(texts).to_pylist() == values.tolist()
    assert read_cells(texts, pa.float64()).values.to_pylist() == values.tolist()


def test_with_decimal_commas_points_are_between_thousands():
    cells = pa.array(["1.200,50 €", "3,5", "1.234", ",5", "2.5", "1,234,5"])
    read = read_cells(cells, pa.float64(), decimal=",")
    assert read.values.to_pylist() == [1200.5, 3.5, 1234.0, 0.5, None, None]
    assert read.bad.tolist() == [False] * 4 + [True] * 2


def test_a_column_may_have_gaps_of_its_own():
    cells = pa.array(["Lots", "1", "few"])
    read = read_cells(cells, pa.float64(), Notation(gaps=("lots",)))
    assert read.values.to_pylist() == [None, 1.0, None]
    assert read.bad.tolist() == [False, False, True]


def test_truth_values_and_text():
    cells = pa.array(["TRUE", "0", "?", "maybe"])
    read = read_cells(cells, pa.bool_())
    assert read.values.to_pylist() == [True, False, None, None]
    assert read.bad.tolist() == [False, False, False, True]
    assert read_cells(cells, pa.string()).values.to_pylist() == cells.to_pylist()


def test_what_was_removed_is_known():
    def found(*cells, decimal="."):
        return signs_in(pa.array(cells), decimal)

    assert found("1.5", "-3") == []
    assert found("$1,200", "3%") == [
        *("currency signs", "percent signs", "commas between thousands")
    ]
    assert found("1.200", decimal=",") == ["points between thousands"]
    assert found("1 200") == ["spaces or apostrophes"]
