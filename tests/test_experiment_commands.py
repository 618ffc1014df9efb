"""`antireg reproduce` from the command line."""

import csv

from antireg.cli import main


def test_a_toy_is_run_once_and_told(tmp_path, capsys):
    command = ["reproduce", "still-water-filling", "--out", str(tmp_path), "--quiet"]
    assert main(command) == 0
    path = tmp_path / "rows" / "still-water-filling.csv"
    before = path.read_bytes()
    assert main(command) == 0
    assert path.read_bytes() == before
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert {row["method"] for row in rows} == {"dare"}


def test_unknown_names_and_methods_are_refused(tmp_path, capsys):
    out = ["--out", str(tmp_path)]
    assert main(["reproduce", "nothing", *out]) == 1
    assert "NAME must be one of toys" in capsys.readouterr().err
    assert main(["reproduce", "toys", "--methods", "dear", *out]) == 1
    assert "--methods must name some of dare" in capsys.readouterr().err


def test_missing_data_are_told_in_a_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path / "none"))
    command = ["reproduce", "citycam-weather", "--seeds", "1", "--out", str(tmp_path)]
    assert main(command) == 1
    assert "citycam-weather: " in capsys.readouterr().err
