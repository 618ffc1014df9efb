"""Tables as users have them, from `antireg fit` to the reasons of `antireg predict`."""

import csv
import gzip
import json
from datetime import date, timedelta

import numpy as np
import pytest

from antireg.cli import main
from antireg.serving.graph import load_graph
from antireg.serving.rows import columns_of

FAST = ["--n-members", "2", "--hidden", "8", "--epochs", "5", "--random-state", "0"]
FIRST = date(2020, 1, 1)


def german(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def messy(n_rows, seed=0, **changes):
    """Return lines with decimal commas, signs, dates and gaps; `changes` are cells."""
    rng = np.random.default_rng(seed)
    lines = ["fläche;region;sold;price"]
    for row in range(n_rows):
        area, days = float(rng.uniform(12, 2150)), int(rng.integers(1000))
        day = FIRST + timedelta(days=days)
        cells = {
            "area": german(area),
            "region": ["süd", "ost"][rng.integers(2)],
            "sold": f"{day:%d.%m.%Y}",
            "price": f"{german(1000 * area + 10 * days)} €",
        }
        for name, at in changes.items():
            cells[name] = at.get(row, cells[name])
        lines.append(";".join(cells.values()))
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A folder with a model of a messy table."""
    folder = tmp_path_factory.mktemp("messy")
    text = messy(200, area={0: "?", 3: "viel"})
    (folder / "train.csv").write_bytes(text.encode("cp1252"))
    command = ["fit", folder / "train.csv", "--target", "price", "--encoding", "cp1252"]
    assert run(*command, *FAST, "--out", folder / "model") == 0
    return folder


def run(*arguments):
    return main([str(argument) for argument in arguments])


def rows_of(path):
    """Return what was written: as the table was, so perhaps with semicolons."""
    with path.open(newline="", encoding="utf-8") as file:
        separator = ";" if ";" in file.readline() else ","
        file.seek(0)
        return list(csv.DictReader(file, delimiter=separator))


def test_a_messy_table_is_fitted_and_what_was_read_is_said(work, tmp_path, capsys):
    command = ["fit", work / "train.csv", "--target", "price", "--encoding", "cp1252"]
    assert run(*command, *FAST, "--out", tmp_path / "m") == 0
    said = capsys.readouterr().err
    for words in (
        "as text in cp1252, separated by semicolons, with decimal commas.",
        "'fläche' holds 198 numbers and 1 other word, 'viel' in row 4",
        "Read column 'sold' as dates, days before months.",
        "Read columns 'fläche'",
        "currency signs",
    ):
        assert words in said.replace("column 'fläche'", "columns 'fläche'")
    assert run("inspect", tmp_path / "m", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["columns"]["sold"] == "date, 5 features"
    assert found["training_rows"] == 200


BAD = {
    "area": {1: "kaputt", 2: "viel", 3: "-999"},
    "region": {4: "west"},
    "sold": {5: "31.02.2020", 6: "01.03.2199", 7: ""},
}


def test_one_bad_cell_flags_its_row_and_the_others_are_scored(work, tmp_path, capsys):
    (tmp_path / "new.csv.gz").write_bytes(
        gzip.compress(messy(30, seed=1, **BAD).encode("utf-16"))
    )
    out = tmp_path / "o.csv"
    command = ["predict", work / "model", tmp_path / "new.csv.gz", "--out", out]
    assert run(*command, "--json") == 0
    printed, said = capsys.readouterr()
    assert json.loads(printed)["rows_with_bad_cells"] == 2
    assert "2 rows have cells that cannot be read, such as 'kaputt' in column" in said
    assert "1 of 30 rows has 'sold' outside the time of training (2020-01-" in said
    rows = rows_of(out)
    reasons = [row["reason"] for row in rows]
    assert len(rows) == 30
    assert reasons[1] == "fläche 'kaputt': not a number"
    assert reasons[4].startswith("region 'west': not seen")
    assert reasons[5] == "sold '31.02.2020': not a date"
    assert reasons[7] == "sold missing: never missing in training"
    for row in rows:
        assert np.isfinite(float(row["mean"].replace(",", ".")))
        assert (row["flag"] == "true") == (row["reason"] != "")


def test_values_outside_the_range_and_dates_after_training_are_the_reason(
    work, tmp_path
):
    # At this rate nearly all rows are flagged: what is tested is the reason.
    (tmp_path / "new.csv").write_text(messy(30, seed=1, **BAD), encoding="utf-8")
    out = tmp_path / "o.csv"
    command = ["predict", work / "model", tmp_path / "new.csv", "--out", out]
    assert run(*command, "--false-alarm-rate", "0.9999", "--quiet") == 0
    rows = rows_of(out)
    assert rows[3]["reason"].startswith("fläche -999: below all 198 seen (")
    assert rows[6]["reason"].startswith("sold 2199-03-01: after all 200 seen (2020-01-")


def test_strictly_a_bad_cell_stops_the_file(work, tmp_path, capsys):
    (tmp_path / "new.csv").write_text(messy(30, seed=1, **BAD), encoding="utf-8")
    out = tmp_path / "o.csv"
    command = ["predict", work / "model", tmp_path / "new.csv", "--out", out]
    assert run(*command, "--strict", "--quiet") == 1
    said = capsys.readouterr().err
    assert (
        "Column 'fläche' must hold numbers as in training, got 'kaputt' in row 2"
        in said
    )
    assert not out.exists()


def test_the_decimal_mark_belongs_to_the_file_and_not_to_the_model(work, tmp_path):
    lines = "fläche;region;sold\n1.234,5;ost;05.01.2020\n"
    (tmp_path / "german.csv").write_text(lines, encoding="utf-8")
    lines = "fläche,region,sold\n1234.5,ost,2020-01-05\n"
    (tmp_path / "plain.csv").write_text(lines, encoding="utf-8")
    means = []
    for name in ("german", "plain"):
        out = tmp_path / f"{name}-scored.csv"
        command = ["predict", work / "model", tmp_path / f"{name}.csv", "--out", out]
        assert run(*command, "--quiet") == 0
        means.append(rows_of(out)[0]["mean"])
    assert means[0].replace(",", ".") == means[1]


def test_predict_replaces_its_output_and_says_so(work, tmp_path, capsys):
    (tmp_path / "new.csv").write_text(messy(10, seed=1), encoding="utf-8")
    command = ["predict", work / "model", tmp_path / "new.csv"]
    for expected in (False, True):
        assert run(*command, "--out", tmp_path / "o.csv") == 0
        said = capsys.readouterr().err
        assert (f"Replaced {str(tmp_path / 'o.csv')!r}." in said) == expected


def test_a_model_with_dates_is_served_with_the_answers_of_predict(work, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text(messy(20, seed=4, sold={3: "1.1.2050"}), encoding="utf-8")
    assert run("predict", work / "model", table, "--out", tmp_path / "o.csv") == 0
    expected = rows_of(tmp_path / "o.csv")
    assert run("export", work / "model", "--onnx", tmp_path / "m.onnx") == 0
    graph = load_graph(tmp_path / "m.onnx")
    lines = [line.split(";") for line in table.read_text("utf-8").splitlines()[1:]]
    rows = [
        [float(area.replace(".", "").replace(",", ".")), region, sold]
        for area, region, sold, _ in lines
    ]
    found = graph.answers(columns_of(rows, graph.inputs))
    assert [row["flag"] for row in found] == [row["flag"] == "true" for row in expected]
    means = [float(row["mean"].replace(",", ".")) for row in expected]
    np.testing.assert_allclose([row["mean"] for row in found], means, rtol=1e-4)
    assert found[3]["flag"] and found[3]["reason_column"] == "sold"


@pytest.mark.parametrize("targets", ["none", "empty"])
def test_shifted_rows_need_no_targets(targets, work, tmp_path, capsys):
    table = tmp_path / "test.csv"
    table.write_text(messy(40, seed=2), encoding="utf-8")
    lines = messy(30, seed=3, sold=dict.fromkeys(range(30), "1.1.2050")).split("\n")
    ending = "" if targets == "none" else ";"
    cut = "\n".join(line.rpartition(";")[0] + ending for line in lines[1:-1])
    header = lines[0] if targets == "empty" else lines[0].rpartition(";")[0]
    (tmp_path / "ood.csv").write_text(f"{header}\n{cut}\n", encoding="utf-8")
    page = tmp_path / "page.html"
    command = ["evaluate", work / "model", table, "--ood", tmp_path / "ood.csv"]
    assert run(*command, "--report", page, "--json", "--quiet") == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["ood"]) == {"rows", "flagged_share"}
    assert found["ood"]["rows"] == 30
    assert 0 <= found["detection"]["auroc"] <= 1
    assert "sold 2050-01-01: after all 200 seen" in page.read_text()


def test_any_column_can_be_dropped(tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{k},{a:.3f},t{k},{2 * a:.3f}" for k, a in enumerate(rng.normal(size=60))]
    header = ',a,"note, free",y'
    (tmp_path / "t.csv").write_text("\n".join([header, *lines]) + "\n")
    command = ["fit", tmp_path / "t.csv", "--target", "y", *FAST, "--quiet"]
    command += ["--drop", "note, free", "--drop", ""]
    assert run(*command, "--out", tmp_path / "m") == 0


def test_an_excel_file_is_fitted_and_scored(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    rng = np.random.default_rng(0)
    book = openpyxl.Workbook()
    book.active.append(["a", "sold", "y"])
    for value in rng.normal(size=60).round(3).tolist():
        book.active.append([value, FIRST + timedelta(days=int(90 * value)), 2 * value])
    book.save(tmp_path / "t.xlsx")
    command = ["fit", tmp_path / "t.xlsx", "--target", "y", *FAST, "--quiet"]
    assert run(*command, "--out", tmp_path / "m") == 0
    out = tmp_path / "o.csv"
    command = ["predict", tmp_path / "m", tmp_path / "t.xlsx", "--out", out, "--quiet"]
    assert run(*command, "--keep", "all") == 0
    assert [float(row["a"]) for row in rows_of(out)] == [
        cell.value for cell in book.active["A"][1:]
    ]


def test_results_are_written_as_the_table_is(tmp_path, capsys):
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f};{2 * a:.3f}".replace(".", ",") for a in rng.normal(size=60)]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["a;y", *lines]) + "\n")
    command = ["fit", table, "--target", "y", *FAST, "--quiet"]
    assert run(*command, "--out", tmp_path / "m") == 0
    out = tmp_path / "o.csv"
    predict = ["predict", tmp_path / "m", table, "--out", out]
    assert run(*predict, "--keep", "all") == 0
    told = "'o.csv' in the same way: separated by semicolons, with decimal commas."
    assert told in capsys.readouterr().err
    header, *written = out.read_text().splitlines()
    assert header.startswith("a;y;mean;std;")
    assert [";".join(line.split(";")[:2]) for line in written] == lines
    assert not any("." in line.split(";")[2] for line in written)
    # What was written can be read: as a table, it says the same of the same rows.
    again = tmp_path / "again.csv"
    command = ["predict", tmp_path / "m", out, "--out", again, "--quiet"]
    assert run(*command) == 0
    means = [line.split(";")[2] for line in written]
    assert [line.split(";")[0] for line in again.read_text().splitlines()[1:]] == means
