import csv

import pyarrow as pa
import pytest
from pyarrow import parquet

from antireg.tables import TableWriter
from antireg.tables.csv_files import CSV_BYTES
from antireg.tables.formats import Format


def written(path, rows, kept=(), **options):
    with TableWriter(path, kept=kept, **options) as writer:
        writer.write(pa.record_batch(rows))
    return path


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_a_file_that_fails_halfway_does_not_appear(tmp_path):
    def fail(writer):
        writer.write(pa.record_batch({"a": [1]}))
        raise RuntimeError("stop")

    for name in ("out.csv", "out.parquet"):
        with pytest.raises(RuntimeError), TableWriter(tmp_path / name) as writer:
            fail(writer)
        assert not list(tmp_path.iterdir())


def test_a_place_that_takes_no_file_is_found_before_the_first_row(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError), TableWriter(tmp_path / "file" / "out.csv"):
        pytest.fail("this is never reached")


FORMULAS = ["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3", "\t=1", "\r=1"]
HARMLESS = ["+", "-", "-1", "+1.5e-3", "a=1", "", "yes", "no, =1"]


def test_formulas_in_text_of_ours_begin_with_an_apostrophe(tmp_path):
    rows = {"n": [-1.5] * 14, "reason": FORMULAS + HARMLESS}
    path = written(tmp_path / "t.csv", rows)
    found = read(path)[1:]
    expected = [f"'{text}" for text in FORMULAS] + HARMLESS
    assert [row[1] for row in found] == expected
    assert {row[0] for row in found} == {"-1.5"}


def test_kept_cells_are_written_as_they_came(tmp_path):
    cells = ["00123", "NA", "", "=1+1", 'a,"b"', "x\ny", "é"]
    column = pa.array([cell.encode() for cell in cells], CSV_BYTES)
    path = written(tmp_path / "t.csv", {"=id": column, "n": [1] * 7}, kept=["=id"])
    assert [row[0] for row in read(path)] == ["=id", *cells]
    assert path.read_bytes().startswith(b"=id,n\n00123,1\nNA,1\n,1\n=1+1,1\n")
    path = written(tmp_path / "t.parquet", {"=id": column}, kept=["=id"])
    assert parquet.read_table(path)["=id"].to_pylist() == cells


@pytest.mark.parametrize(
    ("separator", "line"),
    [
        (";", b'1,5;3;-0,25;"a;b";1.5\n'),
        (",", b'"1,5",3,"-0,25",a;b,1.5\n'),
        ("\t", b"1,5\t3\t-0,25\ta;b\t1.5\n"),
    ],
)
def test_our_columns_have_the_notation_of_those_they_are_beside(
    tmp_path, separator, line
):
    rows = {
        "area": pa.array([b"1,5"], CSV_BYTES),
        "n": [3],
        "mean": [-0.25],
        "reason": ["a;b"],
        "label": ["1.5"],
    }
    notation = Format("utf-8", separator, ",")
    path = written(tmp_path / "t.csv", rows, ["area"], notation=notation)
    assert path.read_bytes().splitlines(keepends=True)[1] == line


def test_bytes_of_any_encoding_are_kept_in_csv_and_refused_by_parquet(tmp_path):
    column = pa.array([b"caf\xe9"], CSV_BYTES)
    path = written(tmp_path / "t.csv", {"id": column}, kept=["id"])
    assert path.read_bytes() == b"id\ncaf\xe9\n"
    with pytest.raises(ValueError, match="Column 'id' must hold UTF-8 text"):
        written(tmp_path / "t.parquet", {"id": column}, kept=["id"])
    assert [file.name for file in tmp_path.iterdir()] == ["t.csv"]


def test_what_csv_cannot_hold_is_refused_in_words(tmp_path):
    with pytest.raises(ValueError, match="Column 'a' must hold plain values"):
        written(tmp_path / "t.csv", {"a": pa.array([[1, 2]])})


def test_numbers_are_written_as_they_are_and_infinite_ones_as_text(tmp_path):
    rows = {
        "a": pa.array([-1.5, 2e-7, None]),
        "b": pa.array([-3, 4, None]),
        "c": pa.array([True, False, None]),
        "d": pa.array([float("-inf"), 1.0, 2.0]),
    }
    found = read(written(tmp_path / "t.csv", rows))[1:]
    assert found == [
        ["-1.5", "-3", "true", "'-inf"],
        ["2e-7", "4", "false", "1"],
        ["", "", "", "2"],
    ]
