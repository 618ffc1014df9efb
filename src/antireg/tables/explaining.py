"""Why rows are unfamiliar: their most telling columns, each in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antireg.familiarity.blame import Blame
from antireg.predictive.values import Array
from antireg.rows.scaling import Scaling
from antireg.tables import wording
from antireg.tables.columns import Column
from antireg.tables.encoding import Encoding
from antireg.tables.reasons import SCORE, outside_range, surprise, surprise_of_columns
from antireg.training.provenance import TrainingData

Places = NDArray[np.intp]

LEAST_SHARE = 0.25
"""A column is named if its blame is at least this share of the first one's."""

RARE = float(np.log(100))
"""Score of a value that is unusual by itself: one reference in a hundred is so."""

FAR = 9.0
"""The same where there are no references: three standard deviations from the mean."""

MOST_PARTNERS = 3
"""Columns that the first is looked for together with: those blamed next to it."""


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
        new = {row: _parts(word) for row, word in enumerate(words) if word}
        # What training never had is said already, and tells enough.
        strengths[list(new)] = 0
        order = np.argsort(-strengths, axis=1, kind="stable")
        beyond = outside_range(self.encoding, X)
        chosen = _chosen(strengths, order[:, :top])
        partners = self._partners(inputs, chosen, order, rare, beyond)
        named = _joined(chosen, partners, beyond)[:, :top]
        found = self._said(X, named, rare, partners)
        for row, parts in new.items():
            found[row] = [*parts, *found[row]][:top]
        return [reasons or [SCORE] for reasons in found]

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

    def _partners(
        self,
        inputs: NDArray[np.float32],
        chosen: Places,
        order: Places,
        rare: NDArray[np.bool_],
        beyond: Places,
    ) -> Places:
        """Return the column that the first one was never seen with, −1 if none."""
        partners = np.full(len(inputs), -1)
        if self.blame is None or not self.exact or not chosen.shape[1]:
            return partners
        first = chosen[:, 0]
        plain = (first >= 0) & ~(beyond >= 0).any(axis=1)
        plain &= ~rare[np.arange(len(rare)), first]
        # Without either of a pair that never was, a row is familiar: both are blamed.
        pairs = order[plain, : 1 + MOST_PARTNERS]
        partners[plain] = self.blame.pairs.unseen_partners(inputs[plain], pairs)
        return partners

    def _said(
        self, X: Array, named: Places, rare: NDArray[np.bool_], partners: Places
    ) -> list[list[str]]:
        """Return what is unusual about the columns that are named in each row.

        They are taken column by column: it is quicker than row by row.
        """
        texts = np.full(named.shape, "", dtype=object)
        for index in np.unique(named[named >= 0]).tolist():
            rows, slots = np.nonzero(named == index)
            with_it = np.where(slots == 0, partners[rows], -1)
            words = self._words(X[rows], index, rare[rows, index], with_it)
            texts[rows, slots] = words
        counts = (named >= 0).sum(axis=1).tolist()
        return [row[:count] for row, count in zip(texts.tolist(), counts, strict=True)]

    def _words(
        self, X: Array, index: int, rare: NDArray[np.bool_], partners: Places
    ) -> list[wording.About]:
        """Return what is unusual about one column of some rows, (rows,)."""
        column, features = self.encoding.columns[index], self._features(X, index)
        said = column.said(features)
        texts = [wording.beside_others(one) for one in said]
        side = np.where(column.gaps(features), 0, column.outside_by(features[:, 0]))
        for row in np.flatnonzero(side).tolist():
            texts[row] = f"{said[row]}: {column.beyond(side[row] > 0)}"
        alone = np.flatnonzero(rare & (side == 0)).tolist()
        lonely = self._rare(index, features[alone], [said[row] for row in alone])
        for row, text in zip(alone, lonely, strict=True):
            texts[row] = text
        for row in np.flatnonzero((partners >= 0) & ~rare & (side == 0)).tolist():
            texts[row] = self._never_together(said[row], X[row], int(partners[row]))
        return [wording.About.of(text, index) for text in texts]

    def _never_together(self, said: str, x: Array, partner: int) -> str:
        """Return that a value is usual, and that of its partner too."""
        assert self.blame is not None
        (other,) = self.encoding.columns[partner].said(self._features(x[None], partner))
        return wording.never_together(said, other, len(self.blame.references))

    def _rare(self, index: int, features: Array, said: Sequence[str]) -> list[str]:
        """Return that values of a column are unusual by themselves, (rows,).

        Args:
            index: Of the column.
            features: Of that column, (rows, features).
            said: Column and value, (rows,).
        """
        column = self.encoding.columns[index]
        if not said or column.kind in ("categorical", "boolean"):
            return [wording.rare(one) for one in said]
        if self.blame is None:
            mean, larger = column.shown(column.fill), features[:, 0] > column.fill
            sides = [column.side(more) for more in larger.tolist()]
            pairs = zip(said, sides, strict=True)
            texts = [wording.far(one, side, mean) for one, side in pairs]
        else:
            known = self._known(self.encoding.parts[index][0][0])
            texts = [
                self._lonely(column, one, value, known)
                for one, value in zip(said, features[:, 0].tolist(), strict=True)
            ]
        for row in np.flatnonzero(column.gaps(features)).tolist():
            texts[row] = wording.rare(said[row])
        return texts

    def _known(self, feature: int) -> Array:
        """Return the values that references have, in the user's units, ascending."""
        assert self.blame is not None
        scale, shift = self.scaling.scale[feature], self.scaling.shift[feature]
        return np.asarray(self.blame.memory["values"][:, feature] * scale + shift)

    def _lonely(self, column: Column, said: str, value: float, known: Array) -> str:
        """Return that a number or date is where hardly any other is."""
        place = int(np.searchsorted(known, value))
        between = 0 < place < len(known) and known[place] > value > known[place - 1]
        if not between or not self.exact or column.kind != "numeric":
            return wording.few_near(said)
        ends = column.shown(known[place - 1]), column.shown(known[place])
        return wording.in_a_gap(said, len(known), *ends)

    def _features(self, X: Array, index: int) -> Array:
        """Return the features of one column, (rows, features)."""
        parts = self.encoding.parts[index]
        return X[:, parts[0][0] : parts[-1][-1] + 1]


def _chosen(strengths: Array, order: Places) -> Places:
    """Return the columns to name for each row, the most telling first, −1 if none.

    Args:
        strengths: How much each column tells, (rows, columns).
        order: The columns that tell most, (rows, top).
    """
    ranked = np.take_along_axis(strengths, order, axis=1)
    enough = (ranked > 0) & (ranked >= LEAST_SHARE * ranked[:, :1])
    return np.where(enough, order, -1)


def _joined(chosen: Places, partners: Places, beyond: Places) -> Places:
    """Return the columns to name, then those outside their range, each once.

    A partner is named with the first of the chosen, and not again. Columns that are
    none, −1, come last.
    """
    chosen = np.where(chosen == partners[:, None], -1, chosen)
    twice = (beyond[:, :, None] == chosen[:, None, :]).any(axis=2)
    both = np.concatenate([chosen, np.where(twice, -1, beyond)], axis=1)
    order = np.argsort(both < 0, axis=1, kind="stable")
    return np.take_along_axis(both, order, axis=1)


def _parts(word: str) -> list[str]:
    """Return the reasons that the words of a row are made of, perhaps none."""
    if isinstance(word, wording.About):
        return word.reasons()
    return word.split("; ") if word else []
