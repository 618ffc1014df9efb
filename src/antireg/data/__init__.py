"""Data sets as ready splits: train, validation, test and out-of-distribution rows."""

from antireg.data.citycam import citycam
from antireg.data.images import cifar10_features, fashion_mnist, load_images
from antireg.data.split import Rows, Split
from antireg.data.toys import one_dimensional, two_moons
from antireg.data.uci import uci

__all__ = [
    "Rows",
    "Split",
    "cifar10_features",
    "citycam",
    "fashion_mnist",
    "load_images",
    "one_dimensional",
    "two_moons",
    "uci",
]
