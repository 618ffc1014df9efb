"""What the paper's figures are drawn from, as numbers of a trained ensemble."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from scipy.spatial import KDTree

from antireg import metrics, theory
from antireg.estimators import EnsembleClassifier, EnsembleRegressor
from antireg.losses import CrossEntropy
from antireg.networks import MLPStack
from antireg.networks.inference import scaled_inputs
from antireg.paper.data.split import Array, Split
from antireg.paper.data.toys import truth
from antireg.paper.experiments.measures import (
    classification,
    fit,
    known,
    regression,
)
from antireg.paper.experiments.rows import Value

REACH = 3.0
"""The maps of the moons show [−3, 3]²."""
FAR = 1.0
"""A point of the plane is far away if no training point is nearer than this."""
STRANGER = (2.5, -2.5)
"""The point that is shown inside a member."""
SIDE = 49
MOST_EPOCHS = 100


def plane(model: EnsembleClassifier, split: Split) -> Iterator[Value]:
    """Yield how unsure the ensemble is over the plane around the moons.

    A row is flagged where `unsure` is above `limit` or, with doubt, `flagged` is 1.
    """
    side = np.linspace(-REACH, REACH, SIDE)
    points = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    score = model.ood_score(points)
    detector = model.detector()
    flagged = detector.flag(score)
    far = is_far(points, split)
    familiar = model.ood_score(split.validation.x)
    yield Value("far_auroc", metrics.auroc(familiar, score[far]))
    yield Value("far_flagged", flagged[far].mean())
    yield Value("false_alarms", model.is_ood(split.test.x).mean())
    yield Value("accuracy", model.score(split.test.x, split.test.y))
    yield from fit(model)
    if model.doubt_ is None:
        yield Value("limit", float(unsure(model, np.array(detector.threshold))))
        yield from _along("unsure", range(len(points)), unsure(model, score))
    else:  # what is flagged is not by how unsure the answer is
        coin = model.predictive(points).entropy / np.log(2)
        yield from _along("unsure", range(len(points)), coin)
        yield from _along("flagged", range(len(points)), flagged)
    yield from _points(split.train.x.T, known(split.train))
    yield from _inside(model, split)


def line(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield the mean and the standard deviation on [−1.5, 1.5], and what is true."""
    x = np.linspace(-1.5, 1.5, 301)
    mean, std = model.predict(x[:, None], return_std=True)
    yield Value("covered", metrics.coverage(truth(x), mean - 2 * std, mean + 2 * std))
    yield Value("median_std", float(np.median(std)))
    yield from regression(model, split)
    for metric, values in (("mean", mean), ("std", std), ("truth", truth(x))):
        yield from _along(metric, x.round(4), values)
    yield from _points(split.train.x.T, known(split.train))


def training(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield losses, λ and weights over the epochs, as means over the members."""
    yield from regression(model, split)
    history = model.history_.thinned(MOST_EPOCHS)
    for metric in ("loss", "validation_loss", "control", "weight"):
        values = getattr(history, metric).mean(axis=1)
        yield from _along(f"epoch_{metric}", history.epochs, values)


def filling(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield the weights' spread around the optimum beside what theorem 1 predicts.

    The bias is one more weight, on a feature that is always 1.
    """
    x = np.hstack([split.train.x, np.ones((len(split.train), 1))]).astype(np.float64)
    y = known(split.train).astype(np.float64)
    optimum, *_ = np.linalg.lstsq(x, y, rcond=None)
    moments = np.square(x).mean(axis=0)
    (threshold,) = model.method_.shown()
    budget = threshold.value - np.square(x @ optimum - y).mean()
    predicted = theory.water_filling(moments, optimum, budget).variances
    weights = model.network_.flat.detach().double().numpy()
    measured = np.square(weights - optimum).mean(axis=0)
    places = range(1, len(optimum) + 1)
    for metric, values in (
        ("second_moment", moments),
        ("optimum", optimum),
        ("predicted", predicted),
        ("predicted_without_log", theory.linear_filling(moments, budget)),
        ("measured", measured),
    ):
        yield from _along(metric, places, values)
    yield Value("budget", budget)
    yield Value("spent", float(moments @ measured))
    yield from fit(model)


def is_far(points: Array, split: Split) -> Array:
    """Return which points have no training point near, (rows,)."""
    return np.asarray(KDTree(split.train.x).query(points)[0] > FAR)


def unsure(model: EnsembleClassifier, score: Array) -> Array:
    """Return scores so that 1 is a coin toss: p = ½ for one loss, h = ½ for another."""
    by_entropy = isinstance(model.loss_, CrossEntropy)
    return np.asarray(score / np.log(2) if by_entropy else 2 * np.sqrt(score))


def scores(model: EnsembleClassifier, split: Split) -> Iterator[Value]:
    """Yield the quality of classes and detection, and the scores of all rows."""
    yield from classification(model, split)
    yield Value("limit", model.ood_threshold())
    for name, rows in {"test": split.test, **split.ood}.items():
        score = model.ood_score(rows.x)
        yield from _along(f"{name}_score", range(len(score)), score)


def intervals(model: EnsembleRegressor, split: Split) -> Iterator[Value]:
    """Yield errors, 90 % intervals and detection, and the scores of all rows."""
    yield from regression(model, split)
    yield Value("limit", model.ood_threshold())
    for name, rows in {"test": split.test, **split.ood}.items():
        low, high = model.predict_interval(rows.x, coverage=0.9)
        yield Value(f"{name}_coverage90", metrics.coverage(known(rows), low, high))
        score = model.ood_score(rows.x)
        yield Value(f"{name}_flagged", model.is_ood(rows.x).mean())
        yield from _along(f"{name}_score", range(len(score)), score)


def _inside(model: EnsembleClassifier, split: Split) -> Iterator[Value]:
    """Yield the inputs of each layer of the first member, by decreasing variance.

    For every component: its mean and standard deviation over the training rows, its
    value at a far point (`stranger`), and the mean |weight| that follows it.
    """
    network = model.network_
    assert isinstance(network, MLPStack)
    rows = np.vstack([split.train.x, [STRANGER]])
    entering = network.activations(scaled_inputs(rows, model.scaling_))
    kernels = [w for w in network.weights().values() if w.dim() == 3]
    for layer in range(1, len(entering)):
        values = entering[layer][0].double().numpy()
        seen, stranger = values[:-1], values[-1]
        order = np.argsort(-seen.var(axis=0), kind="stable")
        weight = kernels[layer][0].detach().abs().mean(dim=1).double().numpy()
        for metric, numbers in (
            ("mean", seen.mean(axis=0)),
            ("std", seen.std(axis=0)),
            ("stranger", stranger),
            ("weight", weight),
        ):
            places = (f"{layer}:{rank}" for rank in range(len(order)))
            yield from _along(f"inside_{metric}", places, numbers[order])


def _along(metric: str, places: Iterable[object], values: Array) -> Iterator[Value]:
    """Yield a metric's values at places."""
    for place, value in zip(places, values, strict=True):
        yield Value(metric, float(f"{float(value):.5g}"), str(place))


def _points(columns: Array, targets: Array) -> Iterator[Value]:
    """Yield the training points, which a figure shows too."""
    for number, column in enumerate(columns):
        yield from _along(f"train_x{number}", range(len(column)), column)
    yield from _along("train_y", range(len(targets)), targets)
