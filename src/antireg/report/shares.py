"""A share of rows, how sure it is, and whether chance explains it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

VAGUE = 0.15
"""An interval of a share that is wider than this is said with it."""


@dataclass(frozen=True)
class Share:
    """A share of some rows.

    Attributes:
        count: Rows that count.
        rows: All of them.
        low: Lower end of its 95 % interval (Clopper and Pearson).
        high: Upper end.
    """

    count: int
    rows: int
    low: float
    high: float

    @classmethod
    def of(cls, which: NDArray[np.bool_]) -> Share:
        """Return the share of rows that are true, (rows,)."""
        count, rows = int(np.sum(which)), len(which)
        low = stats.beta.ppf(0.025, count, rows - count + 1) if count else 0.0
        high = stats.beta.ppf(0.975, count + 1, rows - count) if count < rows else 1.0
        return cls(count, rows, float(low), float(high))

    @property
    def value(self) -> float:
        """From 0 to 1; NaN without rows."""
        return self.count / self.rows if self.rows else math.nan

    def __str__(self) -> str:
        """Return it in percent, with its interval if that is wide."""
        text = percent(self.value)
        if self.high - self.low <= VAGUE:
            return text
        between = f"{percent(self.low)} and {percent(self.high)}"
        return f"{text} (95 % sure: between {between})"


def chance_of_more(share: Share, usual: float, n_held_out: int) -> float:
    """Return the probability that familiar rows have so high a count, or a higher one.

    What is usual was set by a quantile of n validation rows, so the share of new rows
    is itself uncertain, with a beta distribution of mean α: the count among them is
    beta-binomial with  a = (n + 1) α  and  b = (n + 1)(1 − α).
    """
    if not share.rows:
        return 1.0
    a = (n_held_out + 1) * usual
    chance = stats.betabinom.sf(share.count - 1, share.rows, a, n_held_out + 1 - a)
    return float(chance)


def chance_of_fewer(share: Share, usual: float, n_held_out: int) -> float:
    """Return the probability of so low a count, or a lower one."""
    others = replace(share, count=share.rows - share.count)
    return chance_of_more(others, 1 - usual, n_held_out)


def percent(share: float) -> str:
    """Return a share in percent with two digits: 43 %, 3.2 %, 0.04 %."""
    value = 100 * share
    if 0 < value < 10:
        return f"{float(f'{value:.2g}'):g} %"
    if 99 < value < 100:
        return f"{min(value, 99.9):.1f} %"
    return f"{value:.0f} %"
