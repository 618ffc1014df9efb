"""Data sets as ready-made splits: train, validation, test and OOD rows."""

from typing import TYPE_CHECKING

from antireg.first_use import on_first_use

if TYPE_CHECKING:
    from antireg.paper.data.citycam_splits import citycam
    from antireg.paper.data.images import cifar10_features, fashion_mnist, load_images
    from antireg.paper.data.split import Rows, Split
    from antireg.paper.data.toys import one_dimensional, two_moons
    from antireg.paper.data.uci_tables import uci
else:
    # What is trained on is in this package too, and needs none of these.
    __getattr__, __dir__ = on_first_use(
        globals(),
        {
            "citycam_splits": ["citycam"],
            "images": ["cifar10_features", "fashion_mnist", "load_images"],
            "split": ["Rows", "Split"],
            "toys": ["one_dimensional", "two_moons"],
            "uci_tables": ["uci"],
        },
    )

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
