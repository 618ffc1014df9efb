"""Draws around a trained convolutional network with batch norm, on Fashion-MNIST.

    python benchmarks/convolutions.py [SEED ...]

adds what is missing to results/choices/convolutions.csv: accuracy, and AUROC against
MNIST and CIFAR-10 by entropy, by the members' disagreement and, with doubt, by the
score of `from_networks`. The network is that of `antireg.paper.data.convolutions`;
2000 rows of each kind are scored.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from antireg import MaxWEnt, WaterFilling, from_networks, metrics, networks_around
from antireg.methods import Method
from antireg.paper.data.convolutions import kept_network
from antireg.paper.data.images import fashion_mnist
from antireg.paper.data.split import Rows

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "convolutions.csv"
FIELDS = ("seed", "drawn", "metric", "value")
MOST, N_REFERENCES = 2000, 10_000
DRAWN: dict[str, Method | None] = {
    "none": None,
    "WaterFilling": WaterFilling(),
    "MaxWEnt": MaxWEnt(),
}


def run(seed: int, drawn: str) -> Iterator[tuple[str, float]]:
    """Yield (metric, value) of one way to vary the network."""
    split, method = fashion_mnist(seed), DRAWN[drawn]
    network = kept_network(split, seed)
    train = split.train[np.arange(N_REFERENCES)]
    held_out = (split.validation.x, split.validation.y)
    networks = [network]
    if method is not None:
        networks = networks_around(
            network, train.x, train.y, held_out, "cross_entropy", method=method
        )
    model = from_networks(networks, "classification", random_state=seed)
    model.fit(*held_out, reference=train.x)

    def looked_at(rows: Rows) -> dict[str, np.ndarray]:
        some = rows[np.arange(min(MOST, len(rows)))]
        said = model.said(some.x)
        each = torch.from_numpy(said.outputs).softmax(-1).numpy()
        mean = each.mean(0)
        entropy = -(mean * np.log(mean.clip(1e-300))).sum(1)
        inner = -(each * np.log(each.clip(1e-300))).sum(2).mean(0)
        right = mean.argmax(1) == some.y
        return {
            "right": right,
            "entropy": entropy,
            "disagreement": entropy - inner,
            "doubt": model.score_of(said),
        }

    familiar = looked_at(split.test)
    yield "accuracy", float(familiar.pop("right").mean())
    for name, rows in split.ood.items():
        strange = looked_at(rows)
        for score, values in familiar.items():
            if len(networks) > 1 or score != "disagreement":
                auroc = metrics.auroc(values, strange[score])
                yield f"{name} auroc by {score}", auroc


def main(*seeds: str) -> None:
    """Run what is not there yet."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    done = set()
    if RESULTS.exists():
        with RESULTS.open() as file:
            done = {(row["seed"], row["drawn"]) for row in csv.DictReader(file)}
    for seed in seeds or ("0",):
        for drawn in DRAWN:
            if (seed, drawn) in done:
                continue
            found = [*run(int(seed), drawn)]
            new = not RESULTS.exists()
            with RESULTS.open("a", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerows([FIELDS] if new else [])
                writer.writerows((seed, drawn, *row) for row in found)
            print(seed, drawn, found, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
