"""`antireg reproduce` and `antireg report` from the command line."""

import csv

import pytest

from antireg.cli import main
from antireg.paper.experiments import recipes
from tests.paper.experiments.small import STUDY


@pytest.fixture
def small(monkeypatch):
    """Let there be one experiment, which takes a blink."""
    monkeypatch.setattr(recipes, "named", lambda names: [STUDY])


def run_twice(name, folder):
    """Return the rows that a command writes, and leaves alone the next time."""
    command = ["reproduce", name, "--seeds", "1", "--jobs", "1", "--quiet"]
    command += ["--out", str(folder)]
    assert main(command) == 0
    path = folder / "rows" / f"{name}.csv"
    before = path.read_bytes()
    assert main(command) == 0
    assert path.read_bytes() == before
    return list(csv.DictReader(path.read_text().splitlines()))


def test_an_experiment_is_run_once(tmp_path, capsys, small):
    methods = {row["method"] for row in run_twice("small", tmp_path)}
    assert methods == {"deep_ensemble", "dare", "mod"}
    assert capsys.readouterr() == ("", "")


@pytest.mark.slow
def test_a_toy_of_the_paper_is_run_once(tmp_path):
    rows = run_twice("still-water-filling", tmp_path)
    assert {row["method"] for row in rows} == {"dare"}


def test_unknown_names_and_methods_are_refused(tmp_path, capsys):
    out = ["--out", str(tmp_path)]
    assert main(["reproduce", "nothing", *out]) == 1
    assert "NAME must be one of toys" in capsys.readouterr().err
    assert main(["reproduce", "toys", "--methods", "dear", *out]) == 1
    assert "--methods must name some of dare" in capsys.readouterr().err


def test_missing_data_are_told_in_a_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path / "none"))
    command = ["reproduce", "citycam-weather", "--seeds", "1", "--jobs", "1"]
    command += ["--out", str(tmp_path)]
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
