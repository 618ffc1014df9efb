"""Finds validation rows that have near copies among the training rows.

Frames of a video, hours of a day or rows that were entered twice: if some are held out
at random, what is measured on them is too good, and only the user can say which rows
belong together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from antireg.advice import warn_user
from antireg.rows.data import Data, drawn

Array = NDArray[np.float32]
Rows = Callable[[NDArray[np.intp]], Array]

FEWEST_ROWS = 200
FEWEST_COLUMNS = 3
MANY_VALUES = 50
"""A column of more distinct values, among the rows compared with, is a continuous one.
With fewer than three such columns, rows may be alike by chance."""

MOST_ASKED = 200
COMPARED = 2000
BESIDE = 2
"""Rows before and after a row that are beside it."""

NEAR = 0.1
"""Near is less than this part of the median distance."""

TWIN = 0.001
"""A row is the same again if it is nearer than this part of the median distance, be it
beside or not. Of 20,000 rows in three columns the nearest is thirty times as far."""

MOST_SEARCHED = 20_000
"""Training rows among which the same row is looked for."""

SHARE, SHARE_AGAIN = 0.3, 0.4
"""Of validation rows. More of them may be there again: 28 % of UCI's wines are."""

ROUNDING = 1 + 1e-3


def warn_of_near_copies(
    validation: Rows, trained: Rows, held_out: NDArray[np.bool_], seed: int
) -> None:
    """Warn if `groups` would give honest numbers.

    Args:
        validation: Returns rows that were held out at random, by their places among
            these, (rows, columns).
        trained: The same of all others.
        held_out: Which rows, in the order of the user, are for validation, (rows,).
        seed: Of the rows that are looked at.
    """
    if len(held_out) < FEWEST_ROWS:
        return
    rng = np.random.default_rng([seed, 5])
    asked = rng.permutation(int(held_out.sum()))[:MOST_ASKED]
    searched = rng.permutation(int((~held_out).sum()))[:MOST_SEARCHED]
    rows, others = validation(asked), trained(searched[:COMPARED])
    n_continuous = sum(len(np.unique(column)) > MANY_VALUES for column in others.T)
    if n_continuous < FEWEST_COLUMNS:
        return
    places = np.flatnonzero(held_out)[asked]
    number = np.cumsum(~held_out) - 1
    away = _distances(rows, others)
    middle = np.median(away, axis=1)
    nearest = np.minimum(away.min(axis=1), NEAR * middle)
    again = away.min(axis=1) < TWIN * middle
    for first in range(COMPARED, len(searched), COMPARED):
        more = trained(searched[first : first + COMPARED])
        again |= _distances(rows, more).min(axis=1) < TWIN * middle
    alike = np.zeros(len(rows), dtype=bool)
    for step in (s for s in range(-BESIDE, BESIDE + 1) if s):
        beside = np.clip(places + step, 0, len(held_out) - 1)
        known = ~held_out[beside]
        next_to = trained(number[beside[known]])
        apart = np.linalg.norm(rows[known] - next_to, axis=1)
        alike[known] |= apart <= nearest[known] * ROUNDING
    if alike.mean() >= SHARE or again.mean() >= SHARE_AGAIN:
        warn_user(
            "many rows are nearly alike, so validation rows have near copies among the "
            "training rows, and what is measured on them is too good. "
            "Name the groups of rows, such as the day or the camera of each, to hold "
            "out whole groups: groups= of fit, or --groups COLUMN. Drop rows that "
            "repeat.",
        )


def values_of(data: Data) -> Rows:
    """Return what returns rows as the network sees them, (rows, columns)."""
    return lambda places: np.asarray(drawn(data, places).x.cpu().numpy())


def _distances(rows: Array, others: Array) -> Array:
    """Return how far each row is from each of the others, (rows, others)."""
    middle = others.mean(axis=0)  # far from 0, squares would lose what differs
    rows, others = rows - middle, others - middle
    squares = np.square(rows).sum(1)[:, None] + np.square(others).sum(1)
    return np.asarray(np.sqrt(np.maximum(squares - 2 * rows @ others.T, 0)))
