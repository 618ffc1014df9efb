import pyarrow as pa
import pytest

from antireg.tables.notation import BadCell
from antireg.tables.pieces import FEWEST_WRONG, Piece, Wanted, mistyped, strictly

TYPES = {"a": pa.float64(), "b": pa.string()}


def read(cells, *, first=True, type_=None):
    wanted = Wanted({"a": type_ or pa.float64()})
    return wanted.read({"a": pa.array(cells, pa.string())}, ".", first=first)


def test_bad_cells_are_missing_and_named():
    values, bad = read(["1", "x", None, "$2", "y"])
    assert values["a"].to_pylist() == [1.0, None, None, 2.0, None]
    assert bad == (BadCell(1, "a", "x"), BadCell(4, "a", "y"))


def test_a_column_that_is_wrong_from_the_start_is_refused():
    wrong = ["x"] * FEWEST_WRONG
    with pytest.raises(
        ValueError, match="'a' must hold numbers as in training, got 'x'"
    ):
        read(wrong)
    with pytest.raises(ValueError, match="'a' must hold dates as in training, got 'x'"):
        read(wrong, type_=pa.timestamp("us"))
    assert len(read(wrong, first=False)[1]) == FEWEST_WRONG
    assert len(read(wrong[1:])[1]) == FEWEST_WRONG - 1
    assert len(read([*wrong, "1"])[1]) == FEWEST_WRONG


def test_strictly_the_first_bad_cell_is_an_error():
    batch = pa.record_batch({"a": [None, 1.0, None]})
    good, bad = Piece(batch, 0.5), (BadCell(2, "a", "z"), BadCell(0, "a", "x"))
    pieces = strictly(iter([good, Piece(batch, 1.0, None, 3, bad)]), TYPES)
    assert next(pieces) is good
    with pytest.raises(ValueError, match=r"got 'x' in row 4\. Correct"):
        next(pieces)


def test_a_long_cell_is_cut_in_the_message():
    assert len(str(mistyped("a", pa.float64(), "x" * 10_000))) < 400
