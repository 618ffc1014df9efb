"""What is killed at any point loses nothing, and ends as if it had not been."""

import shutil
import tempfile
import time
from pathlib import Path

import pytest

import antireg
from antireg.cli import main
from antireg.storage import model_folder
from antireg.training import checkpoint
from tests.killed import killed_folders
from tests.made_tables import houses, written
from tests.small_models import assert_same, regressor
from tests.small_tables import unfinished_is_fine
from tests.systems import FORKS

pytestmark = [unfinished_is_fine, FORKS]

FIT = "--target price --drop dear --method deep_ensemble --n-members 2 --hidden 8"
FAST = "--epochs 3 --quiet --random-state"

POINTS = [8, pytest.param(50, marks=pytest.mark.slow)]
"""The longer is what is promised; the shorter is a quick look at the same."""


def command(*words):
    """Run a command as `antireg` does, with temporary files in a folder of its own."""
    scratch = Path(words[-1]).parent / "scratch"
    scratch.mkdir(exist_ok=True)
    tempfile.tempdir, before = str(scratch), tempfile.tempdir
    checkpoint.SECONDS, seconds = 0.0, checkpoint.SECONDS
    try:
        assert main([str(word) for word in words]) == 0
    finally:
        tempfile.tempdir, checkpoint.SECONDS = before, seconds


def wait_until_empty(folder):
    """Wait for the processes that delete what killed ones left."""
    deadline = time.monotonic() + 120  # of a machine that is very busy
    while any(folder.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert list(folder.iterdir()) == []


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A folder with tables and a model of price."""
    folder = tmp_path_factory.mktemp("tables")
    written(houses(80), folder / "train.csv")
    written(houses(60, seed=1), folder / "new.csv")
    options = [*FIT.split(), *FAST.split(), "1", "--doubt", "none"]
    command("fit", folder / "train.csv", *options, "--out", folder / "model")
    return folder


@pytest.mark.parametrize(
    ("n_points", "doubt"),
    [(3, "none"), pytest.param(50, "rehearsed", marks=pytest.mark.slow)],
)
def test_a_killed_fit_keeps_the_older_model_and_ends_with_the_same_bits(
    tables, tmp_path, n_points, doubt
):
    options = [*FIT.split(), *FAST.split(), "0", "--overwrite", "--doubt", doubt]

    def prepare(folder):
        shutil.copytree(tables / "model", folder / "model")

    def fit(folder):
        places = ["--checkpoint", folder / "checkpoint", "--out", folder / "model"]
        command("fit", tables / "train.csv", *options, *places)

    (tmp_path / "whole").mkdir()
    fit(tmp_path / "whole")
    older, newer = (
        model_folder.names(f / "model")[1] for f in (tables, tmp_path / "whole")
    )
    assert older != newer
    for folder in killed_folders(prepare, fit, n_points, tmp_path):
        antireg.load(folder / "model")
        assert model_folder.names(folder / "model")[1] in (older, newer)
        fit(folder)
        wait_until_empty(folder / "scratch")
        # The name of the arrays is their checksum.
        assert model_folder.names(folder / "model")[1] == newer
        assert len(list((folder / "model").iterdir())) == 3
        assert not list((folder / "checkpoint").glob(".*"))


@pytest.mark.parametrize("n_points", POINTS)
def test_a_killed_save_leaves_the_older_or_the_newer_model(tmp_path, n_points):
    older, newer = regressor(), regressor(random_state=1)

    def save(folder):
        newer.save(folder / "model")

    def prepare(folder):
        older.save(folder / "model")

    older.save(tmp_path / "older")
    newer.save(tmp_path / "newer")
    names = [model_folder.names(tmp_path / name) for name in ("older", "newer")]
    for folder in killed_folders(prepare, save, n_points, tmp_path):
        found = antireg.load(folder / "model")
        assert_same(
            [older, newer][names.index(model_folder.names(folder / "model"))], found
        )
        save(folder)
        assert model_folder.names(folder / "model") == names[1]
        assert len(list((folder / "model").iterdir())) == 3


@pytest.mark.parametrize("n_points", POINTS)
@pytest.mark.parametrize(
    ("verb", "option", "name"),
    [("predict", "--out", "scored.csv"), ("evaluate", "--report", "page.html")],
)
def test_a_killed_command_leaves_the_older_file_or_the_whole_new_one(
    tables, tmp_path, n_points, verb, option, name
):
    def prepare(folder):
        (folder / name).write_bytes(b"older")

    def work(folder):
        words = [verb, tables / "model", tables / "new.csv", "--quiet"]
        command(*words, option, folder / name)

    (tmp_path / "whole").mkdir()
    work(tmp_path / "whole")
    newer = (tmp_path / "whole" / name).read_bytes()
    for folder in killed_folders(prepare, work, n_points, tmp_path):
        assert (folder / name).read_bytes() in (b"older", newer)
        work(folder)
        assert (folder / name).read_bytes() == newer
        assert sorted(path.name for path in folder.iterdir()) == sorted(
            [name, "scratch"]
        )
        wait_until_empty(folder / "scratch")


@pytest.mark.parametrize("n_points", POINTS)
def test_a_killed_monitor_leaves_the_older_or_the_newer_state(
    tables, tmp_path, n_points
):
    def watch(folder, rows="new.csv"):
        places = ["--out", folder / "values.csv", "--state", folder / "state.json"]
        command("monitor", tables / "model", tables / rows, "--quiet", *places)

    whole = tmp_path / "whole"
    whole.mkdir()
    watch(whole, "train.csv")
    (whole / "values.csv").unlink()
    names = ["state.json", "values.csv", "scratch"]
    older = (whole / "state.json").read_bytes()
    watch(whole)
    newer, values = ((whole / name).read_bytes() for name in names[:2])
    assert older != newer

    def prepare(folder):
        (folder / "state.json").write_bytes(older)

    for folder in killed_folders(prepare, watch, n_points, tmp_path):
        if (folder / "state.json").read_bytes() != newer:
            assert (folder / "state.json").read_bytes() == older
            watch(folder)
        # The state is written last: then nothing is missing.
        assert (folder / "state.json").read_bytes() == newer
        assert (folder / "values.csv").read_bytes() == values
        wait_until_empty(folder / "scratch")
        assert sorted(path.name for path in folder.iterdir()) == sorted(names)
