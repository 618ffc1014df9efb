"""Which layers, which floor, and how many draws: choices of `WaterFilling`.

    python benchmarks/water_filling.py [TASK ...]

adds what is missing to results/choices/water_filling.csv, on development tasks only. A
deep ensemble is trained for each task and seed, and everything is drawn around it.
`moved` is what `WaterFilling` does, with moments about the mean if centred, and minus
the squares of the weights (in the basis of the inputs) as theorem 1 has it if less.
"""

from __future__ import annotations

import copy
import csv
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor

from antireg import DeepEnsemble, EnsembleClassifier, EnsembleRegressor, metrics
from antireg.methods.draws import largest_scale
from antireg.methods.moments import Moments, moments_of
from antireg.methods.water_filling import _moves
from antireg.networks import Stack
from antireg.networks.forward import evaluate
from antireg.networks.inference import scaled_inputs
from antireg.networks.layers import as_matrix, as_weights, flattened
from antireg.paper.data.citycam_splits import citycam
from antireg.paper.data.split import Rows, Split
from antireg.paper.data.uci_tables import uci_gap
from antireg.paper.experiments.study import PLAIN, RAW
from antireg.rows.data import Data

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "water_filling.csv"
FIELDS = ("task", "seed", "variant", "metric", "value")
SEEDS = (0, 1)


class Variant(NamedTuple):
    """One way to draw."""

    layers: str = "first"
    floor: float = 1e-4
    centred: bool = False
    less: bool = False
    draws: int = 10
    members: int = 5


VARIANTS = {
    **{f"first {e:g}": Variant(floor=e) for e in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)},
    **{f"all {e:g}": Variant("all", e) for e in (1e-2, 1e-3, 1e-4, 1e-6)},
    "hidden 0.0001": Variant("hidden"),
    "last 0.0001": Variant("last"),
    "centred first 0.01": Variant(floor=1e-2, centred=True),
    "centred first 0.0001": Variant(centred=True),
    "centred all 0.0001": Variant("all", centred=True),
    "theta first 0.0001": Variant(less=True),
    "theta all 0.0001": Variant("all", less=True),
    **{f"draws {n}": Variant(draws=n) for n in (1, 3, 30)},
    "members 1 draws 10": Variant(members=1),
    "members 1 draws 50": Variant(members=1, draws=50),
    "members 2 draws 25": Variant(members=2, draws=25),
}
OWN = ("own first", "own all", "own shared")
"""Draws by the library itself, with ε = 1e-6. If shared, every layer is first taken as
far as it can go alone, and then all together in these proportions."""

FEW = ("all 1e-06", "first 1e-06", "all 0.0001", "first 0.0001", "all 0.01")
"""For CityCam, whose 2048 inputs take longer."""


