"""How the flags of classifiers join their signals: rows of classes never trained on.

    python -m benchmarks.new_classes    appends to results/choices/new_classes.csv

Three classes are left out of digits, Fashion-MNIST and CIFAR-10. A default classifier
learns the others from pixels, or from the features of a small convolutional network
that never saw the three classes either. It is asked about test rows of the known
classes, of the new ones, and about known ones that were turned, inverted, permuted or
replaced by noise. No rows of the judged tasks are used. Fits that are there already are
not repeated.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from benchmarks.appended import append, done
from benchmarks.doubt_bounds import signals_of
from sklearn.datasets import load_digits
from torch import Tensor, nn

from antireg import EnsembleClassifier, metrics
from antireg.familiarity.joining import agreement
from antireg.paper.data.images import load_images

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "new_classes.csv"
FIELDS = ("task", "left_out", "shift", "join", "auroc")
TASKS = (
    ("digits", (0, 2, 8)),
    ("digits", (1, 6, 9)),
    ("fashion pixels", (0, 2, 8)),
    ("fashion pixels", (1, 6, 9)),
    ("fashion features", (0, 2, 8)),
    ("fashion features", (1, 6, 9)),
    ("cifar features", (2, 5, 8)),
    ("cifar features", (1, 3, 7)),
)
MOST_ROWS = {"fashion pixels": 12_000, "fashion features": 26_000}
MOST_ROWS |= {"cifar features": 26_000, "digits": 1_200}
N_ASKED, N_TURNED = 2000, 1000
FOR_FEATURES = 0.65
"""Share of the rows that train the features; the others validate the classifier."""

DISTANCES = ("nearest", "density", "columns", "direction", "sensitive")
TAIL = math.log(20) / math.log(5)

Array = np.ndarray
Signals = dict[str, Array]


class Pictures(NamedTuple):
    """Pictures from -0.5 to 0.5, (rows, colours, height, width), and their classes."""

    x: Tensor
    y: Array


def pictures(task: str, rng: np.random.Generator) -> tuple[Pictures, Pictures]:
    """Return pictures to train on and test pictures."""
    most = MOST_ROWS[task]
    if task == "digits":
        x, y = load_digits(return_X_y=True)
        order = rng.permutation(len(x))
        parts = [(x[i], y[i]) for i in (order[:most], order[most:])]
        largest, shape = 16, (8, 8, 1)
    else:
        name = "cifar10" if task.startswith("cifar") else "fashion-mnist"
        both = [load_images(name, part) for part in ("train", "test")]
        drawn = np.sort(rng.permutation(len(both[0].x))[:most])
        parts = [(both[0].x[drawn], both[0].y[drawn]), (both[1].x, both[1].y)]
        largest, shape = 255, (32, 32, 3) if name == "cifar10" else (28, 28, 1)
    train, test = (
        Pictures(
            torch.tensor(x.reshape(-1, *shape) / largest - 0.5)
            .permute(0, 3, 1, 2)
            .float(),
            np.asarray(y, dtype=np.int64),
        )
        for x, y in parts
    )
    return train, test


def features(rows: Pictures, seed: int) -> nn.Module:
    """Return a network from pictures to 64 features, trained to tell classes."""
    sizes = [rows.x.shape[1], 32, 48, 64]
    blocks = [
        nn.Sequential(
            nn.Conv2d(n_in, n_out, 3, padding=1, bias=False),
            nn.BatchNorm2d(n_out),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        for n_in, n_out in pairwise(sizes)
    ]
    torch.manual_seed(seed)
    body = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten())
    whole = nn.Sequential(body, nn.Linear(64, int(rows.y.max()) + 1))
    n_epochs, y = 5, torch.from_numpy(rows.y)
    adam = torch.optim.Adam(whole.parameters())
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        adam, 0.01, total_steps=n_epochs * -(-len(y) // 128)
    )
    for _ in range(n_epochs):
        for batch in torch.randperm(len(y)).split(128):
            adam.zero_grad()
            nn.functional.cross_entropy(whole(rows.x[batch]), y[batch]).backward()
            adam.step()
            schedule.step()
    return body.eval()


def asked(known: Tensor, new: Tensor, seed: int) -> dict[str, Tensor]:
    """Return pictures of each kind."""
    some = known[:N_TURNED]
    rng = torch.Generator().manual_seed(seed)
    order = torch.randperm(some[0, 0].numel(), generator=rng)
    return {
        "test": known[:N_ASKED],
        "new classes": new[:N_ASKED],
        "noise": torch.rand(some.shape, generator=rng) - 0.5,
        "permuted": some.flatten(2)[:, :, order].view(some.shape),
        "inverted": -some,
        "turned": some.rot90(1, (2, 3)),
    }


def signals(task: str, left_out: tuple[int, ...], seed: int) -> dict[str, Signals]:
    """Return the signals of every kind of rows, validation rows first."""
    train, test = pictures(task, np.random.default_rng(seed))
    kept = [label for label in range(10) if label not in left_out]
    train, test_known = (
        Pictures(rows.x[at], np.searchsorted(kept, rows.y[at]))
        for rows in (train, test)
        for at in [np.isin(rows.y, kept)]
    )
    new = test.x[~np.isin(test.y, kept)]
    n_first = round(FOR_FEATURES * len(train.y))
    body: nn.Module = nn.Flatten()
    if task.endswith("features"):
        body = features(Pictures(train.x[:n_first], train.y[:n_first]), seed)

    @torch.inference_mode()
    def seen(x: Tensor) -> Array:
        return torch.cat([body(part) for part in x.split(500)]).numpy()

    x = seen(train.x)
    model = EnsembleClassifier(random_state=seed).fit(
        x[:n_first],
        train.y[:n_first],
        validation_data=(x[n_first:], train.y[n_first:]),
    )
    rows = {"validation": x[n_first:][:N_ASKED]}
    rows |= {k: seen(v) for k, v in asked(test_known.x, new, seed).items()}
    return {name: signals_of(model, part)[1] for name, part in rows.items()}


def joins(rows: Signals, usual: Signals) -> Iterator[tuple[str, Array]]:
    """Yield ways to join the signals of rows."""
    agreed = agreement(usual)
    usual = usual | {"plain entropy": np.exp(usual["spread"])}
    rows = rows | {"plain entropy": np.exp(rows["spread"])}
    z, p = {}, {}
    for name, known in usual.items():
        middle, high, higher = np.quantile(known, [0.5, 0.9, 0.975])
        scale = max(high - middle, (higher - middle) / TAIL, 0.05)
        z[name] = np.maximum((rows[name] - middle) / scale, 0)
        above = len(known) - np.searchsorted(np.sort(known), rows[name])
        p[name] = -np.log((1 + above) / (1 + len(known)))
    distances = [name for name in DISTANCES if name in z]
    far = sum(z[name] for name in distances)
    far_p = sum(p[name] for name in distances)
    n = len(distances)
    yield "sum of all", far + z["spread"]
    yield "sum, entropy without logarithm", far + z["plain entropy"]
    yield "sum without columns", far + z["spread"] - z["columns"]
    yield "entropy as much as all distances", far + n * z["spread"]
    yield "the same without logarithm", far + n * z["plain entropy"]
    yield "entropy twice as much", far + 2 * n * z["plain entropy"]
    yield "largest rank", np.max([p[k] for k in (*distances, "spread")], axis=0)
    yield "sum of ranks", far_p + p["spread"]
    yield "ranks, entropy as much as all", far_p + n * p["spread"]
    yield "entropy alone", rows["spread"]
    yield "nearest alone", rows["nearest"]
    if "direction" in z:
        weighted = sum(agreed.get(name, 1.0) * z[name] for name in distances)
        yield "by agreement, entropy as much as all", weighted + n * z["spread"]
        both = z["direction"] + z["plain entropy"]
        yield "direction and entropy", both
        yield "direction, nearest and entropy", both + z["nearest"]
        yield "direction, density and entropy", both + z["density"]
        yield "direction, hidden and entropy", both + z["hidden"]
        yield "direction alone", rows["direction"]


def main() -> None:
    """Run what is missing."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    known = done(RESULTS, ("task", "left_out"))
    for place, (task, left_out) in enumerate(TASKS):
        said = " ".join(map(str, left_out))
        if (task, said) in known:
            continue
        found = signals(task, left_out, seed=place % 2)
        usual = found.pop("validation")
        joined = {name: dict(joins(rows, usual)) for name, rows in found.items()}
        familiar = joined.pop("test")
        append(
            RESULTS,
            FIELDS,
            [
                (task, said, shift, join, f"{metrics.auroc(familiar[join], score):.4f}")
                for shift, scores in joined.items()
                for join, score in scores.items()
            ],
        )


if __name__ == "__main__":
    main()
