import gzip

import numpy as np
import pyarrow as pa
import pytest

from antireg.tables import csv_files, stream_table
from antireg.tables.formats import Format
from antireg.tables.notation import BadCell

TYPES = {"a": pa.float64(), "b": pa.string()}


def streamed(path, types=TYPES, **settings):
    return list(stream_table(path, types, **settings))


def test_a_bad_cell_late_in_a_file_leaves_all_rows_in_their_places(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(csv_files, "BLOCK_BYTES", 1000)
    cells = [str(number) for number in range(5000)]
    cells[4000], cells[4500] = "many", "$7"
    lines = [f"{cell},x{number},{number}" for number, cell in enumerate(cells)]
    (tmp_path / "t.csv").write_text("a,b,id\n" + "\n".join(lines) + "\n")
    pieces = streamed(tmp_path / "t.csv", also=["id"])
    expected = np.arange(5000.0)
    expected[4000], expected[4500] = np.nan, 7
    found = np.concatenate([np.asarray(piece.rows["a"]) for piece in pieces])
    np.testing.assert_array_equal(found, expected)
    n_rows = 0
    for piece in pieces:
        assert piece.start == n_rows
        numbers = [int(cell) for cell in piece.kept["id"].to_pylist()]
        assert numbers == list(range(n_rows, n_rows + len(numbers)))
        assert piece.rows["b"].to_pylist() == [f"x{number}" for number in numbers]
        n_rows += len(numbers)
    assert n_rows == 5000
    bad = [(piece.start, cell) for piece in pieces for cell in piece.bad]
    ((start, cell),) = bad
    assert (start + cell.row, cell.column, cell.text) == (4000, "a", "many")


def test_a_file_with_bad_cells_is_held_in_memory_piece_by_piece(tmp_path):
    line = "many," + "x" * 80 + "\n"
    (tmp_path / "t.csv").write_text("a,b\n1,x\n" + line * 200_000)
    before = pa.total_allocated_bytes()
    held = []
    for piece in stream_table(tmp_path / "t.csv", TYPES):
        assert piece.rows["a"].null_count >= piece.rows.num_rows - 1
        held.append(pa.total_allocated_bytes() - before)
    assert len(held) > 5
    assert max(held) < (tmp_path / "t.csv").stat().st_size


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8"])
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "tsv"])
def test_other_encodings_and_compression(encoding, suffix, tmp_path):
    content = "a;b;größe\n1.200,5;süß;ö\n3,5;;ä\n".encode(encoding)
    path = tmp_path / f"t.{suffix}"
    path.write_bytes(gzip.compress(content, mtime=0) if suffix == "csv.gz" else content)
    stated = Format("cp1252") if encoding == "cp1252" else Format()
    (piece,) = streamed(path, also=["größe"], stated=stated)
    assert piece.rows.to_pydict() == {"a": [1200.5, 3.5], "b": ["süß", None]}
    assert [cell.decode() for cell in piece.kept["größe"].to_pylist()] == ["ö", "ä"]
    assert piece.share == 1.0


def test_zstd_is_read_too(tmp_path):
    path = tmp_path / "t.csv.zst"
    path.write_bytes(pa.compress(b"a,b\n1,x\n", "zstd", asbytes=True))
    assert streamed(path)[0].rows.to_pydict() == {"a": [1.0], "b": ["x"]}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "a,b\n1,süß\n".encode("cp1252"), "'b' in 't.csv' must be .* UTF-8"),
        ("t.csv", "a,b,ß\n1,x,1\n".encode("cp1252"), "must be text in UTF-8.*cp1252"),
        ("t.csv", "a,b\n".encode("utf-16")[:-1], "must be text in UTF-16"),
        ("t.csv.gz", b"a,b\n1,x\n", "cannot be read"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,x\n" * 99, mtime=0)[:-9], "cannot be read"),
        ("t.csv.zst", b"a,b\n1,x\n", "cannot be read"),
    ],
)
def test_bytes_that_are_not_as_they_should_be_are_said(
    name, content, message, tmp_path
):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        streamed(tmp_path / name)


def test_a_question_mark_is_a_gap_unless_it_is_a_category(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n?,?\n-,-\n1,NA\n")
    (piece,) = streamed(tmp_path / "t.csv")
    assert piece.rows.to_pydict() == {"a": [None, None, 1.0], "b": [None] * 3}
    # Models of older versions have such categories; NA was a gap in them too.
    (piece,) = streamed(tmp_path / "t.csv", values={"?", "NA"})
    assert piece.rows.to_pydict() == {"a": [None, None, 1.0], "b": ["?", None, None]}
    assert piece.bad == ()


def test_truth_values_and_dates_may_be_bad_too(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\nperhaps,2024-01-05\ntrue,2024-02-30\n")
    types = {"a": pa.bool_(), "b": pa.timestamp("us")}
    (piece,) = streamed(tmp_path / "t.csv", types)
    assert piece.rows["a"].to_pylist() == [None, True]
    assert piece.rows["b"].null_count == 1
    assert piece.bad == (BadCell(0, "a", "perhaps"), BadCell(1, "b", "2024-02-30"))


def test_cells_that_not_everyone_reads_as_gaps_are_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,x,?\n?,-,2\nNA,,3\n")
    with pytest.warns(UserWarning) as said:
        table = csv_files.read_csv(path, ["a", "b", "c"], (), Format(separator=","))
    assert [str(one.message) for one in said] == [
        "Read '?' in columns 'a', 'c' as missing.",
        "Read '-' in column 'b' as missing.",
    ]
    assert [table[name].null_count for name in "abc"] == [2, 2, 1]
