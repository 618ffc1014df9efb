import shutil
import warnings
from pathlib import Path

import pytest

from tests.small_models import regressor


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
