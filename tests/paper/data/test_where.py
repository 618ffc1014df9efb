import os

import pooch
import pytest

from antireg.paper.data import where


def test_without_the_variable_the_users_cache_is_all(monkeypatch):
    monkeypatch.delenv("ANTIREG_DATA", raising=False)
    assert where.folders() == [pooch.os_cache("antireg")]


def test_first_folder_with_the_file_wins(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    monkeypatch.setenv("ANTIREG_DATA", os.pathsep.join([str(first), str(second)]))
    (second / "a").touch()
    assert where.find("a") == second / "a"
    (first / "a").touch()
    assert where.find("a") == first / "a"
    assert where.find("b") is None


def test_first_writable_folder_is_the_cache(tmp_path, monkeypatch):
    shared, own = tmp_path / "shared", tmp_path / "own"
    shared.mkdir(mode=0o555)
    monkeypatch.setenv("ANTIREG_DATA", os.pathsep.join([str(shared), str(own)]))
    assert where.cache() == own
    assert where.folders() == [shared, own]


def test_read_only_folders_are_joined_by_the_users_cache(tmp_path, monkeypatch):
    tmp_path.joinpath("shared").mkdir(mode=0o555)
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path / "shared"))
    assert where.cache() == pooch.os_cache("antireg")


def test_a_missing_file_comes_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"a is not in .*\. Do this\."):
        where.need("a", "Do this.")
