"""`antireg reproduce` and `antireg report` from the command line."""

import csv

import pytest

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


def test_methods_that_are_not_compared_are_refused(tmp_path, capsys):
    command = ["reproduce", "toys", "--methods", "mod", "--out", str(tmp_path)]
    assert main(command) == 1
    assert "must name some that toys compares, got mod." in capsys.readouterr().err


@pytest.mark.parametrize("command", ["reproduce", "report"])
def test_a_folder_that_cannot_be_written_to_is_refused_at_once(
    command, tmp_path, capsys
):
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "two-moons.csv").touch()
    (tmp_path / "file").touch()
    rows = ["--rows", str(tmp_path)] if command == "report" else []
    assert main([command, *rows, "--out", str(tmp_path / "file")]) == 1
    said = capsys.readouterr().err
    assert "--out must be a folder that can be written to, got " in said
    assert "(File exists)" in said


def test_a_folder_of_other_tables_is_not_taken_for_rows(tmp_path, capsys):
    (tmp_path / "prices.csv").write_text("a\n1\n")
    assert main(["report", "--rows", str(tmp_path)]) == 1
    assert "--rows must name a folder with rows" in capsys.readouterr().err


def test_an_interrupted_run_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr("antireg.cli.paper_commands.run_all", interrupted)
    assert main(["reproduce", "toys", "--out", str(tmp_path)]) == 130
    assert "the same command resumes" in capsys.readouterr().err
