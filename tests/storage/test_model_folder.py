import json
import multiprocessing
import os
import shutil
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

import antireg
from antireg.disk import atomic
from antireg.storage import model_folder
from tests.small_models import rows
from tests.systems import FORKS, POSIX
from tests.tampering import files, seal, tampered


def test_shapes_larger_than_the_file_are_refused(folder):
    header = json.dumps(
        {"weights": {"dtype": "F32", "shape": [2**39, 2**39], "data_offsets": [0, 4]}}
    ).encode()
    bytes_ = len(header).to_bytes(8, "little") + header + bytes(4)
    for content in (bytes_, (2**60).to_bytes(8, "little") + header, b""):
        files(folder)[1].write_bytes(content)
        seal(folder)
        with pytest.raises(ValueError, match=r"cannot be read|larger than it may"):
            antireg.load(folder)


@POSIX
def test_files_that_are_not_files_are_refused(folder, tmp_path):
    words, arrays = files(folder)
    arrays.unlink()
    with pytest.raises(ValueError, match="is missing"):
        antireg.load(folder)
    arrays.symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="not a plain file"):
        antireg.load(folder)
    with pytest.raises(ValueError, match="path must be the folder"):
        antireg.load(tmp_path / "nowhere")
    arrays.unlink()
    arrays.write_bytes(b"")
    os.truncate(words, 2**40)  # sparse: takes no room on the disk
    with pytest.raises(ValueError, match="far too large"):
        antireg.load(folder)


@pytest.mark.parametrize("name", ["SHA256SUMS", "model-*.json", "arrays-*"])
def test_a_folder_in_the_place_of_a_file_is_refused_and_closed(tmp_path, name):
    folder = tmp_path / "model"
    model_folder.write(folder, *model(1))
    (file,) = folder.glob(name)
    file.unlink()
    file.mkdir()
    lowest = os.dup(0)  # the number that the next handle gets
    os.close(lowest)
    with pytest.raises(ValueError, match=rf"{folder}.*{file.name} is not a plain file"):
        number_of(folder)
    again = os.dup(0)
    os.close(again)
    assert again == lowest


def test_every_truncation_and_bit_flip_is_noticed(folder):
    rng = np.random.default_rng(0)
    for file in (*files(folder), folder / model_folder.CHECKSUMS):
        good = file.read_bytes()
        for _ in range(100):
            bad = bytearray(good)
            if rng.random() < 0.3:
                del bad[rng.integers(len(bad)) :]
            else:
                bad[rng.integers(len(bad))] ^= 1 << rng.integers(8)
            file.write_bytes(bad)
            with pytest.raises(ValueError, match="damaged"):
                antireg.load(folder)
        file.write_bytes(good)
    antireg.load(folder)


def test_tampered_bytes_give_a_clear_error_or_a_model_that_works(folder):
    rng = np.random.default_rng(1)
    X, refused = rows(5)[0], 0
    for file in files(folder):
        good = file.read_bytes()
        # Mostly in the first bytes, where the header of the arrays is.
        for _ in range(250):
            bad = bytearray(good)
            for _ in range(rng.integers(1, 4)):
                bad[rng.integers(min(len(bad), 1500))] = rng.integers(256)
            file.write_bytes(bad)
            seal(folder)
            try:
                model = antireg.load(folder)
            except ValueError as error:
                assert str(folder) in str(error)
                refused += 1
                continue
            with np.errstate(all="ignore"):
                assert model.predict(X).shape == (5,)
        file.write_bytes(good)
    assert refused > 100


def test_loading_seeds_nothing(folder):
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    antireg.load(folder)
    assert torch.rand(1) == expected


def model(number):
    """Return the smallest content of a folder, all of it of one number."""
    description = {"number": number, "padding": "x" * 1000}
    return description, {"weights": np.full(3000, number, dtype=np.float64)}


def number_of(folder):
    """Return the number of a folder, after a check that all of it has the same."""
    with model_folder.opened(folder) as (description, arrays):
        weights = arrays.take("weights", np.float64, (3000,))
        arrays.finish()
    assert set(weights) == {description["number"]}
    return description["number"]


def test_a_folder_of_other_things_is_refused_by_name_and_kept(tmp_path):
    for name in ("thesis.tex", "model.json", "data"):
        folder = tmp_path / f"with {name}"
        model_folder.write(folder, *model(1))
        if name == "data":
            (folder / name).mkdir()
        else:
            (folder / name).write_text("precious")
        with pytest.raises(ValueError, match=f"holds '{name}', which is not of a mod"):
            model_folder.write(folder, *model(2))
        assert (folder / name).exists()
        assert number_of(folder) == 1
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "model.json").write_text("{}")  # of another program
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums" / model_folder.CHECKSUMS).write_text("ab  release.tar\n")
    (tmp_path / "file").write_text("precious")
    for name in ("other", "sums", "file"):
        with pytest.raises(ValueError, match="path must be new or an older model"):
            model_folder.write(tmp_path / name, *model(2))
    assert (tmp_path / "file").read_text() == "precious"


@POSIX
def test_a_symbolic_link_stays_one_and_its_folder_is_replaced(tmp_path):
    model_folder.write(tmp_path / "real", *model(1))
    (tmp_path / "link").symlink_to("real")
    model_folder.write(tmp_path / "link", *model(2))
    assert (tmp_path / "link").is_symlink()
    assert number_of(tmp_path / "real") == number_of(tmp_path / "link") == 2
    assert len(list((tmp_path / "real").iterdir())) == 3


