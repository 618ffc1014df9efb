"""Which description of a picture by a frozen network heads are best trained on.

    python -m benchmarks.descriptions [SEED ...]

adds what is missing to results/choices/descriptions.csv. Three classes are left out of
Fashion-MNIST and of CIFAR-10 (cropped to 28×28 and grey). The network of
`antireg.paper.data.convolutions` learns the others, and a default classifier is trained
on one description after the other of what the network's blocks say. It is asked about
the left-out classes and about pictures that were turned, inverted, permuted or replaced
by noise, as in `benchmarks.new_classes`: never about MNIST, nor about CIFAR-10 beside
Fashion-MNIST, which are judged.
"""

from __future__ import annotations

import csv
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from benchmarks.new_classes import FOR_FEATURES, asked, pictures
from torch import Tensor
from torch.nn.functional import adaptive_avg_pool2d

from antireg import EnsembleClassifier, metrics
from antireg.paper.data.convolutions import SIDE, Convolutions, train
from antireg.paper.data.split import Rows

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "descriptions.csv"
FIELDS = ("task", "left_out", "seed", "description", "metric", "value")
TASKS = (
    ("fashion features", (0, 2, 8)),
    ("cifar features", (2, 5, 8)),
    ("fashion features", (1, 6, 9)),
    ("cifar features", (1, 3, 7)),
)
Array = np.ndarray


def means(values: Tensor) -> Tensor:
    """Return the mean of each channel, (rows, channels)."""
    return values.mean((2, 3))


def deviations(values: Tensor) -> Tensor:
    """Return the standard deviation of each channel, (rows, channels)."""
    return values.std((2, 3))


def maxima(values: Tensor) -> Tensor:
    """Return the maximum of each channel, (rows, channels)."""
    return values.amax((2, 3))


def roots(values: Tensor) -> Tensor:
    """Return the square root of the mean of each channel, (rows, channels)."""
    return means(values).sqrt()


def quarters(values: Tensor) -> Tensor:
    """Return the means of the four quarters of each channel, (rows, 4 channels)."""
    return adaptive_avg_pool2d(values, 2).flatten(1)


PARTS: dict[str, tuple[Callable[[Tensor], Tensor], ...]] = {
    "means": (means,),
    "means, deviations": (means, deviations),
    "means, maxima": (means, maxima),
    "roots of means": (roots,),
    "means of quarters": (quarters,),
}
"""Of what each block says after pooling; the hidden layer is always there too."""

BEFORE = "means, deviations before ReLU"
"""The same two of what batch norm says, before ReLU and pooling."""

DESCRIPTIONS = (*PARTS, BEFORE)


@torch.inference_mode()
def described(network: Convolutions, pixels: Array, name: str) -> Array:
    """Return the description of pictures by a network, (rows, features)."""
    found = []
    for some in torch.as_tensor(pixels).split(500):
        values, parts = some.view(-1, 1, SIDE, SIDE) / 255 - 0.5, []
        for block in network.blocks:
            convolution, norm, *_ = block
            before, values = norm(convolution(values)), block(values)
            if name == BEFORE:
                parts += [means(before), deviations(before)]
            else:
                parts += [part(values) for part in PARTS[name]]
        parts.append(network.hidden(values.flatten(1)).relu())
        found.append(torch.cat(parts, 1))
    return torch.cat(found).numpy()


def task_rows(
    task: str, left_out: tuple[int, ...], seed: int
) -> tuple[Rows, Rows, dict[str, Array]]:
    """Return known rows to train on and to test, and rows of each kind, as pixels."""
    parts = pictures(task, np.random.default_rng(seed))
    kept = [label for label in range(10) if label not in left_out]

    def grey(x: Tensor) -> Tensor:
        return x[:, :, :SIDE, :SIDE].mean(1, keepdim=True)

    def pixels(x: Tensor) -> Array:
        return ((x + 0.5) * 255).flatten(1).numpy()

    known, test = (
        Rows(pixels(grey(rows.x[at])), np.searchsorted(kept, rows.y[at]))
        for rows in parts
        for at in [np.isin(rows.y, kept)]
    )
    is_known = np.isin(parts[1].y, kept)
    x = grey(parts[1].x)
    kinds = asked(x[is_known], x[~is_known], seed)
    return known, test, {name: pixels(rows) for name, rows in kinds.items()}


def measured(
    network: Convolutions,
    rows: tuple[Rows, Rows, dict[str, Array]],
    name: str,
    seed: int,
) -> Iterator[tuple[str, float]]:
    """Yield (metric, value) of a default classifier of one description."""
    known, test, kinds = rows
    x, n_first = described(network, known.x, name), round(FOR_FEATURES * len(known))
    model = EnsembleClassifier(random_state=seed).fit(
        x[:n_first], known.y[:n_first], validation_data=(x[n_first:], known.y[n_first:])
    )
    yield "accuracy", model.score(described(network, test.x, name), test.y)
    scores = {
        kind: model.ood_score(described(network, pixels, name))
        for kind, pixels in kinds.items()
    }
    familiar = scores.pop("test")
    for kind, score in scores.items():
        yield kind, metrics.auroc(familiar, score)


def main(*seeds: str) -> None:
    """Run what is missing."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    done = set()
    if RESULTS.exists():
        with RESULTS.open(newline="") as file:
            done = {tuple(row.values())[:4] for row in csv.DictReader(file)}
    for seed in map(int, seeds or ("0",)):
        for task, left_out in TASKS:
            place = (task, " ".join(map(str, left_out)), str(seed))
            missing = [name for name in DESCRIPTIONS if (*place, name) not in done]
            if not missing:
                continue
            rows = task_rows(task, left_out, seed)
            known = rows[0]
            network = train(known[: round(FOR_FEATURES * len(known))], seed)
            for name in missing:
                found = [*measured(network, rows, name, seed)]
                with RESULTS.open("a", newline="") as file:
                    writer = csv.writer(file, lineterminator="\n")
                    writer.writerows([FIELDS] if not file.tell() else [])
                    writer.writerows((*place, name, k, f"{v:.4f}") for k, v in found)
                print(*place, name, found, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
