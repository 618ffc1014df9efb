import gzip
import io
import json
import pickle

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from antireg.paper.data import formats
from tests.paper.data.making import idx, python2_batch, tar

RNG = np.random.default_rng(0)
PICTURES = RNG.integers(0, 256, (4, 32, 32, 3), np.uint8)
LABELS = [3, 8, 0, 6]


def test_idx_is_read_packed_or_not(tmp_path):
    images = np.arange(12, dtype=np.uint8).reshape(3, 2, 2)
    (tmp_path / "x.gz").write_bytes(gzip.compress(idx(images)))
    (tmp_path / "y").write_bytes(idx(np.array([1, 0, 9], np.uint8)))
    rows = formats.idx_pair(tmp_path / "x.gz", tmp_path / "y")
    assert (rows.x == images).all()
    assert rows.y.tolist() == [1, 0, 9]


def test_idx_is_read_from_an_archive(tmp_path):
    content = idx(np.zeros((1, 2, 2), np.uint8))
    archive = tar(tmp_path / "a.tgz", x=content, y=idx(np.array([7], np.uint8)))
    rows = formats.idx_pair_in_tar(archive, "x", "y")
    assert rows.x.shape == (1, 2, 2) and rows.y.tolist() == [7]


def test_other_files_are_not_idx():
    with pytest.raises(ValueError, match="begin with 00 00 08, got 50 4b 03"):
        formats.read_idx(io.BytesIO(b"PK\3\4"))


def test_cifar_pickles_are_read_in_order(tmp_path):
    batches = {"b1": python2_batch(PICTURES[:3], LABELS[:3]),
               "b2": python2_batch(PICTURES[3:], LABELS[3:])}  # fmt: skip
    archive = tar(tmp_path / "a.tgz", **batches)
    rows = formats.cifar_pickles(archive, ["b1", "b2"], "labels")
    assert (rows.x == PICTURES).all()
    assert rows.y.tolist() == LABELS


def test_a_pickle_that_runs_something_is_refused(tmp_path):
    archive = tar(tmp_path / "a.tgz", bad=pickle.dumps({b"data": print}))
    with pytest.raises(pickle.UnpicklingError, match=r"arrays only, got .*print"):
        formats.cifar_pickles(archive, ["bad"], "labels")


def test_cifar_pictures_have_one_picture_per_line(tmp_path):
    stream = io.BytesIO()
    Image.fromarray(PICTURES.reshape(4, 1024, 3)).save(stream, "png")
    labels = json.dumps(LABELS * 2).encode()
    archive = tar(tmp_path / "a.tgz", p=stream.getvalue(), labels=labels)
    rows = formats.cifar_pictures(archive, ["p", "p"], "labels")
    assert (rows.x == np.concatenate([PICTURES, PICTURES])).all()
    assert rows.y.tolist() == LABELS * 2


def test_svhn_counts_its_digits_from_zero(tmp_path):
    content = {
        "X": PICTURES.transpose(1, 2, 3, 0),
        "y": np.array([[1], [10], [9], [2]]),
    }
    savemat(tmp_path / "test.mat", content)
    rows = formats.svhn_matrix(tmp_path / "test.mat")
    assert (rows.x == PICTURES).all()
    assert rows.y.tolist() == [1, 0, 9, 2]
