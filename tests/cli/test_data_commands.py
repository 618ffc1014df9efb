import json

import numpy as np
import pytest

from antireg.cli import main
from antireg.paper.data import catalogue


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty place for data."""
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    return tmp_path


def test_list_names_every_data_set_and_says_what_is_here(home, capsys):
    assert main(["data", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == [entry.name for entry in catalogue.list()]
    assert {entry["here"] for entry in found.values()} == {"no"}
    assert all(entry["from"] and entry["licence"] for entry in found.values())


def test_get_returns_files_that_are_here(home, capsys):
    (home / "cifar").mkdir()
    file = home / "cifar" / "resnet32_features.npz"
    np.savez(file, made=np.zeros(1))
    assert main(["data", "get", "cifar-features", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["cifar-features"]
    assert str(file) in found.values()


def test_get_names_what_it_knows(home, capsys):
    assert main(["data", "get", "imagenet"]) == 1
    said = capsys.readouterr().err
    assert "NAME must be one of" in said
    assert "fashion-mnist" in said
    assert "got 'imagenet'" in said


def test_where_says_what_is_written(home, capsys):
    assert main(["data", "where"]) == 0
    assert f"written: {home}" in capsys.readouterr().out
