"""A few sentences that say how far a model can be trusted on some rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from antireg.report.evaluation import COVERAGE, Evaluation
from antireg.report.shares import Share, chance_of_fewer, chance_of_more, percent

DOUBTED = 0.5
"""Doubt above which an answer is more "I do not know" than the members' own."""

RARE = 0.01
"""A count that familiar rows reach less often than this is a sign of a shift."""

FEW = 30
"""Fewer rows are counted instead of giving a share."""

FEWEST = 5
"""Rows of which a share is worth saying."""

CHANGED = (
    "That is too few on rows that look familiar: either their targets have changed, "
    "which no score on inputs can notice, or the score misses a shift."
)

TOO_FEW = (
    "That is fewer than it should be. The few rows that the model was calibrated by "
    "could explain it: fit on more rows, or judge it by more."
)

HOLD = "Their intervals cover as often as they should."
RIGHT = "Their labels are right as often as the model expects."

NO_CHANCE = 10**9
"""Scores of validation rows that would leave nothing to chance."""

UNSEEN = (
    "No score on inputs can notice that the same inputs now have other targets: prices "
    "that rise, a sensor of the target that is replaced, labels that are given by "
    "another rule. Only new targets show that."
)
"""What nothing here can see."""


@dataclass(frozen=True)
class Verdict:
    """How far a model can be trusted on some rows.

    Attributes:
        text: The sentences; names are between backticks.
        flagged: Rows unlike the training data.
        usual: The share of familiar rows that are flagged.
        shifted: Whether more are flagged than familiar rows would explain.
        right_flagged: Flagged rows whose target is in its interval or whose label is
            right; None without targets.
        right_others: The same of the other rows.
        doubted: Rows with doubt above one half; None without doubt.
        column: The column that most of the rows not to be trusted have as their first
            reason, "" if none.
        column_share: The share of these rows that do.
    """

    text: str
    flagged: Share
    usual: float
    shifted: bool
    right_flagged: Share | None
    right_others: Share | None
    doubted: Share | None
    column: str
    column_share: float

    def __html__(self) -> str:
        """Return the sentences for a page."""
        parts = self.text.replace(" %", "\u00a0%").split("`")
        return "".join(
            Markup("<code>{}</code>").format(part) if k % 2 else escape(part)
            for k, part in enumerate(parts)
        )


def verdict(
    found: Evaluation,
    usual: float,
    n_held_out: int,
    first_column: Callable[[NDArray[np.intp]], tuple[str, float]],
) -> Verdict:
    """Return what was found in words.

    Args:
        found: What was measured on the rows.
        usual: The share of familiar rows that are flagged.
        n_held_out: How many scores the threshold of the flag was found by.
        first_column: From indices of rows to the column that makes most of them
            unfamiliar, and the share of them that it does.
    """
    flagged = Share.of(found.flags)
    shifted = chance_of_more(flagged, usual, n_held_out) < RARE
    doubted = None if found.doubt is None else Share.of(found.doubt > DOUBTED)
    by_doubt = doubted is not None and _tells(doubted, flagged, shifted)
    chosen = (
        found.doubt > DOUBTED if by_doubt and found.doubt is not None else found.flags
    )
    column, share = first_column(np.flatnonzero(chosen)) if chosen.any() else ("", 0.0)
    said, sound = [_unlike(flagged, usual, shifted)], not shifted
    right: tuple[Share | None, Share | None] = (None, None)
    if found.right is None:
        said.append("Without targets, nothing says how wrong the answers are.")
    else:
        them, others = (Share.of(found.right[w]) for w in (found.flags, ~found.flags))
        right = them, others
        said.append(_on_them(found, them, others))
        expected = _expected(found, ~found.flags)
        if chance_of_fewer(others, expected, n_held_out) < RARE:
            said.append(CHANGED)
            sound = False
        elif chance_of_fewer(others, expected, NO_CHANCE) < RARE:
            said.append(TOO_FEW)
            sound = False
    if chosen.any():
        which = f"rows where `doubt` > {DOUBTED}" if by_doubt else "the flagged rows"
        distrusted, count = by_doubt or shifted, int(chosen.sum())
        verb = "Do not trust" if distrusted else "Look at"
        said.append(f"{verb} {which}: n = {count:,}, {because(column, share)}.")
        if distrusted and _holds(found, chosen):
            said.append(HOLD if found.coverage is not None else RIGHT)
    if sound and not by_doubt:
        said.append("Nothing else here speaks against the model.")
    return Verdict(
        " ".join(said), flagged, usual, shifted, *right, doubted, column, share
    )


