"""Excel files of a few kilobytes that would take gigabytes, or hours."""

import io
import zipfile
from itertools import pairwise

import pytest

from antireg.tables import sheet_bounds
from antireg.tables.sheet_bounds import MAIN
from antireg.tables.sheets import sheet_rows

pytest.importorskip("openpyxl")

SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture(scope="module")
def parts():
    """The files in a book with a row of names and one of values."""
    import openpyxl  # noqa: PLC0415

    book, whole = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["a", "b"])
    book.active.append([1, "x"])
    book.save(whole)
    with zipfile.ZipFile(whole) as found:
        return {name: found.read(name) for name in found.namelist()}


def written(parts, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)
    return path


def changed(parts, old, new):
    assert old in parts[SHEET]
    return {**parts, SHEET: parts[SHEET].replace(old, new)}


def test_a_usual_book_is_read(parts, tmp_path):
    path = written(parts, tmp_path / "t.xlsx")
    assert list(sheet_rows(path)) == [["a", "b"], ["1", "x"]]


BOMBS = {
    "elements more than 32 deep": (b"<sheetData>", b"<sheetData>" + b"<a>" * 30_000),
    "a row, or something else": (b"<sheetData>", b"<sheetData>" + b"<a/>" * 2_000_000),
    "that is far too large": (b"<v>1</v>", b"<v>" + b"1" * 2**27 + b"</v>"),
    "rows or different texts": (b"<sheetData>", b"<sheetData>" + b"<row/>" * 1_100_000),
    "more than 1,048,576 rows": (b'<row r="2">', b'<row r="2000000000">'),
}


@pytest.mark.parametrize("reason", BOMBS)
def test_what_would_take_all_memory_or_time_is_refused(parts, tmp_path, reason):
    path = written(changed(parts, *BOMBS[reason]), tmp_path / "t.xlsx")
    assert path.stat().st_size < 200_000
    with pytest.raises(ValueError, match=rf"'t\.xlsx' must be .* {reason}"):
        list(sheet_rows(path))


def test_rows_of_other_files_are_kept_and_counted(parts, tmp_path):
    """Only those of a sheet are forgotten when they end."""
    rows = f'<a xmlns="{MAIN.strip()}">'.encode() + b"<row/>" * 1_100_000 + b"</a>"
    path = written({**parts, "xl/styles.xml": rows}, tmp_path / "t.xlsx")
    with pytest.raises(ValueError, match="something else than rows"):
        list(sheet_rows(path))


def test_what_is_not_read_may_be_large(parts, tmp_path):
    """Excel writes an element for every formula into a file that is never read."""
    chain = f'<calcChain xmlns="{MAIN.strip()}">'.encode() + b"<c/>" * 1_100_000
    large = {**parts, "xl/calcChain.xml": chain + b"</calcChain>"}
    path = written(large, tmp_path / "t.xlsx")
    assert list(sheet_rows(path)) == [["a", "b"], ["1", "x"]]


def test_rows_are_kept_where_a_file_is_read_whole(parts, tmp_path):
    sheet = f'<worksheet xmlns="{MAIN.strip()}">'.encode() + b"<row/>" * 1_048_570
    sheet += b"<row><a/></row>" * 5 + b"</worksheet>"
    path = written({**parts, "xl/styles.xml": sheet}, tmp_path / "t.xlsx")
    with pytest.raises(ValueError, match="something else than rows"):
        list(sheet_rows(path))


def test_a_book_has_a_size(parts, tmp_path, monkeypatch):
    path = written(parts, tmp_path / "t.xlsx")
    monkeypatch.setattr(sheet_bounds, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"1,000 bytes unpacked\. Export CSV"):
        list(sheet_rows(path))


def test_an_entity_that_unfolds_and_a_file_from_elsewhere_are_refused(parts, tmp_path):
    names = "abcdefg"
    unfolds = "".join(
        f'<!ENTITY {name} "{f"&{inner};" * 100}">' for inner, name in pairwise(names)
    )
    for declared in (f'<!ENTITY a "aaa">{unfolds}', '<!ENTITY g SYSTEM "/etc/hosts">'):
        sheet = parts[SHEET].replace(b"<v>1</v>", b"<v>&g;</v>")
        text = f"<!DOCTYPE x [{declared}]>".encode() + sheet
        path = written({**parts, SHEET: text}, tmp_path / "t.xlsx")
        with pytest.raises(ValueError, match="must be an Excel file with a sheet"):
            list(sheet_rows(path))
