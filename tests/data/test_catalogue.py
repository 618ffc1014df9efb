import re

import pytest

from antireg.data import catalogue


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    return tmp_path


def test_every_entry_says_what_a_person_needs():
    for entry in catalogue.list():
        assert entry.about and entry.licence and entry.sources
        assert not entry.present


def test_an_entry_is_present_once_its_files_are(folder):
    (folder / "cifar").mkdir()
    (folder / "cifar" / "resnet32_features.npz").touch()
    present = [entry.name for entry in catalogue.list() if entry.present]
    assert present == ["cifar-features"]


def test_checksums_are_whole_and_addresses_end_in_the_file():
    sizes = {"md5": 32, "sha256": 64}
    for dataset in catalogue.DATASETS.values():
        for file in (file for form in dataset.forms for file in form.files):
            for digest in filter(None, (file.digest, file.payload)):
                algorithm, _, value = digest.partition(":")
                whole = len(value) == sizes[algorithm] or value in file.name
                assert whole and re.fullmatch("[0-9a-f]+", value)
            if file.url:
                assert file.url.rpartition("/")[2] == file.name.rpartition("/")[2]


def test_unknown_names_are_named():
    with pytest.raises(ValueError, match=r"name must be one of fashion-mnist.*'mars'"):
        catalogue.get("mars")


def test_where_tells_the_folders_and_the_cache(folder):
    assert catalogue.where() == ([folder], folder)
