"""How doubt is learnt after a fit: by held-out rows, and by pairs that rehearsed."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.doubt_rules import DoubtRules
from antireg.estimators.doubting import Doubting
from antireg.estimators.left_out import LeftOut
from antireg.estimators.members import Prepared
from antireg.estimators.rehearsing import Rehearsal, drawn, rehearsals
from antireg.familiarity.doubt import ClassDoubt, Doubt
from antireg.familiarity.fitting import Told
from antireg.familiarity.joining import (
    Normalisation,
    Signalling,
    Signals,
    fit_normalisation,
    joined_rows,
)
from antireg.familiarity.references import MOST, reference_rows
from antireg.familiarity.signal import Reference, Seen
from antireg.networks import Stack
from antireg.networks.inference import seen_by
from antireg.networks.sensitivity import sensitivity
from antireg.rows.data import Batch, Data, rows_of

Array = NDArray[np.float64]

MOST_HELD_OUT = 4000
"""Held-out rows by which a model knows what is usual."""

REHEARSAL_REFERENCES = 1000
SENSED = 500
"""References by which it is found which inputs matter."""

FEWEST_ROWS = 100
FEWEST_SETS = 3
"""With fewer, doubt is not learnt: it has the numbers that its fit would start from."""


class Looked(NamedTuple):
    """Rows that members were not trained on, and what is known of them.

    Attributes:
        outputs: What the members say, (members, rows, outputs).
        signals: How unfamiliar the rows are to them.
        targets: What is true, as the network sees it, (rows, targets).
        weight: How much each row counts, (rows,).
    """

    outputs: Array
    signals: Signals
    targets: Array
    weight: Array


class Looking:
    """Members with references: what they say of rows, and how familiar these are.

    Args:
        rules: Of their model.
        network: The members.
        trained: Rows they were trained on.
        seed: Of the choice of references.
        most: How many of these to keep.
    """

    def __init__(
        self, rules: DoubtRules, network: Stack, trained: Data, seed: int, most: int
    ) -> None:
        """Learn the signals."""
        self.rules, self.network = rules, network
        kept = drawn(trained, reference_rows(len(trained), seed, most))
        part = seen_by(network, kept.x)
        moved = sensitivity(network, kept.x[:SENSED], rules.answers)
        reference = Reference(part.inputs, moved, part.hidden)
        self.signalling = Signalling.learned(reference)

    def __call__(self, rows: Batch) -> Looked:
        """Return what is said of rows, and how familiar they are."""
        part = seen_by(self.network, rows.x)
        uncertainty = self.rules.uncertainty(part.outputs)
        signals = self.signalling(Seen(part.inputs, uncertainty, part.hidden))
        return Looked(part.outputs, signals, targets_of(rows), weights_of(rows))


def learn_doubt(
    model: Any, prepared: Prepared, left_out: LeftOut | None
) -> tuple[Doubting, Looked]:
    """Return the doubt of a fitted model, and the rows that say what is usual to it.

    Args:
        model: Fitted, and calibrated but for doubt.
        prepared: What it was fitted with.
        left_out: What trainings without some of the rows say, if there were any.
    """
    problem, seed = prepared.problem, prepared.seed
    rules = model._doubt_rules(
        model, targets_of(problem.data), weights_of(problem.data)
    )
    look = Looking(rules, model.network_, problem.data, seed, MOST)
    held_out = look(_some(problem.validation, seed))
    usual = held_out
    if left_out is not None:
        everyone = model._data(prepared.everyone)
        usual = _joined([held_out, *_left_out(rules, left_out, everyone, seed)])
    normal = fit_normalisation(usual.signals)
    told = _told(rules, held_out, normal)
    reason = f"it takes {FEWEST_ROWS} training rows, and there are {len(problem.data)}"
    doubt: Doubt | ClassDoubt | None = None
    if len(problem.data) >= FEWEST_ROWS:
        given, chosen = prepared.everyone.groups, prepared.chosen
        groups = given if given is None or chosen is None else given[~chosen]
        n_weights = model.network_.flat.shape[1]
        given_rows = problem, groups, n_weights, seed, prepared.folder
        pairs = [
            _rehearsed(model, rules, rehearsal, seed)
            for rehearsal in rehearsals(model, *given_rows)
        ]
        reason = (
            f"{len(pairs)} sets of rows can be rehearsed, and it takes {FEWEST_SETS}"
        )
        if len(pairs) >= FEWEST_SETS:
            known, unknown = zip(*pairs, strict=True)
            doubt = rules.learnt(([told], known, unknown))
    if doubt is None:
        doubt = rules.unlearnt(told.unfamiliar)
        warnings.warn(
            f"doubt was not learnt: {reason}. It has fixed numbers instead, and flags "
            "are as with it. Gather more rows, or set doubt=None.",
            stacklevel=3,
        )
    return Doubting(look.signalling, normal, doubt), usual


def targets_of(data: Data) -> Array:
    """Return targets as the network sees them, (rows, targets)."""
    return np.asarray(data.y.double().cpu().numpy())


def weights_of(data: Data) -> Array:
    """Return how much each row counts, (rows,)."""
    if data.weight is None:
        return np.ones(len(data))
    return np.asarray(data.weight.double().cpu().numpy())


def _some(data: Data, seed: int) -> Batch:
    """Return the rows, or some of very many."""
    return drawn(data, np.sort(reference_rows(len(data), seed, MOST_HELD_OUT)))


def _left_out(
    rules: DoubtRules, left_out: LeftOut, everyone: Data, seed: int
) -> list[Looked]:
    """Return what is known of each part by the members trained without it."""
    looked = []
    for network, part in zip(left_out.networks, left_out.parts, strict=True):
        kept = np.ones(len(everyone), dtype=bool)
        kept[part] = False
        look = Looking(rules, network, rows_of(everyone, kept), seed, MOST)
        looked.append(look(drawn(everyone, part)))
    return looked


def _joined(parts: Sequence[Looked]) -> Looked:
    return Looked(
        np.concatenate([part.outputs for part in parts], axis=1),
        joined_rows([part.signals for part in parts]),
        np.concatenate([part.targets for part in parts]),
        np.concatenate([part.weight for part in parts]),
    )


def _rehearsed(
    model: Any, rules: DoubtRules, rehearsal: Rehearsal, seed: int
) -> tuple[Told, Told]:
    """Return what a pair says of held-out rows, and of those it was trained without."""
    pair, rows = copy.copy(model), rehearsal.held_out
    pair.network_ = rehearsal.network
    outputs = seen_by(rehearsal.network, rows.x).outputs
    pair._learn_noise(outputs, targets_of(rows), weights_of(rows))
    own = rules.of(pair)
    most = REHEARSAL_REFERENCES
    look = Looking(own, rehearsal.network, rehearsal.trained, seed, most)
    usual = look(rows)
    normal = fit_normalisation(usual.signals)
    return _told(own, usual, normal), _told(own, look(rehearsal.left_out), normal)


def _told(rules: DoubtRules, rows: Looked, normal: Normalisation) -> Told:
    unfamiliar = normal.unfamiliar(rows.signals)
    return rules.told(rows.outputs, rows.targets, unfamiliar, rows.weight)
