"""Write the tables of docs/water_filling.md from the rows under results.

python -m benchmarks.filling_table
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from benchmarks.filling_rows import Fits, cost, fits_of, mean, outside, over

from antireg.paper.data.uci_tables import NAMES
from antireg.paper.experiments.filling_recipes import UNDER_DOUBT
from antireg.paper.experiments.rows import Book

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "water_filling.md"
PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)
NONE_YET = "There are no rows of this yet.\n"

TASKS = {
    **{
        f"CityCam {task}": (f"filling-{task}", f"citycam-{task}")
        for task in ("weather", "bigbus", "same-cameras", "cameras")
    },
    "Fashion-MNIST": ("filling-fashion-mnist", "fashion-mnist"),
    "CIFAR-10": ("filling-cifar10", "cifar10"),
    **{f"{n} gap": (f"filling-uci-{n}", f"uci-gap-{n}") for n in NAMES},
}
"""Recipe of what is new, and of the paper's DE and DARE."""

CONTENDERS = {
    "water_filling": "WaterFilling",
    "max_w_ent": "MaxWEnt",
    "dare": "DARE from DE",
}
"""Methods of what is new."""

HEADS = {
    "deep_ensemble": "deep ensemble",
    "dare": "DARE",
    "max_w_ent": "Bayesian DARE (MaxWEnt)",
    "water_filling": "closed form (WaterFilling)",
}
"""Methods of heads on a convolutional network."""

DRAWN = {
    "none": "nothing: one network",
    "WaterFilling": "closed form (WaterFilling)",
    "MaxWEnt": "Bayesian DARE (MaxWEnt)",
}
"""Ways to vary a whole convolutional network."""

PICTURES = ("mnist", "cifar10")


def shown(*values: float, digits: int = 2) -> str:
    """Return numbers side by side, those that are known."""
    return " / ".join(f"{v:z.{digits}f}" for v in values if not np.isnan(v))


