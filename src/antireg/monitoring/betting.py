"""A bet against "nothing has changed": what it wins is the evidence of drift.

One starts with 1 and bets on the next p-value. If p-values are uniform, no bet wins on
average, so the money reaches 1/α with probability α at most, at any time and however
often one looks (Ville's inequality).

Nobody knows when drift begins. So a little of the money is put on every bet f_k before
each row, and most is kept for later:

    C_k ← (C_k + w_t / K) · f_k(p_t),    evidence = R_t + Σ_k C_k

with  R_t = 1 / (1 + log(1 + t / 10))  kept after t rows, and  w_t = R_{t−1} − R_t.  A
drift that begins after 100,000 rows has to win a factor of about e¹⁶ more than one that
begins at once: some tens of rows if it is clear.

References:
    Vovk et al., "Retrain or not retrain: conformal test martingales for change-point
    detection", COPA 2021. Ramdas et al., "Game-theoretic statistics and safe anytime-
    valid inference", Statistical Science 2023.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from antireg.predictive.values import Array

TAIL = 0.2
"""P-values above this are all one to the bets. Where tables are small, the scores that
rows are compared with come from members that were trained without parts of the rows.
These scores are right where they are high, as the threshold of the flag needs them, and
off by more than chance around their middle."""

BETS = (
    (0.22, 0.15),
    (0.3, 1.0),
    (0.3, 0.3),
    (0.5, 1.0),
    (0.5, 0.5),
    (0.9, 1.0),
    (0.9, 0.5),
)
"""The share q of rows that each bet expects in the tail, and the power κ by which they
crowd at its end."""

N_BETS = len(BETS)
SOON = 10.0
LEAST = 1e-30
MOST = 1e300
"""Capital is cut here: nobody needs more evidence."""


def factors(p: Array) -> Array:
    """Return what each bet multiplies its capital by, (rows, bets): 1 on average.

    It is  q / T · κ (p / T)^(κ − 1)  in the tail, p ≤ T, and  (1 − q) / (1 − T)
    elsewhere.

    Args:
        p: P-values, (rows,).
    """
    share, power = np.array(BETS).T
    within = np.clip(p / TAIL, LEAST, 1.0)[:, None]
    inside = share / TAIL * power * within ** (power - 1)
    found: Array = np.where((p <= TAIL)[:, None], inside, (1 - share) / (1 - TAIL))
    return found


def kept(n_rows: int) -> float:
    """Return the share of the money that is kept for drift after these rows."""
    return 1 / (1 + math.log1p(n_rows / SOON))


class Bets:
    """The money on each bet after some rows.

    Args:
        n_rows: Rows bet on so far.
        capital: Money on each bet, (bets,).
        gain: Log of what each bet has won since `since`, (bets,).
        since: The row, from 1, at which a drift would have begun, (bets,).
    """

    def __init__(
        self,
        n_rows: int = 0,
        capital: Sequence[float] | None = None,
        gain: Sequence[float] | None = None,
        since: Sequence[int] | None = None,
    ) -> None:
        """Start, or resume."""
        self.n_rows = n_rows
        self.capital = np.zeros(N_BETS) if capital is None else np.array(capital, float)
        self.gain = np.zeros(N_BETS) if gain is None else np.array(gain, float)
        self.since = np.ones(N_BETS, np.int64) if since is None else np.array(since)

    @property
    def evidence(self) -> float:
        """All the money: 1 at the start, 1/α for an alarm at level α."""
        return float(min(kept(self.n_rows) + self.capital.sum(), MOST))

    @property
    def best(self) -> int:
        """The bet with the most money."""
        return int(self.capital.argmax())

    def add(self, multiplied: Array) -> NDArray[np.bool_]:
        """Settle the bets on one row; return for which drift may begin with the next.

        That is so while a bet has won nothing, as in Page's CUSUM test, (bets,).

        Args:
            multiplied: What each bet is multiplied by, (bets,).
        """
        put = (kept(self.n_rows) - kept(self.n_rows + 1)) / N_BETS
        self.n_rows += 1
        with np.errstate(over="ignore"):  # infinity is more than the most, too
            self.capital = np.minimum((self.capital + put) * multiplied, MOST)
        self.gain = np.maximum(self.gain + np.log(multiplied), 0.0)
        nothing: NDArray[np.bool_] = self.gain == 0
        self.since[nothing] = self.n_rows + 1
        return nothing
