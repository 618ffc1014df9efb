"""What the rows of WaterFilling, MaxWEnt and their rivals hold: means, and the cost."""

from __future__ import annotations

import numpy as np

from antireg.paper.experiments.rows import Book, Key, Record

SEEDS = range(5)

Fits = dict[int, tuple[Key, Record]]
"""By seed."""


def fits_of(book: Book, recipe: str, method: str) -> Fits:
    """Return the fits of a method; of deep ensembles, those with a likelihood."""
    found = {}
    for key, record in book.records(recipe).items():
        plain = key.method == "deep_ensemble" and key.loss == "squared_error"
        other = key.method == "dare" and "delta=0.25" not in key.choice
        if key.method == method and key.seed in SEEDS and not plain and not other:
            found[key.seed] = key, record
    return found


def mean(fits: Fits, metric: str) -> float:
    """Return a mean over seeds; NaN if no row has it."""
    records = [record for _, record in fits.values()]
    values = [r.values[metric, ""] for r in records if (metric, "") in r.values]
    return float(np.mean(values)) if values else np.nan


def over(fits: Fits, reference: Fits, metric: str) -> str:
    """Return the mean difference to a reference, of the seeds that both have."""
    both = fits.keys() & reference.keys()
    here, there = ({s: f[s] for s in both} for f in (fits, reference))
    if fits is reference or not both:
        return ""
    return f"{mean(here, metric) - mean(there, metric):+z.2f}"


def outside(fits: Fits) -> list[str]:
    """Return the names of the rows out of distribution."""
    (_, record), *_ = fits.values()
    metrics = [m for m, _ in record.values if m.endswith("_auroc")]
    names = [m.removesuffix("_auroc") for m in metrics]
    no_rows = ("_epistemic", "plain_")
    return sorted(n for n in names if not any(word in n for word in no_rows))


def trained(key: Key, record: Record, plain: Record | None, is_whole: bool) -> float:
    """Return the processor time of all trainings of a fit.

    A whole fit reads the deep ensemble that it starts from, if another fit of its seed
    trained one by the same loss. Then it took less time than that training, or its own
    trainings and those it read took that much more (by the clock) than itself.

    Args:
        key: Of the fit.
        record: Of the fit.
        plain: The deep ensemble of its seed and loss, if there is one.
        is_whole: Whether the fit trained what it did not read; otherwise its reference
            is another fit, as in the paper's recipes.
    """
    if key.method == "deep_ensemble" or plain is None:
        return record.seconds
    if is_whole and record.seconds >= plain.seconds:
        more = record["trained_seconds"] - record.seconds
        if more < plain.seconds:
            return record.seconds
    return record.seconds + plain.seconds


def cost(book: Book, recipe: str, fits: Fits, is_whole: bool) -> str:
    """Return the time of all trainings, in units of one deep ensemble of the recipe.

    The median over seeds is taken, as two fits may have run on different machines.
    """
    records = book.records(recipe).items()
    plain = {(k.seed, k.loss): r for k, r in records if k.method == "deep_ensemble"}
    units = fits_of(book, recipe, "deep_ensemble")
    ratios = [
        trained(key, record, plain.get((seed, key.loss)), is_whole)
        / units[seed][1].seconds
        for seed, (key, record) in fits.items()
        if seed in units
    ]
    return f"{np.median(ratios):.2f}" if ratios else ""