def _tells(doubted: Share, flagged: Share, shifted: bool) -> bool:
    """Return whether doubt, rather than the flag, says which rows not to trust.

    It does not if most flagged rows of a shift have little of it.
    """
    return doubted.count > 0 and (not shifted or 2 * doubted.count >= flagged.count)


def _holds(found: Evaluation, rows: NDArray[np.bool_]) -> bool:
    """Return whether answers on these rows are right as often as they should be."""
    if found.right is None or rows.sum() < FEW:
        return False
    return bool(found.right[rows].mean() >= _expected(found, rows))


def because(column: str, share: float) -> str:
    """Return why rows are unfamiliar: a column, if it is the reason of many."""
    if share > 0.5:
        return f"mostly because of `{quoted(column)}`"
    if share > 0.2:
        return f"most often because of `{quoted(column)}` ({percent(share)})"
    return "because of no single column"


def quoted(name: str) -> str:
    """Return a name that may stand between backticks."""
    return name.replace("`", "'")


def _unlike(flagged: Share, usual: float, shifted: bool) -> str:
    rows = f"{flagged.rows:,} rows" if flagged.rows != 1 else "row"
    if not flagged.count:
        if flagged.rows == 1:
            return "This row is not unlike the training data."
        more = f" With so few, up to {percent(flagged.high)} of such rows may be."
        text = f"None of these {rows} is unlike the training data."
        return text + (more if flagged.high > usual else "")
    if flagged.rows == 1:
        return "This row is unlike the training data."
    few = flagged.rows < FEW
    are = "is" if few and flagged.count == 1 else "are"
    some = f"{flagged.count if few else flagged} of these {rows} {are}"
    if shifted:
        return f"{some} unlike the training data; {percent(usual)} is usual."
    if flagged.value > usual:
        why = f"which chance can explain: {percent(usual)} is usual"
    else:
        why = f"no more than the {percent(usual)} that is usual"
    return f"{some} flagged as unlike the training data, {why}."


def _on_them(found: Evaluation, flagged: Share, others: Share) -> str:
    """Return how right the model is on flagged rows, and on the others."""
    told = {"on them": (found.flags, flagged), "on the others": (~found.flags, others)}
    if not flagged.rows:
        told = {"here": told["on the others"]}
    said: list[str] = []
    few = ""
    for where, (rows, right) in told.items():
        if right.rows >= FEWEST:
            said.append(f"{where} {_rightness(found, rows, right, bool(said))}")
        elif right.rows:
            rows_are = "One row is" if right.rows == 1 else f"{right.rows} are"
            few = f" {rows_are} too few to say how right it is {where}."
    first = ", ".join(said)
    return f"{first[:1].upper()}{first[1:]}{'.' if said else ''}{few}".strip()


def _rightness(
    found: Evaluation, rows: NDArray[np.bool_], right: Share, again: bool
) -> str:
    expected = percent(_expected(found, rows))
    if found.coverage is not None:
        return (
            f"{right}"
            if again
            else f"intervals that should cover {expected} cover {right}"
        )
    if again:
        return f"{right} (it expects {expected})"
    return f"{right} of labels are right (the model expects {expected})"


def _expected(found: Evaluation, rows: NDArray[np.bool_]) -> float:
    """Return the share of right answers that the model itself expects."""
    if found.coverage is not None or not rows.any():
        return COVERAGE
    return float(1 - found.uncertainty[rows].mean())
