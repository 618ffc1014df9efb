"""How a gate is learned: by copies of the model that were fitted without some rows.

Every row is in one fold, and a copy fitted without that fold says what the model makes
of rows it does not know. Other copies rehearse: they are fitted without a region, a
tail or some groups, and show where the model fails.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.advice import warn_user
from antireg.familiarity.doubt import ClassDoubt, Doubt
from antireg.familiarity.fitting import Evidence
from antireg.familiarity.joining import Normalisation, fit_normalisation, joined_rows
from antireg.familiarity.regions import FEWEST_ROWS, FEWEST_SETS
from antireg.predictive.intervals import Shifts
from antireg.rows.near_copies import warn_of_near_copies
from antireg.trusted.answers import joined_answers
from antireg.trusted.cloning import Table, for_each, quietly_fitted
from antireg.trusted.folds import Folds
from antireg.trusted.frames import taken
from antireg.trusted.looking import Observed, Observer
from antireg.trusted.rehearsing import Rehearsing, rehearsed
from antireg.trusted.rules import Rules

Array = NDArray[np.float64]

MOST_TOLD = 4000
"""Rows that doubt is learned by, as the folds' copies see them."""


@dataclass(frozen=True, eq=False)
class Gate:
    """What a trusted model has learned.

    Attributes:
        looking: The fitted model and its references.
        calibration: What its answers mean.
        normalisation: How rows score that it does not know.
        doubt: What is made of unfamiliar rows.
    """

    looking: Observer
    calibration: Any
    normalisation: Normalisation
    doubt: Doubt | ClassDoubt


class Learned(NamedTuple):
    """A gate, and what it was learned from.

    Attributes:
        gate: Of the fitted model.
        unseen: What copies say of rows they were not fitted on.
        shifts: Answers to doubted rows of each rehearsed set; none if there were too
            few to learn from, or of classes.
    """

    gate: Gate
    unseen: Observed
    shifts: Shifts


@dataclass(frozen=True, eq=False)
class Learner:
    """All that a gate is learned from.

    Attributes:
        rules: Of the targets.
        estimator: The user's, not fitted; None if it cannot be fitted again.
        rows: To learn from.
        fold: Number of each row's fold, (rows,).
        seed: Of all choices.
        model_seed: Of the copies; None if they have their own.
        n_jobs: Processes.
    """

    rules: Rules
    estimator: Any
    rows: Table
    fold: Folds
    seed: int
    model_seed: int | None
    n_jobs: int | None

    def learned(self, model: Any) -> Learned:
        """Return the gate of a fitted model, and what it was learned from.

        Args:
            model: Fitted on all rows, or on none of them if it is not to be refitted.
        """
        rules, rows = self.rules, self.rows
        looking = Observer.learned(rules, model, rows.X, self.seed)
        unseen = self._unseen(model)
        normal = fit_normalisation(unseen.signals)
        calibration = rules.calibration(unseen.answer, rows.y, rows.weights)
        unfamiliar = normal.unfamiliar(unseen.signals)
        doubt = rules.default(unfamiliar)
        shifts: Shifts = ()
        if self.estimator is not None:
            told = rules.evidence(
                unseen.answer, calibration, rows.y, unfamiliar, rows.weights
            )
            numbers = looking.inputs.numbers(looking.inputs.entering(rows.X))
            self._warn_of_near_copies(numbers)
            pairs = self._rehearsed(numbers, calibration)
            if pairs:
                known, unknown = zip(*pairs, strict=True)
                doubt = rules.learned([_some(told, self.seed)], known, unknown)
                shifts = rules.shifts(doubt, unknown)
        return Learned(Gate(looking, calibration, normal, doubt), unseen, shifts)

    def _warn_of_near_copies(self, numbers: NDArray[np.float32]) -> None:
        """Warn if folds hold near copies of each other's rows, (rows, columns)."""
        if self.rows.groups is None:
            out = self.fold == 0
            asked, known = numbers[out], numbers[~out]
            warn_of_near_copies(asked.__getitem__, known.__getitem__, out, self.seed)

    def _unseen(self, model: Any) -> Observed:
        """Return what is said of every row by a copy fitted without its fold."""

        def look(number: int) -> Observed:
            known = self.rows.at(self.fold != number)
            copy = model
            if self.estimator is not None:
                copy = quietly_fitted(self.estimator, known, self.model_seed)
            looking = Observer.learned(self.rules, copy, known.X, self.seed)
            return looking(taken(self.rows.X, self.fold == number))

        parts = for_each(look, range(self.fold.max() + 1), self.n_jobs)
        order = np.argsort(np.argsort(self.fold, kind="stable"))
        signals = joined_rows([part.signals for part in parts])
        answer = joined_answers([part.answer for part in parts]).at(order)
        return Observed(answer, {name: signals[name][order] for name in signals})

    def _rehearsed(
        self, numbers: NDArray[np.float32], calibration: Any
    ) -> list[tuple[Evidence, Evidence]]:
        """Return each copy's answers to unseen rows, and to those it left out.

        The list is empty, and a warning says why, if they are too few to learn from.

        Args:
            numbers: The rows, as they are compared, (rows, columns).
            calibration: What answers mean.
        """
        rows, pairs = self.rows, []
        reason = f"it takes {FEWEST_ROWS} rows, and there are {len(rows)}"
        if len(rows) >= FEWEST_ROWS:
            rehearsing = Rehearsing(
                self.rules,
                calibration,
                self.estimator,
                rows,
                self.seed,
                self.model_seed,
            )
            pairs = rehearsed(rehearsing, numbers, self.fold, self.n_jobs)
            reason = (
                f"{len(pairs)} sets of rows can be rehearsed, and it takes "
                f"{FEWEST_SETS}"
            )
        if len(pairs) < FEWEST_SETS:
            warn_user(
                f"doubt was not learned: {reason}. Default numbers are used instead; "
                "flags are not affected. Gather more rows.",
            )
            return []
        return pairs


def _some(told: Evidence, seed: int) -> Evidence:
    """Return the rows, or some of very many."""
    rng = np.random.default_rng([seed, 4])
    some = np.sort(rng.permutation(len(told.weight))[:MOST_TOLD])
    kept = {field.name: getattr(told, field.name)[some] for field in fields(told)}
    return replace(told, **kept)
