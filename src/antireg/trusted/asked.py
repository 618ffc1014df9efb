"""What reports, monitors and reasons ask of a model, for gates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from antireg.estimators.answering import Answering
from antireg.familiarity.blame import Blame
from antireg.familiarity.joining import Signalling
from antireg.familiarity.signal import Reference
from antireg.rows.scaling import Scaling
from antireg.tables.columns import Column, Seen
from antireg.tables.encoder import Encoded
from antireg.tables.encoding import Encoding
from antireg.tables.explaining import Explaining
from antireg.training.provenance import TrainingData
from antireg.trusted.checks import check_rows_for
from antireg.trusted.frames import taken
from antireg.trusted.learning import Gate
from antireg.trusted.looking import Said

Array = NDArray[np.float64]

NEW_GAPS = "gaps where training had none"
"""Name of the column that counts them, of models that take gaps."""


@dataclass(frozen=True, eq=False)
class Entered(Encoded):
    """Rows of a gate: the numbers they are compared by, and as they were given.

    Attributes:
        given: As the estimator takes them.
    """

    given: Any = None

    def at(self, places: NDArray[np.intp]) -> Entered:
        """Return some of the rows."""
        values = self.values[places]
        return replace(self, values=values, given=taken(self.given, places))


class Asked(Answering):
    """Tells what a gate knows; columns are those that the last step is given."""

    estimator: Any
    gate_: Gate

    def entering(self, X: Any) -> Entered:
        """Return rows with the numbers they are compared by, in the user's units.

        Parameters
        ----------
        X : (rows, features), or what this returned
        """
        check_is_fitted(self)
        if isinstance(X, Entered):
            return X
        X, inputs = check_rows_for(self, self.estimator, X, reset=False), self._inputs
        scaled = inputs.numbers(inputs.entering(X))[:, self._order]
        values = self.scaling_.unscaled(scaled.astype(np.float64))
        return Entered(values, given=X)

    def said(self, X: Any) -> Said:
        """Return what is said of rows, and how unfamiliar they are."""
        check_is_fitted(self)
        given = isinstance(X, Entered)
        X = X.given if given else check_rows_for(self, self.estimator, X, reset=False)
        (answer, signals), normal = self.gate_.looking(X), self.gate_.normalisation
        return Said(answer, normal.unfamiliar(signals), normal.flag(signals))

    def score_of(self, said: Said) -> Array:
        """Return the score that `is_ood` compares with its threshold, (rows,)."""
        return said.score

    def weight_of(self, said: Said) -> Array:
        """Return the doubt of rows of which this was said, (rows,)."""
        return self.gate_.doubt.curve.weight(said.unfamiliar)

    def reasons_of(
        self, X: Array, words: Sequence[str] = (), top: int = 3
    ) -> list[list[str]]:
        """Return what is unusual about rows of `entering`, flagged or not."""
        return self.explaining()(X, words, top)

    def explaining(self) -> Explaining:
        """Return what finds the columns, and the words for them."""
        return self._explaining

    def columns(self) -> Encoding:
        """Return the columns that rows are compared by."""
        return self._explaining.encoding

    @property
    def doubt_(self) -> Gate:
        """What was learned: there is always doubt."""
        return self.gate_

    @property
    def scaling_(self) -> Scaling:
        """Of the numbers that rows are compared by."""
        own, order = self._inputs.scaling, self._order
        limit = None if own.limit is None else own.limit[order]
        return Scaling(own.shift[order], own.scale[order], limit)

    @property
    def training_data_(self) -> TrainingData:
        """What is known of the rows of training: the references."""
        return self._explaining.training

    @property
    def _inputs(self) -> Any:
        return self.gate_.looking.inputs

    @property
    def _order(self) -> NDArray[np.intp]:
        """Places of the numbers, those of a column side by side, (numbers,)."""
        owners = self._inputs.owners
        return np.argsort(np.where(owners < 0, len(owners), owners), kind="stable")

    @cached_property
    def _explaining(self) -> Explaining:
        looking, order = self.gate_.looking, self._order
        known = looking.signalling.reference
        inputs = np.asarray(known.inputs[:, order])
        training = TrainingData.of_references(inputs, self.scaling_)
        encoding = self._named(training)
        bare = Signalling(Reference(inputs, known.sensitivity[order]), {})
        blame = Blame.learned(bare, self.gate_.normalisation, encoding.owners)
        return Explaining(encoding, self.scaling_, training, blame)

    def _named(self, training: TrainingData) -> Encoding:
        """Return the columns, with the range of the references."""
        inputs = self._inputs
        if inputs.encoding is not None:
            columns = list(inputs.encoding.encoding_.columns)
        else:
            columns = [
                Column(name, "numeric", float(fill), place in inputs.gapped)
                for place, (name, fill) in enumerate(
                    zip(self._names(), inputs.fill, strict=True)
                )
            ]
        if inputs.owners[-1] < 0:
            columns.append(Column(NEW_GAPS, "numeric"))
        bare = Encoding(tuple(columns), "target", "numeric")
        assert training.low is not None and training.high is not None
        found = []
        for column, parts in zip(columns, bare.parts, strict=True):
            low, high = (end[parts[0][0]] for end in (training.low, training.high))
            seen = Seen(training.n_rows, float(low), float(high))
            of_words = column.kind == "categorical" or column.seen is not None
            found.append(column if of_words else replace(column, seen=seen))
        return replace(bare, columns=tuple(found))

    def _names(self) -> list[str]:
        """Return the names of the numbers that the last step is given."""
        inputs, count = self._inputs, len(self._inputs.fill)
        names = getattr(self, "feature_names_in_", None)
        if inputs.first:
            try:
                names = inputs.first[-1].get_feature_names_out()
            except (AttributeError, ValueError):  # not every step names its columns
                names = None
        if names is None or len(names) != count:
            return [f"x{place}" for place in range(count)]
        return [str(name) for name in names]
