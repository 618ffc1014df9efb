"""How good doubt could be at best: the same members and signals, told the answers.

    python -m benchmarks.doubt_bounds            appends to doubt_bounds.csv in
                                                 results/choices
    python -m benchmarks.doubt_bounds --table    writes its rows into docs/choices.md

"learned" is the default. "told" has the same form, but its numbers are fitted to the
shifted rows and the test rows themselves, which no honest model could: no rehearsal can
make these members and signals do better. "within" is the best of these numbers that
cost at most .03 inside, found by giving the shifted rows less and less weight. For
detection, "told" is a logistic regression
on the signals, fitted to the same rows. Fits that are there already are not repeated.
"""

from __future__ import annotations

import csv
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from benchmarks.appended import append, done
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from antireg import metrics
from antireg.estimators.doubting import EVERYTHING, Doubting, Said, Wanted
from antireg.estimators.observed import Observed
from antireg.familiarity import fitting
from antireg.familiarity.line import Fallback
from antireg.familiarity.signal import Seen
from antireg.paper.data.split import Rows, Split
from antireg.paper.experiments.doubted import MOST_ROWS
from antireg.paper.experiments.measures import known
from antireg.paper.experiments.recipes import named
from antireg.paper.experiments.runner import fitted
from antireg.paper.experiments.study import Job

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "doubt_bounds.csv"
PAGE = Path(__file__).parent.parent / "docs" / "choices.md"
PLACE = re.compile(r"(<!-- bounds -->\n).*?(<!-- end -->)", flags=re.DOTALL)
FIELDS = ("task", "seed", "rows", "doubt", "metric", "value")
TASKS = ("doubt-weather", "doubt-table-computers", "doubt-cifar10")
TASKS += ("doubt-fashion-mnist", "doubt-bigbus", "doubt-same-cameras", "doubt-cameras")
SEEDS = range(2)
WEIGHTS = (0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01)
"""Of the shifted rows, told: the first is what doubt is learned with."""

ALLOWED = 0.03
"""What doubt may cost inside, in NLL."""

Line = tuple[str, str, str, float]
Signals = dict[str, np.ndarray]


class Listening(Doubting):
    """Remembers the signals of the rows that were asked for."""

    def said(
        self, outputs: np.ndarray, rows: Seen, wanted: Wanted = EVERYTHING
    ) -> Said:
        """Return the same, and keep the signals."""
        vars(self).setdefault("heard", []).append(self.signalling(rows))
        return super().said(outputs, rows, wanted)


def signals_of(model: Any, X: np.ndarray) -> tuple[Said, Signals]:
    """Return what a model says of rows, and their signals."""
    doubt = model.doubt_
    model.doubt_ = Listening(doubt.signalling, doubt.normalisation, doubt.doubt)
    said, heard = model.said(X), vars(model.doubt_)["heard"]
    model.doubt_ = doubt
    return said, {k: np.concatenate([part[k] for part in heard]) for k in heard[0]}


def detection(name: str, familiar: Signals, strange: Signals) -> Iterator[Line]:
    """Yield the AUROC of each signal, and of the best weights for all of them."""
    for signal, values in familiar.items():
        auroc = metrics.auroc(values, strange[signal])
        yield name, signal, "auroc", auroc
    parts = [np.stack(list(s.values()), axis=1) for s in (familiar, strange)]
    x = StandardScaler().fit(parts[0]).transform(np.concatenate(parts))
    label = np.repeat([0, 1], [len(part) for part in parts])
    x = np.clip(x, -20, 20)
    best = LogisticRegression(class_weight="balanced", max_iter=1000).fit(x, label)
    scores = best.decision_function(x)
    yield name, "told", "auroc", metrics.auroc(scores[label == 0], scores[label == 1])


def likelihoods(
    model: Any, split: Split, said: dict[str, Said], rows: dict[str, Rows]
) -> Iterator[Line]:
    """Yield NLL and ECE as learned, and with numbers fitted to these rows."""
    targets = model.target_scaling_.scaled(known(split.train)[:, None])
    rules = model._doubt_rules(model, targets, np.ones(len(targets)))
    told = {}
    for name, part in rows.items():
        targets = model.target_scaling_.scaled(known(part)[:, None])
        weight = np.ones(len(part))
        line, on_line = model.doubt_.line, said[name].on_line
        by_line = None
        if line is not None and on_line is not None:
            by_line = Fallback(on_line, np.broadcast_to(line.variance, on_line.shape))
        seen = Observed(said[name].outputs, {}, targets, weight, by_line)
        told[name] = rules.evidence(seen, said[name].unfamiliar)
    inside = errors(model, model.doubt_, known(rows["test"]), said["test"])
    for metric, value in inside.items():
        yield "inside", "learned", metric, value
    plain = model.learned_of(said["test"].alone)
    y = known(rows["test"])[:, None]
    allowed = ALLOWED + metrics.gaussian_nll(y, plain.mean, plain.std)
    for name in split.ood:
        for metric, value in errors(
            model, model.doubt_, known(rows[name]), said[name]
        ).items():
            yield name, "learned", metric, value
        within = np.inf
        for weight in WEIGHTS:
            doubt = told_doubt(rules, told["test"], told[name], weight)
            doubting = replace(
                model.doubt_, doubt=replace(doubt, line=model.doubt_.line)
            )
            both = [
                errors(model, doubting, known(rows[place]), said[place])
                for place in ("test", name)
            ]
            if weight == WEIGHTS[0]:
                yield from named_errors(name, "told", both)
            if both[0]["nll"] <= allowed and both[1]["nll"] < within:
                within, best = both[1]["nll"], both
        if np.isfinite(within):
            yield from named_errors(name, "within", best)


