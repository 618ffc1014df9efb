import json

import pyarrow as pa
import pytest
from pyarrow import csv

from antireg.cli import main
from tests.made_tables import houses, written
from tests.quick_options import LEARNS


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A stored model and files of three days; the third has an unseen colour."""
    folder = tmp_path_factory.mktemp("monitor")
    train = written(houses(400), folder / "train.csv")
    fit = ["fit", train, "--target", "price", "--drop", "dear", "--out"]
    assert main([*fit, str(folder / "model"), *LEARNS, "--quiet"]) == 0
    days = [houses(60, seed=1), houses(50, seed=2)]
    days.append(houses(60, seed=3, colour=["purple"] * 60))
    days = [day.drop_columns(["price", "dear"]) for day in days]
    for number, day in enumerate(days, 1):
        written(day, folder / f"day{number}.csv")
    written(pa.concat_tables(days), folder / "all.csv")
    return folder


@pytest.fixture
def run(work, capsys):
    def monitored(day, *more):
        code = main(["monitor", str(work / "model"), str(work / day), *more, "--json"])
        return code, json.loads(capsys.readouterr().out)

    return monitored


def test_days_one_by_one_are_the_same_as_all_at_once(run, tmp_path):
    state, whole = tmp_path / "state.json", tmp_path / "whole.json"
    for day in ("day1.csv", "day2.csv"):
        code, found = run(day, "--state", str(state))
        assert (code, found["drift"]) == (0, False)
        assert found["verdict"].startswith("No drift so far in ")
    code, found = run("day3.csv", "--state", str(state))
    assert code == 3, "drift has an exit code of its own"
    assert found["verdict"].startswith("Drift found, at row ")
    assert "colour" in found["columns"]
    assert 110 < found["found_at_row"] <= 170
    assert found["rows_since_the_start"] == 170
    again = run("all.csv", "--state", str(whole))
    assert again[1]["found_at_row"] == found["found_at_row"]
    assert whole.read_bytes() == state.read_bytes()


def test_drift_stays_found_and_says_when_it_was(run, tmp_path):
    state = str(tmp_path / "state.json")
    run("day3.csv", "--state", state)
    code, found = run("day1.csv", "--state", state)
    assert code == 3
    assert found["verdict"].startswith("Drift was found before, at row ")


def test_p_values_are_written_row_by_row(run, tmp_path):
    out = tmp_path / "p.csv"
    run("day1.csv", "--out", str(out))
    found = csv.read_csv(out)
    assert found.column_names == ["row", "p_value"]
    assert found["row"].to_pylist() == list(range(1, 61))
    assert all(0 < p <= 1 for p in found["p_value"].to_pylist())


def test_options_must_be_those_of_the_state(run, work, tmp_path, capsys):
    state = str(tmp_path / "state.json")
    run("day1.csv", "--state", state, "--level", "0.05")
    command = ["monitor", str(work / "model"), str(work / "day2.csv")]
    assert main([*command, "--state", state, "--level", "0.01"]) == 1
    assert "--level must be that of the state, 0.05, got" in capsys.readouterr().err


def test_a_state_that_is_none_is_refused_and_left_alone(work, tmp_path, capsys):
    state = tmp_path / "state.json"
    state.write_text("{}")
    command = ["monitor", str(work / "model"), str(work / "day2.csv")]
    assert main([*command, "--state", str(state)]) == 1
    assert "must be the state of a monitor" in capsys.readouterr().err
    assert state.read_text() == "{}"
