"""Readers of the file formats that image data sets are published in."""

from __future__ import annotations

import io
import json
import pickle
import tarfile
from importlib import import_module
from pathlib import Path
from typing import IO, Any, ClassVar

import numpy as np
from scipy.io import loadmat

from antireg.paper.data.files import open_payload
from antireg.paper.data.split import Array, Rows


def read_idx(stream: IO[bytes]) -> Array:
    """Return the array of an IDX file of bytes, the format of MNIST."""
    header = stream.read(4)
    if header[:3] != b"\x00\x00\x08":
        raise ValueError(
            "an IDX file of bytes must begin with 00 00 08, got "
            f"{header[:3].hex(' ')}. Get the file again."
        )
    shape = np.frombuffer(stream.read(4 * header[3]), ">i4")
    return np.frombuffer(stream.read(), np.uint8).reshape(shape)


def idx_pair(images: Path, labels: Path) -> Rows:
    """Return images and labels from a pair of IDX files, packed by gzip or not."""
    with open_payload(images) as x, open_payload(labels) as y:
        return Rows(read_idx(x), read_idx(y).astype(np.int64))


def idx_pair_in_tar(archive: Path, images: str, labels: str) -> Rows:
    """Return images and labels from a pair of IDX files inside an archive."""
    with tarfile.open(archive) as tar:
        x, y = read_idx(_member(tar, images)), read_idx(_member(tar, labels))
    return Rows(x, y.astype(np.int64))


def cifar_pickles(archive: Path, members: list[str], labels: str) -> Rows:
    """Return (rows, 32, 32, 3) images from the Python version of CIFAR.

    Args:
        archive: The published tar.gz file.
        members: The batches in it, in order.
        labels: The key of a batch's labels.
    """
    with tarfile.open(archive) as tar:
        batches = [
            _Plain(_member(tar, name), encoding="bytes").load() for name in members
        ]
    x = np.concatenate([batch[b"data"] for batch in batches])
    y = np.concatenate([batch[labels.encode()] for batch in batches])
    # Stored as all reds, then all greens, then all blues of an image.
    return Rows(x.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), y.astype(np.int64))


def cifar_pictures(archive: Path, members: list[str], labels: str) -> Rows:
    """Return (rows, 32, 32, 3) images from PNG files with one image per line.

    Args:
        archive: The tar file of the package.
        members: The PNG files in it, in order.
        labels: The JSON file with the labels.
    """
    image = pillow()
    with tarfile.open(archive) as tar:
        pictures = [np.asarray(image.open(_member(tar, name))) for name in members]
        y = np.array(json.load(_member(tar, labels)), np.int64)
    return Rows(np.concatenate(pictures).reshape(-1, 32, 32, 3), y)


def svhn_matrix(path: Path) -> Rows:
    """Return (rows, 32, 32, 3) images from the cropped-digits MATLAB file."""
    content = loadmat(path)
    # MATLAB counts from one, so the digit 0 has label 10.
    return Rows(content["X"].transpose(3, 0, 1, 2), content["y"][:, 0] % 10)


def pillow() -> Any:
    """Return Pillow's Image module, or say how to install it."""
    try:
        return import_module("PIL.Image")
    except ImportError as error:
        raise ImportError(
            "Reading pictures needs Pillow: pip install 'antireg[images]'."
        ) from error


class _Plain(pickle.Unpickler):
    """Unpickles arrays, bytes, lists and dicts, and refuses to run anything else."""

    _ALLOWED: ClassVar[dict[str, Any]] = {
        "_reconstruct": np.empty(0).__reduce__()[0],
        "ndarray": np.ndarray,
        "dtype": np.dtype,
    }

    def find_class(self, module: str, name: str) -> Any:
        """Return numpy's array parts."""
        if module.partition(".")[0] != "numpy" or name not in self._ALLOWED:
            raise pickle.UnpicklingError(
                f"a data file must hold arrays only, got {module}.{name}. Get the file "
                "from its canonical address."
            )
        return self._ALLOWED[name]


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    stream = tar.extractfile(name)
    assert stream is not None, f"{name} is a folder"
    return io.BytesIO(stream.read())
