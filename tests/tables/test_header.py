import time

import pyarrow as pa
import pytest

from antireg.tables import column_names, header, stream_table


def test_a_header_of_very_many_columns_is_read_in_linear_time(tmp_path):
    names = [f"c{k}" for k in range(200_000)]
    (tmp_path / "t.csv").write_text(",".join(names) + "\n")
    before = time.process_time()
    assert column_names(tmp_path / "t.csv") == names
    # A fraction of a second; a look at all names for each of them takes a quarter hour.
    assert time.process_time() - before < 20


def test_a_first_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(header, "LARGEST_HEADER", 10**6)
    (tmp_path / "t.csv").write_bytes(b"a" * 10**7)
    with pytest.raises(ValueError, match="a first line over 1000000 bytes"):
        column_names(tmp_path / "t.csv")


def test_the_first_line_is_read_as_the_rows_are(tmp_path):
    content = '\ufeff"a ""1""",b c,"d,e"\r\n1,2,3\r\n'
    (tmp_path / "t.csv").write_text(content, encoding="utf-8", newline="")
    names = column_names(tmp_path / "t.csv")
    assert names == ['a "1"', "b c", "d,e"]
    types = dict.fromkeys(names, pa.float64())
    (piece,) = stream_table(tmp_path / "t.csv", types)
    assert piece.rows.to_pylist() == [dict(zip(names, [1.0, 2.0, 3.0], strict=True))]
