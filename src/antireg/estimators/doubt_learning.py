"""Learns doubt after a fit, from validation rows and from rehearsals."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from antireg.advice import warn_user
from antireg.estimators.doubt_rules import DoubtRules
from antireg.estimators.doubting import PROTOTYPES, Doubting, doubt_setting
from antireg.estimators.left_out import LeftOut
from antireg.estimators.members import Prepared
from antireg.estimators.observed import Observed, joined
from antireg.estimators.rehearsing import Rehearsal, rehearsals
from antireg.familiarity.columns import MOST_VALUES
from antireg.familiarity.doubt import ClassDoubt, Doubt
from antireg.familiarity.fitting import Evidence
from antireg.familiarity.joining import Signalling, fit_normalisation
from antireg.familiarity.line import MOST_ROWS as MOST_LINE_ROWS
from antireg.familiarity.prototypes import pooled_values, prototypes
from antireg.familiarity.references import (
    affordable,
    most_references,
    reference_rows,
)
from antireg.familiarity.regions import (
    FEWEST_ROWS,
    FEWEST_SETS,
    REHEARSAL_REFERENCES,
)
from antireg.familiarity.signal import Reference, Seen
from antireg.networks import Centred
from antireg.networks.inference import seen_by
from antireg.networks.sensitivity import sensitivity
from antireg.predictive.intervals import Shifts
from antireg.rows.data import Batch, Data, drawn, rows_of, targets_of, weights_of

Array = NDArray[np.float64]
Numbers = NDArray[np.float32]

MOST_HELD_OUT = 4000
"""Most validation rows that tell what is usual."""

MOST_CLUSTERED = 20_000
"""Rows that prototypes are found by."""

SENSED = 500
"""Most references that tell which inputs matter."""


class Learned(NamedTuple):
    """What `learn_doubt` returns.

    Attributes:
        doubting: The doubt of the model.
        usual: Rows that tell what is usual.
        shifts: Answers to doubted rows of each rehearsed set; none if there were too
            few to learn from, or of classes.
    """

    doubting: Doubting
    usual: Observed
    shifts: Shifts = ()


class Observer:
    """Computes outputs and signals of rows, for some members and their references.

    Args:
        rules: Of their model.
        network: The members, perhaps with a centre.
        trained: Rows they were trained on.
        seed: Of the choice of references.
        brief: Whether it is for a rehearsal: few references, the signals of doubt.
    """

    def __init__(
        self,
        rules: DoubtRules,
        network: Centred,
        trained: Data,
        seed: int,
        brief: bool = False,
    ) -> None:
        """Learn the signals."""
        self.rules, self.network = rules, network
        n_weights = network.members.flat.numel()
        most = REHEARSAL_REFERENCES if brief else affordable(n_weights)
        most = min(most, most_references(network.members, trained.x.shape[1]))
        values: Numbers | None = None
        if doubt_setting(rules.model) == PROTOTYPES:
            kept, values = _pooled(trained, most, seed)
        else:
            kept = drawn(trained, reference_rows(len(trained), seed, most)).x
        part = seen_by(network, kept)
        moved = sensitivity(network.members, kept[:SENSED], rules.answers)
        reference = Reference(part.inputs, moved, part.hidden, values)
        self.signalling = Signalling.learned(
            reference, for_doubt=brief, classes=rules.tells_classes
        )
        self.line = None
        if rules.lined:
            places = reference_rows(len(trained), seed, MOST_LINE_ROWS)
            self.line = rules.line(drawn(trained, places))

    def __call__(self, rows: Batch) -> Observed:
        """Return the outputs and the signals of rows."""
        part = seen_by(self.network, rows.x)
        uncertainty = self.rules.uncertainty(part.outputs)
        signals = self.signalling(Seen(part.inputs, uncertainty, part.hidden))
        said = None if self.line is None else self.line.said(part.inputs)
        told = targets_of(rows), weights_of(rows)
        return Observed(part.outputs, signals, *told, said)

    def with_line(self, doubt: Doubt | ClassDoubt) -> Doubt | ClassDoubt:
        """Return doubt that falls back on the line, if there is one."""
        return replace(doubt, line=self.line) if isinstance(doubt, Doubt) else doubt


def _pooled(trained: Data, most: int, seed: int) -> tuple[Tensor, Numbers]:
    """Return means of rows near each other, and means of values of each column."""
    places = reference_rows(len(trained), seed, MOST_CLUSTERED)
    rows = drawn(trained, places).x.cpu().numpy()
    centres = prototypes(rows, most, seed)
    values = pooled_values(rows, min(len(centres), MOST_VALUES))
    return torch.from_numpy(centres), values


def learn_doubt(model: Any, prepared: Prepared, left_out: LeftOut | None) -> Learned:
    """Return the doubt of a fitted model, and what it was learned from.

    Args:
        model: Fitted, and calibrated except for doubt.
        prepared: The rows it was fitted with.
        left_out: From trainings without some of the rows, if there were any.
    """
    problem, seed = prepared.problem, prepared.seed
    rules = model._doubt_rules.of_rows(model, problem.data)
    look = Observer(rules, model.speakers_, problem.data, seed)
    held_out = look(_some(problem.validation, seed))
    usual = held_out
    if left_out is not None:
        everyone = model._data(prepared.everyone)
        usual = joined([held_out, *_left_out(rules, left_out, everyone, seed)])
    normal = fit_normalisation(usual.signals)
    told = rules.evidence(held_out, normal.unfamiliar(held_out.signals))
    shifts: Shifts = ()
    if pairs := _rehearsed(model, rules, prepared):
        known, unknown = zip(*pairs, strict=True)
        doubt = look.with_line(rules.learned([told], known, unknown))
        shifts = rules.shifts(doubt, unknown)
    else:
        doubt = look.with_line(rules.default(told.unfamiliar))
    return Learned(Doubting(look.signalling, normal, doubt), usual, shifts)


def _some(data: Data, seed: int) -> Batch:
    """Return the rows, or some of them if there are very many."""
    return drawn(data, np.sort(reference_rows(len(data), seed, MOST_HELD_OUT)))


def _left_out(
    rules: DoubtRules, left_out: LeftOut, everyone: Data, seed: int
) -> list[Observed]:
    """Return each part as seen by the members trained without it."""
    looked = []
    for network, part in zip(left_out.networks, left_out.parts, strict=True):
        kept = np.ones(len(everyone), dtype=bool)
        kept[part] = False
        look = Observer(rules, network, rows_of(everyone, kept), seed)
        looked.append(look(drawn(everyone, part)))
    return looked


def _rehearsed(
    model: Any, rules: DoubtRules, prepared: Prepared
) -> list[tuple[Evidence, Evidence]]:
    """Return the answers of each pair to validation rows, and to those it never saw.

    The list is empty, and a warning says why, if they are too few to learn from.
    """
    problem, seed, pairs = prepared.problem, prepared.seed, []
    reason = f"it takes {FEWEST_ROWS} training rows, and there are {len(problem.data)}"
    if len(problem.data) >= FEWEST_ROWS:
        groups, chosen = prepared.everyone.groups, prepared.chosen
        if groups is not None and chosen is not None:
            groups = groups[~chosen]
        pairs = [
            _answers(model, rules, rehearsal, seed)
            for rehearsal in rehearsals(
                model, problem, groups, model.network_, seed, prepared.folder
            )
        ]
        reason = (
            f"{len(pairs)} sets of rows can be rehearsed, and it takes {FEWEST_SETS}"
        )
    if len(pairs) < FEWEST_SETS:
        warn_user(
            f"doubt was not learned: {reason}. Default numbers are used instead; flags "
            "are not affected. Gather more rows, or set doubt=None.",
        )
        return []
    return pairs


def _answers(
    model: Any, rules: DoubtRules, rehearsal: Rehearsal, seed: int
) -> tuple[Evidence, Evidence]:
    """Return a pair's answers to validation rows, and to the rows it never saw."""
    pair, rows = copy.copy(model), rehearsal.held_out
    pair.network_, pair.centre_ = rehearsal.network, None
    outputs = seen_by(rehearsal.network, rows.x).outputs
    pair._learn_noise(outputs, targets_of(rows), weights_of(rows))
    own = rules.of(pair)
    look = Observer(own, pair.speakers_, rehearsal.trained, seed, brief=True)
    usual = look(rows)
    normal = fit_normalisation(usual.signals)
    known, unknown = (
        own.evidence(seen, normal.unfamiliar(seen.signals))
        for seen in (usual, look(rehearsal.left_out))
    )
    return known, unknown
