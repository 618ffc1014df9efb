"""What was measured to choose how doubt is learned, on development tasks only.

    python -m benchmarks.doubt_choices CHOICE [BIKESHARE.csv]

adds what is missing to results/choices/CHOICE.csv. Bikeshare.csv is of the book ISLP;
without it, bike is left out. Variants of a choice have the same trained members, but
those of `bins`, `lr` and `plain`. The choices:

    bins              whether columns are cut into bins, and how fast members then learn
    lr                the learning rate
    rehearsal         how long rehearsals train, and with how many rows a step
    intervals         how wide intervals are where there is doubt
    doubt_references  how many references are kept, and how they are searched
    direction         whether rows are compared by direction too
    classes           whether classifiers rehearse without classes or without regions
    plain             which members see columns without their bins
    line              whether doubt falls back on a line too, and small tables need
                      fine regions
"""

from __future__ import annotations

import copy
import importlib
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from benchmarks.appended import append, done
from benchmarks.development_shifts import SHIFTS, shifted
from benchmarks.doubt import bike as bike_rows
from sklearn.datasets import load_digits

from antireg import EnsembleClassifier, EnsembleRegressor, metrics
from antireg.estimators import doubt_learning, doubt_rules, rehearsing
from antireg.estimators.doubt_learning import learn_doubt
from antireg.familiarity import signal
from antireg.paper.data.citycam_splits import citycam
from antireg.paper.data.images import cifar10_features
from antireg.paper.data.natural_tables import natural
from antireg.paper.data.split import Rows, Split
from antireg.paper.data.uci_tables import uci
from antireg.paper.experiments.detectors import caught
from antireg.predictive.intervals import LARGEST_OUTSIDE, ROOM
from antireg.process import own_modes

# The package has a function of this name.
networks_mlp = importlib.import_module("antireg.networks.mlp")

CHOICES = Path(__file__).parent.parent / "results" / "choices"
FIELDS = ("task", "seed", "variant", "metric", "value")
Values = Iterator[tuple[str, float]]
Found = Iterator[tuple[str, str, float]]
"""Variant, metric and value."""

BIKE = "bike"
TABLES = ("energy-0", "energy-2", "concrete-0", "kin8nm-0", "wage")
"""Gaps of UCI tables, with the feature that has the gap; and a table of ISLR."""
CITYCAM = ("weather", "bigbus")
CLASSES = {"digits": (8, 9), "cifar10": (0, 1)}
"""Classes that are left out."""
MOST_ROWS = 20_000
MOST_TESTS = 2_000


def rows_of(task: str, seed: int, bikeshare: str) -> Split:
    """Return the rows of a regression."""
    if task == BIKE:
        train, held_out, test, out = (
            Rows(*rows) for rows in bike_rows(seed, bikeshare)
        )
        return Split(task, train, held_out, test, {"out": out})
    if task in CITYCAM:
        return citycam(task, seed)
    if task in SHIFTS:
        return shifted(task, seed)
    if task == "wage":
        return natural(task, seed)
    name, feature = task.split("-")
    return uci(name, "gap", int(feature), seed)


class Trained:
    """A deep ensemble that has not learned doubt yet, as `fit` has it at that point."""

    def __init__(self, split: Split, seed: int, **settings: Any) -> None:
        """Train."""
        self.model = EnsembleRegressor(random_state=seed, **settings)
        train, validation = split.train, split.validation
        held_out = (validation.x, validation.y) if len(validation) else None
        with own_modes():
            self.prepared = self.model._prepare(
                train.x, train.y, None, held_out, None, None
            )
            unseen = self.model._train(self.prepared)
            self.model._calibrate(unseen)
        self.left_out = unseen.left_out

    def doubting(self) -> Any:
        """Return the model with doubt, as it is learned now."""
        model = copy.copy(self.model)
        with own_modes():
            model._calibrate_doubt(learn_doubt(model, self.prepared, self.left_out))
        return model


@contextmanager
def instead(module: ModuleType, **values: Any) -> Iterator[None]:
    """Let a module have other constants."""
    usual = {name: getattr(module, name) for name in values}
    try:
        vars(module).update(values)
        yield
    finally:
        vars(module).update(usual)


def measured(model: Any, split: Split) -> Values:
    """Yield errors, likelihoods and coverage inside and outside, and detection."""
    (out,) = split.ood.values()
    for name, rows in (("in", split.test), ("out", out)):
        answer, y = model.predictive(rows.x), np.reshape(rows.y, (-1, 1))
        yield f"rmse_{name}", metrics.rmse(y, answer.mean)
        yield f"nll_{name}", metrics.gaussian_nll(y, answer.mean, answer.std)
        low, high = model.predict_interval(rows.x)
        yield f"coverage90_{name}", metrics.coverage(y[:, 0], low, high)
        beyond = np.maximum(low - y[:, 0], y[:, 0] - high).clip(min=0)
        yield f"score90_{name}", float(np.mean(high - low + 20 * beyond))
    scores = [model.ood_score(rows.x) for rows in (split.test, out)]
    yield "auroc", metrics.auroc(*scores)
    yield "caught", caught(*scores, model.false_alarm_rate)


