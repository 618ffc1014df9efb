"""Why rows are unfamiliar: their most telling columns, each in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.blame import Blame
from antireg.familiarity.pairs import unseen_partners
from antireg.predictive.values import Array
from antireg.rows.scaling import Scaling
from antireg.tables import wording
from antireg.tables.columns import Column
from antireg.tables.encoding import Encoding
from antireg.tables.reasons import SCORE, outside_range, surprise, surprise_of_columns
from antireg.training.provenance import TrainingData

LEAST_SHARE = 0.25
"""A column is named if its blame is at least this share of the first one's."""

RARE = float(np.log(100))
"""Score of a value that is unusual by itself: one reference in a hundred is so."""

MOST_PARTNERS = 3
"""Columns that the first is looked for together with: those blamed next to it."""

FAR = 9.0
"""The same where there are no references: three standard deviations from the mean."""


@dataclass(frozen=True, eq=False)
class Explaining:
    """Finds the columns that make rows unfamiliar, and the words for it.

    Attributes:
        encoding: Which features are of which column, and the words for them.
        scaling: Of the inputs.
        training: What is known of the training rows.
        blame: By the references of a model with doubt; without, the columns farthest
            from their mean are named.
        exact: Whether these references are training rows, so that one may say what
            none of them has.
    """

    encoding: Encoding
    scaling: Scaling
    training: TrainingData
    blame: Blame | None
    exact: bool = True

    def __call__(
        self, X: Array, words: Sequence[str] = (), top: int = 3
    ) -> list[list[str]]:
        """Return why rows are unfamiliar, the most telling reason first, (rows,).

        Args:
            X: In the user's units, (rows, features).
            words: What training never had in each row, "" if nothing, (rows,).
            top: Reasons for each row at most.
        """
        if not len(X):
            return []
        inputs = self.scaling.scaled(X).astype(np.float32)  # as the network saw them
        strengths, rare = self.strengths(inputs)
        new = [_parts(word) for word in words] or [[] for _ in X]
        beyond = outside_range(self.encoding, X)
        order = np.argsort(-strengths, axis=1, kind="stable")
        chosen = self._chosen(strengths, order, new, top)
        partners = self._partners(inputs, chosen, order, rare, beyond)
        found = []
        for row, columns in enumerate(chosen):
            outside = {word.column: word for word in beyond.get(row, [])}
            reasons = [
                outside.pop(index, "")
                or self._word(X[row], index, bool(rare[row, index]), partners[row])
                for index in columns
            ]
            others = outside.values()
            found.append([*new[row], *reasons, *others][:top] or [SCORE])
        return found

    def strengths(self, inputs: NDArray[np.float32]) -> tuple[Array, NDArray[np.bool_]]:
        """Return how much each column tells, and which values are rare.

        Args:
            inputs: As the network sees them, (rows, features).

        Returns:
            Both (rows, columns).
        """
        if self.blame is not None:
            blame, rarity = self.blame(inputs)
            return blame, rarity >= RARE
        terms = surprise(self.training, inputs.astype(np.float64))
        terms = surprise_of_columns(terms, self.encoding)
        return np.where(terms > FAR, terms, 0.0), terms > FAR

    def _chosen(
        self,
        strengths: Array,
        order: NDArray[np.intp],
        new: Sequence[Sequence[str]],
        top: int,
    ) -> list[list[int]]:
        """Return the columns to name for each row, the most telling first."""
        order = order[:, :top]
        ranked = np.take_along_axis(strengths, order, axis=1)
        enough = (ranked > 0) & (ranked >= LEAST_SHARE * ranked[:, :1])
        # What training never had is said already, and tells enough.
        enough &= ~np.array([bool(words) for words in new])[:, None]
        return [row[mask].tolist() for row, mask in zip(order, enough, strict=True)]

    def _partners(
        self,
        inputs: NDArray[np.float32],
        chosen: Sequence[Sequence[int]],
        order: NDArray[np.intp],
        rare: NDArray[np.bool_],
        beyond: dict[int, list[wording.About]],
    ) -> NDArray[np.intp]:
        """Return the column that the first one was never seen with, −1 if none."""
        partners = np.full(len(inputs), -1)
        if self.blame is None or not self.exact:
            return partners
        plain = [
            row
            for row, columns in enumerate(chosen)
            if columns and row not in beyond and not rare[row, columns[0]]
        ]
        # Without either of a pair that never was, a row is familiar: both are blamed.
        pairs = order[plain, : 1 + MOST_PARTNERS]
        partners[plain] = unseen_partners(
            inputs[plain], pairs, self.blame.references, self.blame.owners
        )
        return partners

    def _word(self, x: Array, index: int, rare: bool, partner: int) -> wording.About:
        """Return what is unusual about one column of a row."""
        return wording.About.of(self._text(x, index, rare, partner), index)

    def _text(self, x: Array, index: int, rare: bool, partner: int) -> str:
        column, features = self.encoding.columns[index], self._features(x, index)
        gap = column.missing and column.kind != "categorical" and bool(features[-1])
        if not gap and (outside := column.outside(float(features[0]))):
            return outside
        said = column.said(features)
        if not rare and partner >= 0 and self.blame is not None:
            other = self.encoding.columns[partner].said(self._features(x, partner))
            return wording.never_together(said, other, len(self.blame.references))
        if not rare:
            return wording.beside_others(said)
        if gap or column.kind in ("categorical", "boolean"):
            return wording.rare(said)
        if self.blame is None:
            side = column.side(bool(features[0] > column.fill))
            return wording.far(said, side, column.shown(column.fill))
        return self._lonely(column, said, float(features[0]), index)

    def _lonely(self, column: Column, said: str, value: float, index: int) -> str:
        """Return that a number or date is where hardly any other is."""
        assert self.blame is not None
        j = self.encoding.parts[index][0][0]
        scale, shift = self.scaling.scale[j], self.scaling.shift[j]
        known = self.blame.memory["values"][:, j] * scale + shift
        place = int(np.searchsorted(known, value))
        between = 0 < place < len(known) and known[place] > value > known[place - 1]
        if not between or not self.exact or column.kind != "numeric":
            return wording.few_near(said)
        ends = column.shown(known[place - 1]), column.shown(known[place])
        return wording.in_a_gap(said, len(known), *ends)

    def _features(self, x: Array, index: int) -> Array:
        parts = self.encoding.parts[index]
        return x[parts[0][0] : parts[-1][-1] + 1]


def _parts(word: str) -> list[str]:
    """Return the reasons that the words of a row are made of, perhaps none."""
    if isinstance(word, wording.About):
        return word.reasons()
    return word.split("; ") if word else []