def told_doubt(rules: Any, familiar: Any, shifted: Any, weight: float) -> Any:
    """Return doubt fitted to test and shifted rows, which have this weight of all."""
    usual, half = fitting.SHARES, (1 - weight) / 2
    fitting.SHARES = (half, half, weight)
    try:
        return rules.learned([familiar], [familiar], [shifted])
    finally:
        fitting.SHARES = usual


def errors(model: Any, doubting: Any, y: np.ndarray, said: Said) -> dict[str, float]:
    """Return how well a model with this doubt answers rows."""
    before, model.doubt_ = model.doubt_, doubting
    answer = model.learned_of(said)
    model.doubt_ = before
    y, mean, std = y[:, None], answer.mean, answer.std
    return {
        "nll": metrics.gaussian_nll(y, mean, std),
        "ece": metrics.regression_ece(y, mean, std),
        "coverage90": metrics.coverage(y, mean - 1.645 * std, mean + 1.645 * std),
    }


def named_errors(name: str, kind: str, both: list[dict[str, float]]) -> Iterator[Line]:
    """Yield the errors of familiar and of shifted rows."""
    for place, found in zip((f"inside, {name}", name), both, strict=True):
        for metric, value in found.items():
            yield place, kind, metric, value


def measured(task: str, seed: int) -> Iterator[Line]:
    """Yield all numbers of one fit."""
    (study,) = named([task])
    contender = study.contenders[0]
    split = study.recipe.load(seed)
    model: Any = fitted(
        Job(study.recipe, contender.method, contender.loss, seed), split
    )
    rows = {"test": split.test, **split.ood}
    rng = np.random.default_rng(0)
    rows = {k: r[np.sort(rng.permutation(len(r))[:MOST_ROWS])] for k, r in rows.items()}
    both = {name: signals_of(model, part.x) for name, part in rows.items()}
    for name in split.ood:
        yield (
            name,
            "learned",
            "auroc",
            metrics.auroc(*(model.score_of(both[k][0]) for k in ("test", name))),
        )
        yield from detection(name, both["test"][1], both[name][1])
    if hasattr(model, "target_scaling_"):
        said = {name: pair[0] for name, pair in both.items()}
        yield from likelihoods(model, split, said, rows)


def table() -> str:
    """Return the rows as a table in Markdown, means over seeds."""
    found: dict[tuple[str, str], dict[tuple[str, str], list[float]]] = {}
    with RESULTS.open(newline="") as file:
        for row in csv.DictReader(file):
            place = found.setdefault((row["task"], row["rows"]), {})
            kind = row["doubt"], row["metric"]
            place.setdefault(kind, []).append(float(row["value"]))
    kinds = ("learned", "told", "within")
    lines = [
        "| task, shifted rows | seeds | NLL inside: learned, told, within | "
        "NLL outside | ECE outside | 90 % cover outside | AUROC: learned, told |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]

    def cell(numbers: dict[tuple[str, str], list[float]], metric: str) -> str:
        found = [numbers.get((kind, metric)) for kind in kinds]
        return ", ".join(f"{np.mean(k):.3f}" for k in found if k is not None)

    for (task, name), numbers in found.items():
        if name.startswith("inside"):
            continue
        inside = found.get((task, "inside"), {}) | found.get(
            (task, f"inside, {name}"), {}
        )
        cells = [f"{task.removeprefix('doubt-')}, {name}"]
        cells += [str(len(numbers["learned", "auroc"])), cell(inside, "nll")]
        measures = ("nll", "ece", "coverage90", "auroc")
        cells += [cell(numbers, metric) for metric in measures]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what is missing, or write the table."""
    if "--table" in sys.argv:
        page = PAGE.read_text()
        filled = PLACE.sub(lambda at: f"{at[1]}\n{table()}\n{at[2]}", page)
        PAGE.write_text(filled)
        return
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    known_fits = done(RESULTS, ("task", "seed"))
    for seed in SEEDS:
        for task in TASKS:
            if (task, str(seed)) in known_fits:
                continue
            found = list(measured(task, seed))
            append(RESULTS, FIELDS, ([task, seed, *line] for line in found))


if __name__ == "__main__":
    main()
