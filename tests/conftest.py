"""What every test runs under, and a stored model for the tests of model files."""

import shutil
import warnings
from pathlib import Path

import pytest
import torch

from tests.small_models import regressor

# A second thread that waits for a busy core makes small networks thirty times slower.
torch.set_num_threads(1)


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
