import json

import numpy as np
import pytest
import torch

import antireg
from antireg import model_files
from tests.small_models import rows
from tests.tampering import seal


def test_shapes_larger_than_the_file_are_refused(folder):
    header = json.dumps(
        {"weights": {"dtype": "F32", "shape": [2**39, 2**39], "data_offsets": [0, 4]}}
    ).encode()
    bytes_ = len(header).to_bytes(8, "little") + header + bytes(4)
    for content in (bytes_, (2**60).to_bytes(8, "little") + header, b""):
        (folder / model_files.ARRAYS).write_bytes(content)
        seal(folder)
        with pytest.raises(ValueError, match="cannot be read"):
            antireg.load(folder)


def test_files_that_are_not_files_are_refused(folder, tmp_path):
    (folder / model_files.ARRAYS).unlink()
    (folder / model_files.ARRAYS).symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="is missing"):
        antireg.load(folder)
    with pytest.raises(ValueError, match="path must be the folder"):
        antireg.load(tmp_path / "nowhere")
    with (folder / model_files.DESCRIPTION).open("r+b") as stream:
        stream.truncate(2**40)  # sparse: takes no room on the disk
    (folder / model_files.ARRAYS).unlink()
    (folder / model_files.ARRAYS).write_bytes(b"")
    with pytest.raises(ValueError, match="far too large"):
        antireg.load(folder)


def test_every_truncation_and_bit_flip_is_noticed(folder):
    rng = np.random.default_rng(0)
    for name in (model_files.DESCRIPTION, model_files.ARRAYS, model_files.CHECKSUMS):
        good = (folder / name).read_bytes()
        for _ in range(100):
            bad = bytearray(good)
            if rng.random() < 0.3:
                del bad[rng.integers(len(bad)) :]
            else:
                bad[rng.integers(len(bad))] ^= 1 << rng.integers(8)
            (folder / name).write_bytes(bad)
            with pytest.raises(ValueError, match="damaged"):
                antireg.load(folder)
        (folder / name).write_bytes(good)
    antireg.load(folder)


def test_tampered_bytes_give_a_clear_error_or_a_model_that_works(folder):
    rng = np.random.default_rng(1)
    X, refused = rows(5)[0], 0
    for name in (model_files.DESCRIPTION, model_files.ARRAYS):
        good = (folder / name).read_bytes()
        # Mostly in the first bytes, where the header of the arrays is.
        for _ in range(250):
            bad = bytearray(good)
            for _ in range(rng.integers(1, 4)):
                bad[rng.integers(min(len(bad), 1500))] = rng.integers(256)
            (folder / name).write_bytes(bad)
            seal(folder)
            try:
                model = antireg.load(folder)
            except ValueError as error:
                assert str(folder) in str(error)
                refused += 1
                continue
            with np.errstate(all="ignore"):
                assert model.predict(X).shape == (5,)
        (folder / name).write_bytes(good)
    assert refused > 100


def test_loading_seeds_nothing(folder):
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    antireg.load(folder)
    assert torch.rand(1) == expected