def test_a_folder_of_the_first_version_is_replaced(tmp_path):
    old = Path(__file__).parent.parent / "files" / "format1-regressor"
    folder = Path(shutil.copytree(old, tmp_path / "model"))
    model_folder.write(folder, *model(1))
    assert number_of(folder) == 1
    assert len(list(folder.iterdir())) == 3


def test_anyone_can_check_the_sums(tmp_path):
    model_folder.write(tmp_path / "model", *model(1))
    command = ["sha256sum", "--check", "--strict", model_folder.CHECKSUMS]
    if shutil.which(command[0]) is None:
        pytest.skip("sha256sum is not installed")
    subprocess.run(command, cwd=tmp_path / "model", check=True, capture_output=True)


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    model_folder.write(tmp_path / "model", *model(1))
    deep = []
    for _ in range(40):
        deep = [deep]
    with pytest.raises(ValueError, match=r"read again .* nested more than 32"):
        model_folder.write(tmp_path / "model", {"deep": deep}, {})
    monkeypatch.setattr("antireg.storage.array_file.LARGEST", 1000)
    with pytest.raises(ValueError, match=r"at most .* of arrays to be saved"):
        model_folder.write(tmp_path / "model", *model(2))
    monkeypatch.undo()
    assert number_of(tmp_path / "model") == 1


def test_a_first_save_that_fails_leaves_no_folder(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr("antireg.disk.atomic.write_whole", full)
    with pytest.raises(OSError, match="No space left"):
        model_folder.write(tmp_path / "model", *model(1))
    assert list(tmp_path.iterdir()) == []


def test_reasons_are_short(tmp_path):
    folder = tmp_path / "model"
    model_folder.write(folder, *model(1))
    name = "n" * 10_000
    tampered(folder, change_arrays=lambda a: a.update({name: np.zeros(1)}))
    with pytest.raises(ValueError, match="unknown arrays") as caught:
        number_of(folder)
    assert len(str(caught.value)) < 600


def test_models_are_saved_and_loaded_where_folders_cannot_be_opened_or_locked(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(atomic, "HANDLES", False)  # as on Windows
    monkeypatch.setattr(atomic, "fcntl", None)
    for number in (1, 2):
        model_folder.write(tmp_path / "model", *model(number))
        assert number_of(tmp_path / "model") == number
        assert len(list((tmp_path / "model").iterdir())) == 3
    for path in ("nowhere", "no\0name"):
        with pytest.raises(ValueError, match="path must be the folder"):
            number_of(tmp_path / path)


def save_for_ever(folder, number):
    while True:
        model_folder.write(folder, *model(number))
        number += 2


def start_saver(folder, number):
    """Start a process that saves model after model to one folder.

    It is forked, as it only writes files and a new interpreter would take seconds.
    """
    process = multiprocessing.get_context("fork").Process(
        target=save_for_ever, args=(folder, number), daemon=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        process.start()
    return process


def stop(process):
    """Kill a saver, after a check that it was at work to the end."""
    assert process.exitcode is None
    process.kill()
    process.join()


LONGEST_WAIT = 120
"""Seconds until both savers are heard of, on a machine that is very busy."""


def assert_loads_are_whole(folder, n_loads):
    """Load so often as two processes save, both of which must be heard of."""
    model_folder.write(folder, *model(0))
    savers = [start_saver(folder, number) for number in (1, 2)]
    latest = time.monotonic() + LONGEST_WAIT
    try:
        seen = [number_of(folder) for _ in range(n_loads)]
        while not both(seen) and time.monotonic() < latest:
            seen.append(number_of(folder))
    finally:
        for saver in savers:
            stop(saver)
    assert both(seen)
    # Never did one's model come back.
    for parity in (0, 1):
        own = [number for number in seen if number % 2 == parity]
        assert own == sorted(own)
    assert_next_save_cleans(folder)


def both(seen):
    return {number % 2 for number in seen if number} == {0, 1}


def assert_next_save_cleans(folder):
    model_folder.write(folder, *model(-1))
    assert number_of(folder) == -1
    assert len(list(folder.iterdir())) == 3
    assert len(list(folder.parent.iterdir())) == 1


@FORKS
def test_loads_during_saves_see_one_model_whole(tmp_path):
    assert_loads_are_whole(tmp_path / "model", 300)


@FORKS
@pytest.mark.slow
def test_ten_thousand_loads_during_saves_see_one_model_whole(tmp_path):
    assert_loads_are_whole(tmp_path / "model", 10_000)


def assert_kills_leave_a_model(folder, n_kills):
    rng = np.random.default_rng(0)
    model_folder.write(folder, *model(0))
    for _ in range(n_kills):
        saver = start_saver(folder, 1)
        time.sleep(0.05 * rng.random())
        stop(saver)
        number_of(folder)
    assert_next_save_cleans(folder)


@FORKS
def test_a_save_killed_at_any_point_leaves_a_model(tmp_path):
    assert_kills_leave_a_model(tmp_path / "model", 20)


@FORKS
@pytest.mark.slow
def test_a_thousand_kills_leave_a_model(tmp_path):
    assert_kills_leave_a_model(tmp_path / "model", 1000)
