"""Combines all signals, after making them comparable by validation rows."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from antireg.familiarity import SIGNALS
from antireg.familiarity.neighbours import Array
from antireg.familiarity.signal import Memory, Reference, Seen

Signals = dict[str, Array]
"""By name, (rows,) each."""

TAIL = math.log(20) / math.log(5)
"""(97.5 % quantile − median) / (90 % quantile − median) of an exponential tail."""

AGREEMENT = 4.0
"""How much the agreement of a signal with the entropy counts: see docs/choices.md."""

LARGEST = 1e9
"""Scores are clipped here, so that they are finite for any row."""


@dataclass(frozen=True, eq=False)
class Signalling:
    """Computes the signals of rows.

    Attributes:
        reference: The rows to compare with.
        memories: What each signal remembers of them, by name of the signal.
    """

    reference: Reference
    memories: dict[str, Memory]

    @classmethod
    def learned(
        cls,
        reference: Reference,
        *,
        for_doubt: bool = False,
        uncertainty: bool = True,
        classes: bool = False,
    ) -> Signalling:
        """Return all signals that these references allow.

        Args:
            reference: The rows to compare with.
            for_doubt: Whether only those of doubt are wanted, not those of the flag.
            uncertainty: Whether the members say how uncertain they are themselves.
            classes: Whether they tell classes.
        """
        names = [
            name
            for name in usable_signals(
                reference, uncertainty=uncertainty, classes=classes
            )
            if SIGNALS[name].for_doubt or not for_doubt
        ]
        memories = {name: SIGNALS[name].init(reference) for name in names}
        return cls(reference, memories)

    def __call__(self, rows: Seen) -> Signals:
        """Return every signal of the rows; higher is less familiar."""
        return {
            name: SIGNALS[name].score(rows, self.reference, memory)
            for name, memory in self.memories.items()
        }

    def above(
        self,
        rows: Seen,
        normal: Normalisation,
        names: Collection[str],
        least_sum: float = 0.0,
    ) -> Signals:
        """Return some of the signals, exact only as far as they count.

        A signal up to its median may be any number up to it. And if the sum of what is
        above medians is at most `least_sum`, it may be any sum up to that.

        Args:
            rows: As the members see them.
            normal: Of the signals.
            names: Which.
            least_sum: The least sum that counts.
        """
        found: Signals = {}
        for name in sorted(names, key=lambda name: SIGNALS[name].asks_last):
            least: float | Array = normal.middle[name]
            if len(found) == len(names) - 1:  # all others are known
                room = least_sum - normal.summed(found, found)
                scale = normal.scale[name] / SIGNALS[name].weight
                least = least + scale * np.maximum(room, 0)
            signal, memory = SIGNALS[name], self.memories[name]
            found[name] = signal.score_above(rows, self.reference, memory, least)
        return found


def usable_signals(
    reference: Reference, *, uncertainty: bool = True, classes: bool = False
) -> list[str]:
    """Return the names of the signals that these references allow.

    Args:
        reference: The rows to compare with.
        uncertainty: Whether the members say how uncertain they are themselves.
        classes: Whether the members tell classes.
    """
    return [
        name
        for name, signal in SIGNALS.items()
        if signal.usable(reference)
        and (uncertainty or not signal.needs_uncertainty)
        and (classes or not signal.only_classes)
    ]


@dataclass(frozen=True)
class Normalisation:
    """The median and the scale of each signal on validation rows.

    Attributes:
        middle: Median of each signal.
        scale: The 90 % quantile minus the median. If the tail is heavier than
            exponential, the same by the 97.5 % quantile, so that a signal with a heavy
            tail does not drown out the others. It is divided by the `agreement`.
    """

    middle: dict[str, float]
    scale: dict[str, float]

    def flag(self, signals: Signals) -> Array:
        """Return the sum of what is above the median, over the flag's signals."""
        return self.summed(signals, self.flag_names())

    def unfamiliar(self, signals: Signals) -> Array:
        """Return the mean of what is above the median, over the doubt's signals."""
        return np.asarray(np.mean(self._positive(signals, self.doubt_names()), axis=0))

    def summed(self, signals: Signals, names: Collection[str]) -> Array:
        """Return the weighted sum of what is above the median, (rows,)."""
        above = zip(names, self._positive(signals, names), strict=True)
        return np.asarray(np.sum([SIGNALS[k].weight * s for k, s in above], axis=0))

    def flag_names(self) -> list[str]:
        """Return the signals that count for the flag."""
        return [name for name in self.middle if SIGNALS[name].for_flag]

    def doubt_names(self) -> list[str]:
        """Return the signals that count for doubt."""
        return [name for name in self.middle if SIGNALS[name].for_doubt]

    def _positive(self, signals: Signals, names: Iterable[str]) -> list[Array]:
        """Return  max((s − median) / scale, 0)  of each, (rows,).

        What is not a number, as numbers of a spoiled file can make it, is unfamiliar.
        """
        above = [
            (signals[name] - self.middle[name]) / self.scale[name] for name in names
        ]
        return [np.maximum(np.fmin(s, LARGEST), 0) for s in above]


def fit_normalisation(held_out: Signals) -> Normalisation:
    """Return the median and scale of each signal.

    Args:
        held_out: Signals of validation rows, by the same members.
    """
    middles, scales = {}, {}
    agreed = agreement(held_out)
    for name, values in held_out.items():
        middle, high, higher = np.quantile(values, [0.5, 0.9, 0.975])
        least = SIGNALS[name].least_scale
        middles[name] = float(middle)
        scale = max(high - middle, (higher - middle) / TAIL, least)
        scales[name] = float(scale) / agreed.get(name, 1.0)
    return Normalisation(middles, scales)


def agreement(held_out: Signals) -> dict[str, float]:
    """Return the weight of each signal that counts by its agreement with the entropy.

    Which distances tell what a classifier does not know differs between pixels and
    features of a network, but is seen on validation rows: where the classifier is less
    certain of far rows, distance is worth more. The weight is exp(4 ρ), with the rank
    correlation ρ of the signal and the entropy, divided by the mean of these weights.
    Elsewhere than on pixels and features it is 1, as nothing else was measured.

    Args:
        held_out: Signals of validation rows.
    """
    if not {"direction", "entropy"} <= held_out.keys():
        return {}
    names = [name for name in held_out if SIGNALS[name].by_agreement]
    entropy = held_out["entropy"]
    correlations = np.array(
        [_rank_correlation(held_out[name], entropy) for name in names]
    )
    weights = np.exp(AGREEMENT * correlations)
    return dict(zip(names, (weights / weights.mean()).tolist(), strict=True))


def _rank_correlation(x: Array, y: Array) -> float:
    """Return Spearman's ρ; 0 if one of them does not vary."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(spearmanr(x, y).statistic)


def joined_rows(parts: Iterable[Signals]) -> Signals:
    """Return the signals of several sets of rows as one set."""
    listed = list(parts)
    return {name: np.concatenate([part[name] for part in listed]) for name in listed[0]}
