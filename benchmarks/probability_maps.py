"""Which map from squared-error outputs to probabilities is calibrated on fresh rows.

    python benchmarks/probability_maps.py    writes results/choices/probability_maps.csv

Maps with numbers to choose take them from the held-out rows; all are judged on test
rows. Needs Fashion-MNIST and the CIFAR-10 features of `antireg.paper.data`.
"""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from scipy.optimize import minimize
from scipy.special import softmax
from sklearn.datasets import load_digits, make_moons

from antireg import DARE, DeepEnsemble, EnsembleClassifier, metrics
from antireg.disk.atomic import write_whole
from antireg.paper.data import Rows, Split, cifar10_features, fashion_mnist
from antireg.predictive.probability_map import both_classes

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "probability_maps.csv"
METRICS = (metrics.class_nll, metrics.brier, metrics.classification_ece)

# Each map: outputs (members, rows, classes), numbers → probabilities (rows, classes).
Map = Callable[[np.ndarray, np.ndarray], np.ndarray]


def project(outputs: np.ndarray) -> np.ndarray:
    """Return the nearest point of the simplex to h / K."""
    share = outputs / outputs.shape[-1]
    descending = -np.sort(-share, axis=-1)
    excess = np.cumsum(descending, axis=-1) - 1
    counts = np.arange(1, share.shape[-1] + 1)
    kept = (descending - excess / counts > 0).sum(axis=-1, keepdims=True)
    return np.maximum(share - np.take_along_axis(excess, kept - 1, -1) / kept, 0)


def power(share: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return p ∝ (share + ε)^γ."""
    return softmax(numbers[0] * np.log(share + numbers[1]), axis=-1)


def shrunk(outputs: np.ndarray, sharpness: float) -> np.ndarray:
    """Return the softmax of the mean, flattened where the members disagree."""
    spread = outputs.var(0).mean(-1, keepdims=True)
    bottom = np.sqrt(1 + np.pi / 8 * sharpness**2 * spread)
    return softmax(sharpness * outputs.mean(0) / bottom, -1)


def mixed(outputs: np.ndarray, share: float) -> np.ndarray:
    """Return projections mixed with a share of the uniform distribution."""
    share = min(share, 1.0)
    return (1 - share) * project(outputs).mean(0) + share / outputs.shape[-1]


# name → (starting numbers, map)
MAPS: dict[str, tuple[tuple[float, ...], Map]] = {
    "softmax(h_m), the scripts'": ((), lambda h, n: softmax(h, -1).mean(0)),
    "projection of h_m / K": ((), lambda h, n: project(h).mean(0)),
    "projection, mixed with uniform": ((0.01,), lambda h, n: mixed(h, n[0])),
    "softmax(β h_m)": ((1.0,), lambda h, n: softmax(n[0] * h, -1).mean(0)),
    "softmax(β h̄)": ((1.0,), lambda h, n: softmax(n[0] * h.mean(0), -1)),
    "softmax(β h̄), flatter by variance": ((1.0,), lambda h, n: shrunk(h, n[0])),
    "(relu(h_m / K) + ε)^γ": (
        (1.0, 0.01),
        lambda h, n: power(np.maximum(h / h.shape[-1], 0), n).mean(0),
    ),
    "(projection of h_m / K + ε)^γ": (
        (1.0, 0.01),
        lambda h, n: power(project(h), n).mean(0),
    ),
    "(relu(h̄ / K) + ε)^γ, ours": (
        (1.0, 0.01),
        lambda h, n: power(np.maximum(h.mean(0) / h.shape[-1], 0), n),
    ),
}


def chosen(start: tuple[float, ...], convert: Map, outputs, labels) -> np.ndarray:
    """Return the numbers of least smoothed NLL on held-out rows."""
    smoothing = 1 / (len(labels) + 2)

    def loss(logarithms: np.ndarray) -> float:
        log_p = np.log(np.maximum(convert(outputs, np.exp(logarithms)), 1e-12))
        right = log_p[np.arange(len(labels)), labels].mean()
        return float(-(1 - smoothing) * right - smoothing * log_p.mean())

    starts = [np.log(start), np.log(start) + np.log(4.0)]
    fits = [minimize(loss, s, method="Nelder-Mead") for s in starts]
    return np.exp(min(fits, key=lambda fit: fit.fun).x)


def noisy_moons() -> Split:
    """Two moons that overlap: probabilities that are neither 0 nor 1."""
    x, y = make_moons(2600, noise=0.3, random_state=0)
    x = x.astype(np.float32)
    parts = [Rows(x[a:b], y[a:b]) for a, b in ((0, 500), (500, 600), (600, 2600))]
    return Split("noisy moons", *parts, ood={})


def digits() -> Split:
    """Scikit-learn's digits, 1000 rows to train on."""
    x, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    x, y = x[order].astype(np.float32), y[order]
    parts = [Rows(x[a:b], y[a:b]) for a, b in ((0, 1000), (1000, 1150), (1150, None))]
    return Split("digits", *parts, ood={})


def rows_of(split: Split) -> list[list[object]]:
    """Return the metrics of every map, for a deep ensemble and DARE."""
    found = []
    held_out = (split.validation.x, split.validation.y)
    for method in (DeepEnsemble(), DARE()):
        model = EnsembleClassifier(
            method, loss="squared_error", doubt=None, random_state=0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(split.train.x, split.train.y, validation_data=held_out)
        outputs = [model.outputs(part.x) for part in (split.validation, split.test)]
        if outputs[0].shape[-1] == 1:
            outputs = [both_classes(values) for values in outputs]
        for name, (start, convert) in MAPS.items():
            numbers = np.empty(0)
            if start:
                numbers = chosen(start, convert, outputs[0], split.validation.y)
            probabilities = convert(outputs[1], numbers)
            for metric in (
                metrics.class_nll,
                metrics.brier,
                metrics.classification_ece,
            ):
                value = metric(split.test.y, probabilities)
                label = type(method).__name__
                found.append([split.name, label, name, metric.__name__, f"{value:.5f}"])
    return found


def main() -> None:
    """Compare all maps on all tasks."""
    torch.set_num_threads(1)
    rows = []
    for split in (noisy_moons(), digits(), cifar10_features(0), fashion_mnist(0)):
        rows += rows_of(split)
        print(*rows[-27:], sep="\n", flush=True)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["task", "method", "map", "metric", "value"])
    writer.writerows(rows)
    write_whole(RESULTS, text.getvalue().encode())


if __name__ == "__main__":
    main()
