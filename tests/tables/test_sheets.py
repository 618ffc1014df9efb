import os
import subprocess
import sys
import zipfile
from datetime import date, datetime
from pathlib import Path

import pytest

from antireg.tables import column_names, open_table
from antireg.tables.formats import Format
from antireg.tables.sheets import PLAIN, as_text


def book(path, rows):
    openpyxl = pytest.importorskip("openpyxl")
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    made.create_sheet("other").append(["not", "this"])
    made.save(path)
    return path


ROWS = [
    ["size", "region", "sold", "new", "note"],
    [1.5, "süd, west", datetime(2024, 1, 5), True, None],
    [],
    [None, "n\nw", date(2024, 1, 6), False, "x"],
]


def test_the_first_sheet_is_read_as_a_table(tmp_path):
    path = book(tmp_path / "t.xlsx", ROWS)
    with as_text(path, Format()) as (copy, stated):
        assert stated == PLAIN
        assert column_names(copy, stated) == ROWS[0]
        table = open_table(copy, ROWS[0], [], stated=stated)
        assert table["size"].to_pylist() == [1.5, None]
        assert table["region"].to_pylist() == ["süd, west", "n\nw"]
        assert table["sold"].to_pylist() == [datetime(2024, 1, 5), datetime(2024, 1, 6)]
        assert table["new"].to_pylist() == [True, False]
    assert not copy.exists()


def test_other_files_are_left_alone(tmp_path):
    stated = Format(encoding="cp1252")
    with as_text(tmp_path / "t.csv", stated) as found:
        assert found == (tmp_path / "t.csv", stated)


def test_what_is_wrong_with_a_sheet_is_said(tmp_path):
    wide = book(tmp_path / "wide.xlsx", [["a"], [1, 2]])
    with pytest.raises(ValueError, match="1 names and 2 cells in row 2"):
        as_text(wide, Format()).__enter__()
    for content in (b"", b"PK\x03\x04nonsense", wide.read_bytes()[:1500]):
        (tmp_path / "bad.xlsx").write_bytes(content)
        with pytest.raises(ValueError, match=r"'bad\.xlsx' must be an Excel file"):
            as_text(tmp_path / "bad.xlsx", Format()).__enter__()
    with pytest.raises(ValueError, match="There is no file"):
        as_text(tmp_path / "none.xlsx", Format()).__enter__()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_sheet_that_is_refused_is_closed(tmp_path):
    wide = book(tmp_path / "wide.xlsx", [["a"], [1, 2]])
    with pytest.raises(ValueError, match="1 names and 2 cells in row 2") as caught:
        as_text(wide, Format()).__enter__()
    assert caught.value is not None  # it holds all that was open when it was raised
    opened = [os.path.realpath(file) for file in Path("/proc/self/fd").iterdir()]
    assert str(wide.resolve()) not in opened


def test_without_openpyxl_the_command_names_the_extra(tmp_path):
    (tmp_path / "t.xlsx").write_bytes(b"")
    code = (
        "import sys; sys.modules['openpyxl'] = None\n"
        "from antireg.cli import main\n"
        "sys.exit(main(['fit', 't.xlsx', '--target', 'y', '--out', 'm']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: openpyxl is needed")
    assert "pip install 'antireg[xlsx]'" in done.stderr


def test_errors_of_openpyxl_are_told_in_our_words(tmp_path):
    path = book(tmp_path / "t.xlsx", [["a"], [1]])
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    parts["xl/styles.xml"] = b"<styleSheet/>"
    with zipfile.ZipFile(path, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    with pytest.raises(ValueError, match=r"'t\.xlsx' must be an Excel file") as caught:
        as_text(path, Format()).__enter__()
    assert "\n" not in str(caught.value)