def timed(make: Callable[[], Any], split: Split) -> Values:
    """Yield the processor time of what makes a model, and what that is worth."""
    started = time.process_time()
    model = make()
    yield "cpu_seconds", time.process_time() - started
    yield from measured(model, split)


def lr(split: Split, seed: int) -> Found:
    """Yield fits with several learning rates."""
    for rate in (0.001, 0.002, 0.003):
        made = timed(lambda: Trained(split, seed, lr=rate).doubting(), split)  # noqa: B023
        yield from ((str(rate), *value) for value in made)


def bins(split: Split, seed: int) -> Found:
    """Yield fits with columns that are cut into bins or not."""
    for count, rate in ((None, 0.001), (16, 0.001), (32, 0.001), (32, 0.002)):
        made = timed(
            lambda: Trained(split, seed, bins=count, lr=rate).doubting(),  # noqa: B023
            split,
        )
        yield from ((f"{count} bins, lr {rate}", *value) for value in made)


def plain(split: Split, seed: int) -> Found:
    """Yield fits in which some members see columns without their bins, or none."""
    firsts = {"none": sys.maxsize, "every second": 1, "every second, the first too": 0}
    for name, first in firsts.items():
        with instead(networks_mlp, FIRST_PLAIN=first):
            made = list(timed(lambda: Trained(split, seed).doubting(), split))
        yield from ((name, *value) for value in made)


def rehearsal(split: Split, seed: int) -> Found:
    """Yield doubt from rehearsals that take longer or shorter."""
    trained = Trained(split, seed)
    for share, n_rows in ((0.1, None), (0.1, 32), (0.05, 32), (0.025, 32)):
        name = f"{share * trained.model.steps:.0f} steps, {n_rows or 'as the fit'}"
        with instead(
            rehearsing, SHARE_WITH_BINS=share, ROWS_PER_STEP=n_rows or sys.maxsize
        ):
            made = list(timed(trained.doubting, split))
        yield from ((name, *value) for value in made)


def intervals(split: Split, seed: int) -> Found:
    """Yield intervals where there is doubt: not narrowed, wide enough for a new set,
    and that up to the interval of the constant, or some more."""
    model = Trained(split, seed).doubting()
    learned = model.interval_factors_
    variants = {
        "not narrowed": replace(learned, outside=1.0),
        "wide enough for a new set": replace(learned, simple=LARGEST_OUTSIDE),
    } | {
        f"up to {room:g} times the line's": replace(
            learned, simple=room / ROOM * learned.simple
        )
        for room in (1, 1.25, ROOM, 2)
    }
    for name, factors in variants.items():
        model.interval_factors_ = factors
        yield from ((name, *value) for value in measured(model, split))


def line(split: Split, seed: int) -> Found:
    """Yield doubt with a line or without, and with fine regions or not."""
    trained = Trained(split, seed)
    variants: dict[str, tuple[ModuleType, dict[str, int]]] = {
        "line and constant": (doubt_rules, {}),
        "constant": (doubt_rules, {"MOST_COLUMNS": 0}),
        "line and constant, fine regions": (rehearsing, {"FEWEST_FOR_FINE": 0}),
    }
    for name, (module, values) in variants.items():
        with instead(module, **values):
            made = list(timed(trained.doubting, split))
        yield from ((name, *value) for value in made)


def doubt_references(split: Split, seed: int) -> Found:
    """Yield doubt by more or fewer references."""
    trained = Trained(split, seed)
    for most in (500, 1000, 2000, 10_000):
        with instead(doubt_learning, affordable=lambda _, most=most: most):
            made = list(timed(trained.doubting, split))
        yield from ((f"{most} rows", *value) for value in made)
    with instead(signal, HIDDEN_AXES=sys.maxsize):
        made = list(timed(trained.doubting, split))
    yield from (("hidden along all axes", *value) for value in made)
    trained.model.set_params(doubt="prototypes")
    yield from (("prototypes", *value) for value in timed(trained.doubting, split))


def direction(task: str, seed: int) -> Found:
    """Yield detection with direction and without, of new classes and changed rows."""
    x, y, train, test, new, rng = cut_by_class(task, seed)
    model = EnsembleClassifier(random_state=seed).fit(x[train], y[train])
    shifts = {"classes": x[new], **dict(changed(x[test], task, rng))}
    normal = model.doubt_.normalisation
    without = {k: v for k, v in normal.middle.items() if k != "direction"}
    for name, middle in (("with direction", normal.middle), ("without", without)):
        model.doubt_ = replace(
            model.doubt_, normalisation=replace(normal, middle=middle)
        )
        for shift, rows in shifts.items():
            scores = model.ood_score(x[test]), model.ood_score(rows)
            yield name, f"auroc {shift}", metrics.auroc(*scores)
            yield name, f"caught {shift}", caught(*scores, model.false_alarm_rate)


