"""Write the tables of docs/water_filling.md from the rows under results/rows.

python benchmarks/filling_table.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from antireg.paper.data.uci_tables import NAMES
from antireg.paper.experiments.rows import Book, Record

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "water_filling.md"
PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)
SEEDS = range(5)

TASKS = {
    **{
        f"CityCam {task}": (f"filling-{task}", f"citycam-{task}")
        for task in ("weather", "bigbus", "cameras")
    },
    "Fashion-MNIST": ("filling-fashion-mnist", "fashion-mnist"),
    "CIFAR-10": ("filling-cifar10", "cifar10"),
    **{f"{n} gap": (f"filling-uci-{n}", f"uci-gap-{n}") for n in NAMES},
}
"""Recipe of what is new, and of the paper's DE and DARE."""


HEADS = {
    "deep_ensemble": "deep ensemble",
    "dare": "DARE",
    "max_w_ent": "Bayesian DARE (MaxWEnt)",
    "water_filling": "closed form (WaterFilling)",
}
"""Methods of heads on a convolutional network."""

PICTURES = ("mnist", "cifar10")


def lines(book: Book, ours: str, paper: str) -> Iterator[tuple[str, list[Record]]]:
    """Yield each contender with its fits, those of the paper's recipe first."""
    found: dict[str, list[Record]] = {}
    for recipe in (paper, ours):
        for key, record in book.records(recipe).items():
            name = {
                "deep_ensemble": "DE",
                "dare": "DARE from DE" if "start='reference'" in key.choice else "DARE",
                "water_filling": "WaterFilling",
                "max_w_ent": "MaxWEnt",
            }.get(key.method)
            reference = key.method == "deep_ensemble" and recipe == paper
            other = reference and key.loss == "squared_error"
            delta = "delta=0.25" not in key.choice and name == "DARE"
            if name is None or other or delta or key.seed not in SEEDS:
                continue
            if name == "DE" and recipe == ours:
                name = "DE, again"
            found.setdefault(name, []).append(record)
    yield from ((name, fits) for name, fits in found.items() if name != "DE, again")


def mean(fits: list[Record], metric: str) -> float:
    """Return a mean over seeds; NaN if no row has it."""
    values = [r.values[metric, ""] for r in fits if (metric, "") in r.values]
    return float(np.mean(values)) if values else np.nan


def outside(fits: list[Record]) -> list[str]:
    """Return the names of the rows out of distribution."""
    metrics = [m for m, _ in fits[0].values if m.endswith("_auroc")]
    names = [m.removesuffix("_auroc") for m in metrics]
    return sorted(n for n in names if not n.endswith("_epistemic"))


def cost(book: Book, ours: str, name: str, fits: list[Record]) -> str:
    """Return the processor time of all trainings, in units of one deep ensemble's.

    What starts from the deep ensemble of its seed reads it from a file, which counts
    as the training that made it. With another loss there is none to read. The median
    over seeds is taken, as the two may have run on different machines.
    """
    known = {"DE": "1", "DARE": "2"}.get(name)  # two whole trainings
    records = book.records(ours).items()
    plain = {key.seed: (key, r) for key, r in records if key.method == "deep_ensemble"}
    mine = {key.seed: (key, r) for key, r in records if r in fits}
    ratios = [
        record.seconds / plain[seed][1].seconds + (key.loss == plain[seed][0].loss)
        for seed, (key, record) in mine.items()
        if seed in plain
    ]
    return known or (f"{np.median(ratios):.2f}" if ratios else "")


def shown(*values: float, digits: int = 2) -> str:
    """Return numbers side by side, those that are known."""
    return " / ".join(f"{v:z.{digits}f}" for v in values if not np.isnan(v))


def table(book: Book) -> str:
    """Return the table in Markdown: one line for each task and contender."""
    rows = [
        "| task | method | seeds | inside: NLL / ECE, accuracy | outside: NLL / ECE | "
        "AUROC | by disagreement | cost |",
        "| " + " | ".join(["---"] * 8) + " |",
    ]
    for task, (ours, paper) in TASKS.items():
        if not any(k.method == "water_filling" for k in book.records(ours)):
            continue
        for name, fits in lines(book, ours, paper):
            names = outside(fits)
            pairs = [
                shown(mean(fits, f"{n}_nll"), mean(fits, f"{n}_ece")) for n in names
            ]
            cells = [
                task,
                name,
                str(len(fits)),
                shown(*(mean(fits, m) for m in ("test_nll", "test_ece", "accuracy"))),
                ", ".join(filter(None, pairs)),
                ", ".join(shown(mean(fits, f"{n}_auroc")) for n in names),
                ", ".join(shown(mean(fits, f"{n}_epistemic_auroc")) for n in names),
                cost(book, ours, name, fits),
            ]
            rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def heads(book: Book) -> str:
    """Return the table of heads on a convolutional network, by doubt."""
    rows = [
        "| head | doubt | seeds | accuracy | NLL / ECE inside | AUROC MNIST / CIFAR-10 "
        "| by disagreement |",
        "| " + " | ".join(["---"] * 7) + " |",
    ]
    found = book.records("doubt-convolutions").items()
    for method, name in HEADS.items():
        fits = [r for key, r in found if key.method == method and key.seed in SEEDS]
        for word, prefix in (("without", "plain_"), ("with", "")) if fits else ():
            inside = (mean(fits, f"{prefix}{m}") for m in ("test_nll", "test_ece"))
            apart = (mean(fits, f"{n}_epistemic_auroc") for n in PICTURES)
            cells = [
                name,
                word,
                str(len(fits)),
                shown(mean(fits, f"{prefix}accuracy"), digits=3),
                shown(*inside),
                shown(*(mean(fits, f"{prefix}{n}_auroc") for n in PICTURES), digits=3),
                "" if prefix == "" else shown(*apart, digits=3),
            ]
            rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n"


def filled(page: str, rows: Path) -> str:
    """Return a page with its tables made from rows.

    Args:
        page: In Markdown, with a place for each table.
        rows: Folder of CSV files.
    """
    made = {"methods": table(Book(rows)), "heads": heads(Book(rows))}
    return PLACE.sub(lambda found: f"{found[1]}\n{made[found[2]]}\n{found[3]}", page)


def main() -> None:
    """Fill in the page."""
    PAGE.write_text(filled(PAGE.read_text(), ROOT / "results" / "rows"))


if __name__ == "__main__":
    main()
