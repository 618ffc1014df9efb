"""Copies of the model that rehearse: each is fitted without a set of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.fitting import Evidence
from antireg.familiarity.joining import fit_normalisation
from antireg.familiarity.neighbours import Space
from antireg.familiarity.regions import (
    FEWEST_ASKED,
    MOST_ASKED,
    MOST_LEFT_OUT,
    rehearsal_sets,
)
from antireg.trusted.cloning import Table, for_each, quietly_fitted
from antireg.trusted.folds import Folds
from antireg.trusted.looking import Observer
from antireg.trusted.rules import Rules

Numbers = NDArray[np.floating]
Places = NDArray[np.intp]

MOST_ROWS = 100_000
"""Rows that are rehearsed with; of more, so many are drawn."""


class Rehearsal(NamedTuple):
    """Places of rows, (rows,) each.

    Attributes:
        trained: What a copy is fitted on.
        held_out: Rows like these that it is not fitted on.
        left_out: Rows of the set that it is fitted without.
    """

    trained: Places
    held_out: Places
    left_out: Places


def plan_rehearsals(
    numbers: Numbers, fold: Folds, groups: NDArray[Any] | None, seed: int
) -> list[Rehearsal]:
    """Return what copies are fitted without: a set of rows and a fold beside it.

    A set is passed over if a copy would have too few rows held out. One of these that
    is beside rows left out is not usual to the copy, and not asked about.

    Args:
        numbers: Rows as distances see them, (rows, columns).
        fold: Number of each row's fold, (rows,).
        groups: Label of each row, (rows,), if there are any.
        seed: Of all choices.
    """
    rng, n_folds = np.random.default_rng([seed, 2]), fold.max() + 1
    planned = []
    for number, mask in enumerate(rehearsal_sets(numbers, seed, groups)):
        in_fold = fold == number % n_folds
        others, asked = np.flatnonzero(~in_fold), np.flatnonzero(in_fold & ~mask)
        asked = rng.permutation(asked)[:MOST_ASKED]
        if len(asked) < FEWEST_ASKED or mask[others].all():
            continue
        beside = others[Space(numbers[others], 1).near(numbers[asked])[1][:, 0]]
        asked = asked[~mask[beside]]
        if len(asked) >= FEWEST_ASKED:
            left_out = rng.permutation(np.flatnonzero(mask))[:MOST_LEFT_OUT]
            planned.append(Rehearsal(others[~mask[others]], asked, left_out))
    return planned


@dataclass(frozen=True, eq=False)
class Rehearsing:
    """Fits a copy and says how it did, beside what is true.

    Attributes:
        rules: Of the targets.
        calibration: What answers mean.
        estimator: The user's.
        rows: All rows.
        seed: Of the choice of references.
        model_seed: Of the copies.
    """

    rules: Rules
    calibration: Any
    estimator: Any
    rows: Table
    seed: int
    model_seed: int | None

    def __call__(self, rehearsal: Rehearsal) -> tuple[Evidence, Evidence] | None:
        """Return how held-out and left-out rows went; None if it cannot be fitted.

        Models refuse rows of a single class, and many encoders categories that are new.
        """
        trained = self.rows.at(rehearsal.trained)
        held_out = self.rows.at(rehearsal.held_out)
        left_out = self.rows.at(rehearsal.left_out)
        try:
            copy = quietly_fitted(self.estimator, trained, self.model_seed)
            looking = Observer.learned(
                self.rules, copy, trained.X, self.seed, brief=True
            )
            usual, strange = looking(held_out.X), looking(left_out.X)
        except ValueError:
            return None
        normal = fit_normalisation(usual.signals)

        def evidence(rows: Table, looked: Any) -> Evidence:
            unfamiliar = normal.unfamiliar(looked.signals)
            return self.rules.evidence(
                looked.answer, self.calibration, rows.y, unfamiliar, rows.weights
            )

        return evidence(held_out, usual), evidence(left_out, strange)


def rehearsed(
    rehearsing: Rehearsing, numbers: Numbers, fold: Folds, n_jobs: int | None
) -> list[tuple[Evidence, Evidence]]:
    """Return how copies did on rows held out, and on those of the sets left out.

    Args:
        rehearsing: Fits them.
        numbers: Rows as distances see them, (rows, columns).
        fold: Number of each row's fold, (rows,).
        n_jobs: Processes.
    """
    rng = np.random.default_rng([rehearsing.seed, 3])
    some = np.sort(rng.permutation(len(fold))[:MOST_ROWS])
    groups = rehearsing.rows.groups
    groups = None if groups is None else groups[some]
    planned = [
        Rehearsal(*(some[places] for places in rehearsal))
        for rehearsal in plan_rehearsals(
            numbers[some], fold[some], groups, rehearsing.seed
        )
    ]
    told = for_each(rehearsing, planned, n_jobs)
    return [pair for pair in told if pair is not None]
