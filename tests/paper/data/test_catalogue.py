import pytest

from antireg.paper.data import catalogue

pytestmark = pytest.mark.usefixtures("folder")


def test_every_entry_says_what_a_person_needs():
    for entry in catalogue.list():
        assert entry.about and entry.licence and entry.sources
        assert not entry.present


def test_an_entry_is_present_once_its_files_are(folder):
    (folder / "cifar").mkdir()
    (folder / "cifar" / "resnet32_features.npz").touch()
    present = [entry.name for entry in catalogue.list() if entry.present]
    assert present == ["cifar-features"]


def test_unknown_names_are_named():
    with pytest.raises(ValueError, match=r"name must be one of fashion-mnist.*'mars'"):
        catalogue.get("mars")


def test_where_tells_the_folders_and_the_cache(folder):
    assert catalogue.where() == ([folder], folder)
