import csv
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from antireg.tables import (
    TableWriter,
    column_names,
    csv_files,
    open_table,
    read_table,
    stream_table,
)
from antireg.tables.notation import BadCell

TYPES = {"a": pa.float64(), "b": pa.string()}


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path):
    table = pa.table({"b": ["x", None, "z"], "a": [1.0, 2.5, None], "c": [1, 2, 3]})
    file = tmp_path / f"table.{request.param}"
    with TableWriter(file) as writer:
        for batch in table.to_batches():
            writer.write(batch)
    return file


def test_what_is_written_is_read(path):
    (piece,) = stream_table(path, TYPES, also=["c"])
    assert piece.rows.to_pydict() == {"a": [1.0, 2.5, None], "b": ["x", None, "z"]}
    assert list(map(int, piece.kept["c"].to_pylist())) == [1, 2, 3]
    assert piece.share == 1.0
    assert read_table(path, ["a"], []).to_pydict() == {"a": [1.0, 2.5, None]}
    assert column_names(path) == ["b", "a", "c"]


def test_an_open_table_gives_columns_and_rows(path):
    table = open_table(path, ["a", "b"], [])
    assert (table.num_rows, table.column_names) == (3, ["a", "b"])
    assert table["b"].to_pylist() == ["x", None, "z"]
    rows = pa.Table.from_batches(table.to_batches())
    assert rows.to_pydict() == {"a": [1.0, 2.5, None], "b": ["x", None, "z"]}


def test_a_large_file_comes_in_pieces_in_order(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 10_000)
    file = tmp_path / "large.csv"
    file.write_text("a\n" + "\n".join(map(str, range(20_000))) + "\n")
    pieces = list(stream_table(file, {"a": pa.float64()}))
    assert len(pieces) > 5
    values = np.concatenate([piece.rows["a"].to_numpy() for piece in pieces])
    np.testing.assert_array_equal(values, np.arange(20_000))


def test_a_missing_column_is_named(path):
    with pytest.raises(ValueError, match="the column 'q', got only 'b', 'a'"):
        list(stream_table(path, TYPES | {"q": pa.float64()}))


def test_a_mistyped_value_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("b,a\n" + "y,many\n" * 10)
    with pytest.raises(ValueError, match=r"Column 'a' must hold numbers .*many"):
        list(stream_table(tmp_path / "t.csv", TYPES))
    table = pa.table({"b": ["x"], "a": [["list"]]})
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"Column 'a' must hold numbers"):
        list(stream_table(tmp_path / "t.parquet", TYPES))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none.csv", None, "There is no file"),
        ("empty.csv", b"", "cannot be read"),
        ("ragged.csv", b"a,b\n1\n2,3,4\n", "cannot be read"),
        ("twice.csv", b"a,a\n1,2\n", "more than once"),
        ("bad.parquet", b"PAR1nonsense", "cannot be read"),
        ("table.doc", b"", r"ending in .csv, .tsv or .txt"),
    ],
)
def test_files_that_are_no_tables_are_refused_in_words(name, content, words, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=words):
        list(stream_table(tmp_path / name, {"a": pa.float64()}))


CELLS = ["00123", "NA", "", "FALSE", "2020-01-01T00:00:00Z", 'a,"b"', "é", " 1 "]


