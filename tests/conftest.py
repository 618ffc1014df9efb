"""What every test runs under, and a stored model for the tests of model files."""

import shutil
import sys
import warnings
from pathlib import Path

import pytest
import torch

from tests.small_models import regressor

# A second thread that waits for a busy core makes small networks thirty times slower.
torch.set_num_threads(1)

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "antireg"


def pytest_collection_modifyitems(items):
    """Before Python 3.12, count lines in the tests of one file, with the first values.

    Counting makes all code take half as long again. A test of many files, and a test
    that is repeated with other values, run mostly what is counted elsewhere: coverage
    comes out too low, if anything. From 3.12 on counting costs little.
    """
    if sys.version_info >= (3, 12):
        return
    seen = set()
    for item in items:
        name = item.nodeid.partition("[")[0]
        if name in seen or not is_of_one_file(item.path):
            item.add_marker("no_cover")
        seen.add(name)


def is_of_one_file(path):
    """Return whether these are the tests of a file, which has the same place."""
    folder = SOURCE / path.relative_to(TESTS).parent
    return (folder / path.name.removeprefix("test_")).exists()


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """The folder of a stored regressor, to be copied."""
    folder = tmp_path_factory.mktemp("stored") / "model"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        regressor().save(folder)
    return folder


@pytest.fixture
def folder(stored, tmp_path):
    """A stored regressor that the test may spoil."""
    return Path(shutil.copytree(stored, tmp_path / "model"))
