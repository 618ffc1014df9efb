"""What is learned of trained networks: references, doubt, intervals, a threshold."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antireg.estimators.doubt_learning import SENSED, Learned
from antireg.estimators.doubting import Doubting
from antireg.estimators.observed import Observed
from antireg.familiarity.joining import fit_normalisation
from antireg.familiarity.references import reference_rows
from antireg.trained.comparing import (
    Comparing,
    Viewed,
    most_kept,
    signals_among,
    with_known_noise,
)
from antireg.trained.reading import Reading, Rows

Array = NDArray[np.float64]


def learn(
    reading: Reading,
    rows: Viewed,
    targets: Array,
    weight: Array | None,
    reference: Rows | None,
    seed: int,
) -> Comparing:
    """Calibrate a reader, and return how rows are compared.

    Args:
        reading: The networks, and a reader that knows the noise.
        rows: For validation.
        targets: Of them, as the reader encodes them, (rows, targets).
        weight: How much each counts, (rows,).
        reference: Rows to compare with; None to compare those with each other.
        seed: Of all choices.
    """
    among = rows
    if reference is not None:
        most = most_kept(reference[:1].size)
        among = reading(reference[reference_rows(len(reference), seed, most)])
    some = among.X[reference_rows(len(among.X), seed, SENSED)]

    def learned(known: Viewed) -> Comparing:
        moved = partial(reading.moved, some)
        classes = reading.reader.kind == "classifier"
        n_weights = reading.modules.n_weights
        return Comparing.learned(known, moved, n_weights, seed, classes)

    comparing = learned(among)
    if reference is None:
        signals = signals_among(rows, learned, seed)
    else:
        signals = comparing(rows)
    weights = np.ones(len(targets)) if weight is None else weight
    observed = Observed(rows.outputs, signals, targets, weights)
    _calibrate(reading.reader, comparing, observed)
    return comparing


def _calibrate(reader: Any, comparing: Comparing, rows: Observed) -> None:
    """Learn doubt, intervals and the threshold of flags from validation rows."""
    normal = fit_normalisation(rows.signals)
    unfamiliar = normal.unfamiliar(rows.signals)
    rules = reader._doubt_rules(reader, rows.targets, rows.weight)
    told = rules.evidence(rows, unfamiliar)
    doubt = with_known_noise(rules.default(unfamiliar), told)
    doubting = Doubting(comparing.signalling, normal, doubt)
    reader._calibrate_doubt(Learned(doubting, rows))