def test_kept_columns_come_as_the_bytes_they_are(tmp_path):
    with (tmp_path / "t.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "a"), *((cell, "1") for cell in CELLS)])
    # Also if the column is an input, and whatever text the last rows turn out to be.
    (piece,) = stream_table(tmp_path / "t.csv", {"a": pa.float64()}, also=["id", "a"])
    assert [cell.decode() for cell in piece.kept["id"].to_pylist()] == CELLS
    assert piece.kept["a"].to_pylist() == [b"1"] * len(CELLS)
    assert piece.rows["a"].to_pylist() == [1.0] * len(CELLS)


def test_kept_rows_stay_beside_their_own_in_every_piece(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 1000)
    lines = [f"{'x' * (number % 50)},{number}" for number in range(5000)]
    (tmp_path / "t.csv").write_text("id,a\n" + "\n".join(lines) + "\n")
    pieces = list(stream_table(tmp_path / "t.csv", {"a": pa.float64()}, also=["id"]))
    assert len(pieces) > 50
    for piece in pieces:
        lengths = [len(cell) for cell in piece.kept["id"].to_pylist()]
        assert lengths == [number % 50 for number in piece.rows["a"].to_pylist()]


def test_a_message_names_few_of_many_columns(tmp_path):
    names = [f"{'long' * 100}{k}" for k in range(1000)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n")
    with pytest.raises(ValueError, match="and 992 more") as caught:
        list(stream_table(tmp_path / "t.csv", {"q": pa.float64()}))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("read", ["stream", "open"])
def test_rows_of_a_parquet_file_are_let_go_as_they_are_read(
    tmp_path: Path, read: str
) -> None:
    path = tmp_path / "t.parquet"
    values = np.random.default_rng(0).normal(size=(50, 16_384))
    names = [f"x{number}" for number in range(len(values))]
    with parquet.ParquetWriter(
        path, pa.schema([(n, pa.float64()) for n in names])
    ) as w:
        for _ in range(12):
            w.write_table(pa.table(dict(zip(names, values, strict=True))))
    if read == "stream":
        pieces = stream_table(path, dict.fromkeys(names, pa.float64()))
    else:
        pieces = open_table(path, names, []).to_batches()
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in pieces]
    assert len(held) == 12
    assert max(held) < 1.5 * held[0]


def test_text_in_a_parquet_file_is_read_as_numbers_and_dates_where_needed(tmp_path):
    table = pa.table({"a": ["$1,200", "x"], "b": ["2024-01-05", "31.02.2024"]})
    parquet.write_table(table, tmp_path / "t.parquet")
    types = {"a": pa.float64(), "b": pa.timestamp("us")}
    (piece,) = stream_table(tmp_path / "t.parquet", types)
    assert piece.rows["a"].to_pylist() == [1200.0, None]
    assert piece.rows["b"].to_pylist() == [datetime(2024, 1, 5), None]
    assert piece.bad == (BadCell(1, "a", "x"), BadCell(1, "b", "31.02.2024"))


def test_dates_of_parquet_files_are_read_and_numbers_are_no_dates(tmp_path):
    moments = pa.array([1_500_000_000_000_000_001], pa.timestamp("ns", "UTC"))
    table = pa.table({"a": pa.array([19_727], pa.date32()), "b": moments, "c": [3]})
    parquet.write_table(table, tmp_path / "t.parquet")
    types = dict.fromkeys("ab", pa.timestamp("us"))
    (piece,) = stream_table(tmp_path / "t.parquet", types)
    assert piece.rows["a"].to_pylist() == [datetime(2024, 1, 5)]
    assert piece.rows["b"].cast(pa.int64()).to_pylist() == [1_500_000_000_000_000]
    with pytest.raises(
        ValueError, match="'c' must hold dates as in training, got int64"
    ):
        list(stream_table(tmp_path / "t.parquet", {"c": pa.timestamp("us")}))


def test_a_text_file_to_train_on_comes_with_numbers_and_dates(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c\n1,5;5.1.2024;x\n2.000;31.1.2024;y\n")
    with pytest.warns(UserWarning) as caught:
        table = open_table(tmp_path / "t.csv", ["a", "b", "c"], [])
    assert table["a"].to_pylist() == [1.5, 2000.0]
    assert table["b"].to_pylist() == [datetime(2024, 1, 5), datetime(2024, 1, 31)]
    assert table["c"].to_pylist() == ["x", "y"]
    assert table.notations["b"].day_first is True
    assert [str(warning.message) for warning in caught] == [
        "Read column 'a' as numbers, without points between thousands.",
        "Read column 'b' as dates, days before months.",
    ]


def test_bytes_of_another_encoding_are_refused_before_training(tmp_path):
    (tmp_path / "t.csv").write_bytes("a,b\nsüß,1\n".encode("cp1252"))
    with pytest.raises(
        ValueError, match=r"Column 'a' in 't\.csv' must be .*--encoding"
    ):
        open_table(tmp_path / "t.csv", ["a", "b"], [])