def markdown(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table, or a sentence if it has no rows."""
    lines = [columns, ["---"] * len(columns), *rows]
    if len(lines) == 2:
        return NONE_YET
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def task_rows(book: Book, task: str) -> Iterator[list[str]]:
    """Yield the cells of each contender of a task."""
    ours, paper = TASKS[task]
    ensembles = fits_of(book, paper, "deep_ensemble")
    contenders = [
        ("DE", paper, ensembles),
        ("DARE", paper, fits_of(book, paper, "dare")),
        *((name, ours, fits_of(book, ours, m)) for m, name in CONTENDERS.items()),
    ]
    for name, recipe, fits in contenders:
        if not fits:
            continue
        names = outside(fits)
        pairs = [shown(mean(fits, f"{n}_nll"), mean(fits, f"{n}_ece")) for n in names]
        apart = (shown(mean(fits, f"{n}_epistemic_auroc")) for n in names)
        yield [
            task,
            name,
            str(len(fits)),
            shown(*(mean(fits, m) for m in ("test_nll", "test_ece", "accuracy"))),
            over(fits, ensembles, "test_nll"),
            ", ".join(filter(None, pairs)),
            ", ".join(shown(mean(fits, f"{n}_auroc")) for n in names),
            ", ".join(filter(None, apart)),
            cost(book, recipe, fits, is_whole=recipe == ours),
        ]


def methods(book: Book) -> str:
    """Return one line for each task and contender."""
    columns = [
        *("task", "method", "seeds", "inside: NLL / ECE, accuracy"),
        *("inside, over DE", "outside: NLL / ECE", "AUROC", "by disagreement", "cost"),
    ]
    tasks = (t for t in TASKS if fits_of(book, TASKS[t][0], "water_filling"))
    return markdown(columns, (row for t in tasks for row in task_rows(book, t)))


def heads(book: Book) -> str:
    """Return heads on a convolutional network, by doubt."""
    columns = [
        *("head", "doubt", "seeds", "accuracy", "NLL / ECE inside"),
        *("inside, over DE", "AUROC MNIST / CIFAR-10", "by disagreement", "cost"),
    ]
    found = {m: fits_of(book, "doubt-convolutions", m) for m in HEADS}
    ensembles = found["deep_ensemble"]
    rows = [
        [
            HEADS[method],
            word,
            str(len(fits)),
            shown(mean(fits, f"{prefix}accuracy"), digits=3),
            shown(*(mean(fits, f"{prefix}{m}") for m in ("test_nll", "test_ece"))),
            over(fits, ensembles, f"{prefix}test_nll"),
            shown(*(mean(fits, f"{prefix}{n}_auroc") for n in PICTURES), digits=3),
            *(_alone(fits, ensembles) if prefix else ("", "")),
        ]
        for method, fits in found.items()
        for word, prefix in (("without", "plain_"), ("with", ""))
        if fits
    ]
    return markdown(columns, rows)


def _alone(fits: Fits, ensembles: Fits) -> tuple[str, str]:
    """Return AUROCs by disagreement, and what trainings took by the clock."""
    apart = shown(*(mean(fits, f"{n}_epistemic_auroc") for n in PICTURES), digits=3)
    ratios = [
        fits[seed][1]["trained_seconds"] / ensembles[seed][1]["trained_seconds"]
        for seed in fits.keys() & ensembles.keys()
    ]
    return apart, f"{np.median(ratios):.2f}" if ratios else ""


def doubt(book: Book) -> str:
    """Return draws and deep ensembles, both with doubt, of tasks that have both."""
    rows = []
    for task in UNDER_DOUBT:
        ensembles = fits_of(book, f"doubt-{task}", "deep_ensemble")
        drawn = fits_of(book, f"doubt-filling-{task}", "water_filling")
        both = (("deep ensemble", ensembles), ("WaterFilling", drawn)) if drawn else ()
        for name, fits in both:
            (other,) = outside(fits)
            rows.append(
                [
                    f"CityCam {task}",
                    name,
                    str(len(fits)),
                    shown(mean(fits, "test_nll")),
                    over(fits, ensembles, "test_nll"),
                    shown(mean(fits, f"{other}_nll"), mean(fits, f"{other}_ece")),
                    shown(mean(fits, f"{other}_auroc")),
                ]
            )
    columns = [
        *("task", "with doubt", "seeds", "inside: NLL", "inside, over DE"),
        *("outside: NLL / ECE", "AUROC"),
    ]
    return markdown(columns, rows)


def convolutions(path: Path) -> str:
    """Return ways to vary a whole convolutional network.

    Args:
        path: File of `benchmarks/convolutions.py`.
    """
    found: dict[str, dict[str, list[float]]] = {}
    with path.open(newline="") as file:
        for line in csv.DictReader(file):
            values = found.setdefault(line["drawn"], {}).setdefault(line["metric"], [])
            values.append(float(line["value"]))

    def auroc(each: dict[str, list[float]], score: str) -> str:
        metrics = [f"{name} auroc by {score}" for name in PICTURES]
        return shown(*(np.mean(each[m]) for m in metrics if m in each), digits=3)

    columns = [
        *("drawn", "seeds", "accuracy", "AUROC MNIST / CIFAR-10 by entropy"),
        *("by disagreement", "by doubt"),
    ]
    rows = [
        [
            name,
            str(len(each["accuracy"])),
            shown(float(np.mean(each["accuracy"])), digits=3),
            *(auroc(each, score) for score in ("entropy", "disagreement", "doubt")),
        ]
        for drawn, name in DRAWN.items()
        if (each := found.get(drawn))
    ]
    return markdown(columns, rows)


def filled(page: str, results: Path) -> str:
    """Return a page with its tables made from rows.

    Args:
        page: In Markdown, with a place for each table.
        results: Folder of rows and choices.
    """
    book = Book(results / "rows")
    made = {each.__name__: each(book) for each in (methods, doubt, heads)}
    made["convolutions"] = convolutions(results / "choices" / "convolutions.csv")
    return PLACE.sub(lambda found: f"{found[1]}\n{made[found[2]]}\n{found[3]}", page)


def main() -> None:
    """Fill in the page."""
    PAGE.write_text(filled(PAGE.read_text(), ROOT / "results"))


if __name__ == "__main__":
    main()