def digits(seed: int) -> Split:
    """Return eight of the ten digits; the other two are out of distribution."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(np.flatnonzero(y < 8))
    tenth = len(order) // 10
    parts = order[2 * tenth :], order[:tenth], order[tenth : 2 * tenth]
    train, validation, test = (Rows(X[k].astype(float), y[k]) for k in parts)
    others = y >= 8
    return Split("digits", train, validation, test, {"out": Rows(X[others], y[others])})


RAW_TASKS = {"weather": 200, "bigbus": 100}
TASKS: dict[str, tuple[Callable[[int], Split], Any, dict[str, Any], str]] = {
    "digits": (digits, EnsembleClassifier, PLAIN, "cross_entropy"),
    **{
        name: (partial(uci_gap, name), EnsembleRegressor, PLAIN, "gaussian_nll")
        for name in ("energy", "concrete", "kin8nm")
    },
    **{
        name: (
            partial(citycam, name),
            EnsembleRegressor,
            {**RAW, "epochs": epochs},
            "gaussian_nll",
        )
        for name, epochs in RAW_TASKS.items()
    },
}


def moved(network: Stack, found: list[Moments], variant: Variant, c: float) -> Tensor:
    """Return draws at a scale, (members · draws, weights)."""
    last = len(found) - 1
    chosen = {
        "first": found[:1],
        "all": found,
        "hidden": found[: max(1, last)],
        "last": found[last:],
    }[variant.layers]
    parts: dict[str, Tensor] = {}
    for number, one in enumerate(found):
        if any(one is other for other in chosen):
            drawn = torch.cat([*_layer(network, one, variant, c, number)])
            parts |= as_weights(drawn.float(), one.layer, network.shapes)
    n_members = network.n_members * variant.draws
    centres = network.flat.detach().repeat_interleave(variant.draws, 0)
    return centres + flattened(parts, network.shapes, n_members)


def _layer(
    network: Stack, one: Moments, variant: Variant, c: float, number: int
) -> Iterator[Tensor]:
    """Yield the moves of a layer of each member, (draws, inputs, units)."""
    second = one.second
    if variant.centred:
        second = second - one.mean[:, :, None] * one.mean[:, None]
    values, basis = replace(one, second=second).principal
    matrix = as_matrix(network.weights(), one.layer).detach().double()
    n_inputs, n_units = matrix.shape[1:]
    for member, scale in enumerate(one.scale(network)):
        rng = torch.Generator().manual_seed(1000 * member + number)
        shape = (variant.draws, n_inputs, n_units)
        noise = torch.randn(shape, generator=rng, dtype=torch.float64)
        k = min(member, len(basis) - 1)
        size = (c * scale) ** 2 / n_inputs
        variance = (size / (values[k] + variant.floor * values[k, -1]))[:, None]
        if variant.less:
            turned = basis[k].mT @ matrix[member]
            yield basis[k] @ ((variance - turned.square()).clamp(min=0).sqrt() * noise)
            continue
        drawn = (basis[k] * variance.sqrt().mT) @ (basis[k].mT @ noise)
        if variant.centred:  # the bias takes back what the mean would be moved by
            back = one.mean[k, :-1] @ drawn[:, :-1]
            drawn[:, -1] = size.sqrt() * noise[:, -1] - back
        yield drawn


def measured(model: Any, split: Split) -> Iterator[tuple[str, float]]:
    """Yield likelihoods and calibration in and out, and detection."""
    (outside,) = split.ood.values()
    parts = {"in": split.test, "out": outside}
    if isinstance(model, EnsembleRegressor):
        for name, rows in parts.items():
            found, y = model.predictive(rows.x), rows.y[:, None]
            yield f"{name} nll", metrics.gaussian_nll(y, found.mean, found.std)
            yield f"{name} ece", metrics.regression_ece(y, found.mean, found.std)
    else:
        labels = np.searchsorted(model.classes_, split.test.y)
        found = model.predictive(split.test.x)
        yield "in nll", metrics.class_nll(labels, found.mean)
        yield "acc", metrics.accuracy(labels, found.label)
    for name, kind in (("out auroc", "total"), ("out auroc_e", "epistemic")):
        scores = (model.ood_score(rows.x, kind) for rows in parts.values())
        yield name, metrics.auroc(*scores)


def run(task: str, seed: int, done: set[str]) -> Iterator[tuple[str, str, float]]:
    """Yield (variant, metric, value) of what is not done."""
    load, estimator, settings, loss = TASKS[task]
    wanted = FEW if task in RAW_TASKS else VARIANTS
    left = [name for name in wanted if name not in done]
    if not left and done.issuperset(OWN):
        return
    split = load(seed)
    model = estimator(DeepEnsemble(), loss=loss, random_state=seed, **settings)
    held_out = split.validation
    model.fit(split.train.x, split.train.y, validation_data=(held_out.x, held_out.y))
    if "de" not in done:
        yield from (("de", *value) for value in measured(model, split))

    def data(rows: Rows) -> Data:
        y = rows.y if loss == "cross_entropy" else rows.y[:, None]
        inputs = scaled_inputs(np.asarray(rows.x, float), model.scaling_)
        return Data(inputs, torch.from_numpy(model._encode(y)).float())

    validation = data(held_out)
    yield from _own(model, split, data(split.train), validation, done)
    for name in left:
        variant = VARIANTS[name]
        network = model.network_.part(range(variant.members))
        draw = partial(moved, network, moments_of(network, data(split.train)), variant)

        def loss_of(weights: Tensor) -> float:
            members = model.network_.with_weights(weights)
            return evaluate(members, validation, model.loss_).mean().item()

        reference = loss_of(network.flat)
        threshold = reference + 0.25 * abs(reference)
        scale = largest_scale(lambda c: loss_of(draw(c)), threshold)  # noqa: B023
        drawn = copy.copy(model)
        drawn.network_ = model.network_.with_weights(draw(scale))
        yield from ((name, *value) for value in measured(drawn, split))
        yield name, "c", scale


def _own(
    model: Any, split: Split, train: Data, validation: Data, done: set[str]
) -> Iterator[tuple[str, str, float]]:
    """Yield what the library's own draws are worth, layer by layer."""
    if done.issuperset(OWN):
        return
    network = model.network_
    centres = network.flat.detach().repeat_interleave(10, 0)
    reference = evaluate(network, validation, model.loss_).mean().item()

    def largest(moves: Tensor) -> Tensor:
        def loss_of(c: float) -> float:
            members = network.with_weights(centres + c * moves)
            return evaluate(members, validation, model.loss_).mean().item()

        return largest_scale(loss_of, reference + 0.25 * abs(reference)) * moves

    each = [
        _moves(network, [one], 1e-6, 10, [100 + 10 * number + m for m in range(5)])
        for number, one in enumerate(moments_of(network, train))
    ]
    alone = [largest(moves) for moves in each]
    drawn = alone[0], largest(sum(each[1:], each[0])), largest(sum(alone[1:], alone[0]))
    for name, moves in zip(OWN, drawn, strict=True):
        other = copy.copy(model)
        other.network_ = network.with_weights(centres + moves)
        yield from ((name, *value) for value in measured(other, split))


def main(*tasks: str) -> None:
    """Run what is not there yet."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    done: dict[tuple[str, int], set[str]] = {}
    if RESULTS.exists():
        with RESULTS.open() as file:
            for row in csv.DictReader(file):
                key = row["task"], int(row["seed"])
                done.setdefault(key, set()).add(row["variant"])
    for task in tasks or TASKS:
        for seed in SEEDS:
            found = [*run(task, seed, done.get((task, seed), set()))]
            new = not RESULTS.exists()
            with RESULTS.open("a", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerows([FIELDS] if new else [])
                writer.writerows((task, seed, *row) for row in found)


if __name__ == "__main__":
    import sys

    main(*sys.argv[1:])