def classes(task: str, seed: int) -> Found:
    """Yield answers to known, changed and new classes, by what was rehearsed."""
    x, y, train, test, new, rng = cut_by_class(task, seed)
    changes = dict(changed(x[test], task, rng))
    model = EnsembleClassifier(random_state=seed)
    with own_modes():
        prepared = model._prepare(x[train], y[train], None, None, None, None)
        unseen = model._train(prepared)
        model._calibrate(unseen)
    with_classes = prepared.everyone._replace(groups=y[train])
    by_class = replace(prepared, everyone=with_classes)
    for name, rehearsed in (("regions", prepared), ("classes", by_class)):
        made = copy.copy(model)
        with own_modes():
            made._calibrate_doubt(learn_doubt(made, rehearsed, unseen.left_out))
        for kind, rows in {"in": x[test], **changes}.items():
            said = made.predict_proba(rows)
            places = np.searchsorted(made.classes_, y[test])
            yield name, f"log_loss {kind}", metrics.class_nll(places, said)
            yield name, f"doubt {kind}", float(made.doubt(rows).mean())
        said = made.predict_proba(x[new])
        yield name, "most probable of new", float(said.max(axis=1).mean())
        yield name, "doubt of new", float(made.doubt(x[new]).mean())


def cut_by_class(task: str, seed: int) -> tuple[Any, ...]:
    """Return pictures, classes, places of known and new ones, and what draws."""
    x, y = pictures(task)
    rng = np.random.default_rng(seed)
    known = rng.permutation(np.flatnonzero(~np.isin(y, CLASSES[task])))
    n_tests = min(MOST_TESTS, len(known) // 10)
    test, train = known[:n_tests], known[n_tests : n_tests + MOST_ROWS]
    new = rng.permutation(np.flatnonzero(np.isin(y, CLASSES[task])))[:MOST_TESTS]
    return x, y, train, test, new, rng


def pictures(task: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and classes of the training part."""
    if task == "digits":
        return load_digits(return_X_y=True)
    rows = cifar10_features().train
    return np.asarray(rows.x, float), np.asarray(rows.y)


def changed(
    x: np.ndarray, task: str, rng: np.random.Generator
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield known rows that something has happened to."""
    yield "noisy", x + rng.normal(size=x.shape) * x.std(axis=0)
    if task == "cifar10":
        yield "permuted", x[:, rng.permutation(x.shape[1])]
        return
    side = round(x.shape[1] ** 0.5)
    square = x.reshape(-1, side, side)
    yield "inverted", x.max() - x
    yield "rotated", np.rot90(square, axes=(1, 2)).reshape(x.shape)
    yield "moved", np.roll(square, side // 4, axis=2).reshape(x.shape)


REGRESSIONS = {
    "bins": (bins, (*TABLES, BIKE)),
    "lr": (lr, TABLES),
    "rehearsal": (rehearsal, (*TABLES, BIKE)),
    "intervals": (intervals, (*TABLES, BIKE, *CITYCAM)),
    "doubt_references": (doubt_references, (*TABLES, BIKE)),
    "plain": (plain, (*TABLES, *SHIFTS)),
    "line": (line, (*TABLES, *SHIFTS)),
}
CLASSIFICATIONS = {
    "direction": (direction, tuple(CLASSES)),
    "classes": (classes, tuple(CLASSES)),
}


def main(choice: str, bikeshare: str = "") -> None:
    """Run what is missing: two seeds, but one where a fit takes long."""
    known = (*REGRESSIONS, *CLASSIFICATIONS)
    if choice not in known:
        raise SystemExit(f"CHOICE must be one of {', '.join(known)}, got {choice!r}.")
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    path = CHOICES / f"{choice}.csv"
    there = done(path, ("task", "seed"))
    on_classes = choice in CLASSIFICATIONS
    run, tasks = {**REGRESSIONS, **CLASSIFICATIONS}[choice]
    for seed in (0, 1):
        for task in tasks:
            long = task in CITYCAM or choice == "doubt_references"
            missing = task == BIKE and not bikeshare
            if (task, str(seed)) in there or (seed and long) or missing:
                continue
            given = task if on_classes else rows_of(task, seed, bikeshare)
            found = list(run(given, seed))
            rows = (
                (task, seed, variant, metric, f"{value:.6g}")
                for variant, metric, value in found
            )
            append(path, FIELDS, rows)
            print(choice, task, seed, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
