"""Watches a stream of rows without targets, and says when it is no longer familiar."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antireg.estimators.reasoning import check_is_asked
from antireg.monitoring import state
from antireg.monitoring.betting import Bets, factors
from antireg.monitoring.blocks import blocks
from antireg.monitoring.naming import Naming
from antireg.monitoring.ranks import Ranks, keys_of
from antireg.predictive.values import Array
from antireg.tables.encoder import Encoded


@dataclass(frozen=True)
class Alarm:
    """When drift was found.

    Attributes:
        row: The row at which the evidence sufficed, counted from 1.
        since: The row at which the drift seems to have begun.
        columns: The columns that make most rows unfamiliar since then; none if only
            their combination is unusual.
    """

    row: int
    since: int
    columns: tuple[str, ...]


class Monitor:
    """Notices when rows are no longer like those of training, without targets.

    Each row gets a conformal p-value: how unusual its OOD score is among those of the
    validation rows and of the rows before it. The evidence is what a bet against
    uniform p-values has won. For rows of the training distribution it ever reaches
    1/`level` with a probability of `level` at most, however often one looks.

    That holds if familiar rows are exchangeable: rows that come in series, such as
    frames of one camera, are drift to it if training had them from everywhere.

    Parameters
    ----------
    model : EnsembleRegressor, EnsembleClassifier, or a gate around any other model
        Fitted.
    level : float, default=0.01
        Probability of a false alarm over the whole stream.
    random_state : int, default=0
        Decides between equal scores.

    Examples
    --------
    >>> import numpy as np
    >>> from antireg import EnsembleRegressor, Monitor
    >>> rows = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> model = EnsembleRegressor(steps=100, random_state=0)
    >>> monitor = Monitor(model.fit(rows[:300], rows[:300, 0]))
    >>> p_values = monitor.update(rows[300:])
    >>> monitor.alarm is None
    True
    >>> p_values = monitor.update(rows[300:] + [0, 9])
    >>> monitor.alarm.columns
    ('x1',)
    """

    def __init__(
        self,
        model: Any,
        *,
        level: float = 0.01,
        random_state: int = 0,
    ) -> None:
        """Begin with the scores of the model's validation rows."""
        check_is_asked(model, "monitored")
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1, got {level}. Try 0.01.")
        self.level = level
        self.random_state = random_state
        self.alarm: Alarm | None = None
        self.model = model
        self._flagged = int(keys_of(np.array([model.ood_threshold()]))[0]) + 1
        self._ranks = Ranks.of(keys_of(model.held_out_scores_))
        self._bets = Bets()
        self._naming = Naming(model)

    @property
    def n_rows(self) -> int:
        """Rows seen so far."""
        return self._bets.n_rows

    @property
    def evidence(self) -> float:
        """What the bet has made of 1; an alarm is at 1/`level`."""
        return self._bets.evidence

    def update(self, X: Any) -> Array:
        """Add rows, in their order, and return their p-values, (rows,).

        One call for many rows is the same as one for each, to the bit.

        Parameters
        ----------
        X : (rows, features)
            One row or more. A row of a table with something that training never had
            counts as just flagged, if its score is lower.
        """
        entered = self.model.entering(X)
        words, rows = entered.words, np.asarray(entered.values[:], dtype=np.float64)
        keys = keys_of(self._scores(replace(entered, values=rows)))
        strange = np.array([word != "" for word in words], dtype=bool)
        if len(strange):
            keys = np.where(strange, np.maximum(keys, self._flagged), keys)
        both = zip(keys.tolist(), self._shares(len(rows)).tolist(), strict=True)
        values = np.array([self._ranks.p_value(key, share) for key, share in both])
        places = self._naming.places(rows, words, values)
        for place, multiplied in zip(places, factors(values), strict=True):
            self._naming.add(place, self._bets.add(multiplied))
            if self.alarm is None and self.evidence >= 1 / self.level:
                self.alarm = self._alarm()
        return values

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the state to a JSON file, whole or not at all."""
        alarm = self.alarm
        found = state.State(
            model=_fingerprint(self.model),
            level=self.level,
            random_state=self.random_state,
            rows=self.n_rows,
            capital=self._bets.capital.tolist(),
            gain=self._bets.gain.tolist(),
            since=self._bets.since.tolist(),
            named=self._naming.counts.ravel().tolist(),
            keys=self._ranks.keys,
            counts=self._ranks.counts.tolist(),
            alarm=None if alarm is None else [alarm.row, alarm.since, *alarm.columns],
        )
        state.write(found, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], model: Any) -> Monitor:
        """Return the monitor that `save` wrote, to be resumed with the same model.

        Parameters
        ----------
        path : the file
        model : EnsembleRegressor, EnsembleClassifier, or a gate around any other model
            The one that was monitored, or that one saved and loaded.
        """
        found = state.read(path)
        monitor = cls(model, level=found.level, random_state=found.random_state)
        if found.model != _fingerprint(model):
            raise ValueError(
                f"{os.fspath(path)!r} must be of the same model, got that of another. "
                "Start a new state for a new model."
            )
        shape = monitor._naming.counts.shape
        if len(found.named) != shape[0] * shape[1]:
            raise state.damaged(path, "named must have a count for each column")
        monitor._bets = Bets(found.rows, found.capital, found.gain, found.since)
        monitor._naming.counts = np.array(found.named).reshape(shape)
        monitor._ranks = Ranks(found.keys, np.array(found.counts, np.int64))
        if found.alarm is not None:
            row, since, *columns = found.alarm
            if set(columns) - set(monitor._naming.names):
                raise state.damaged(path, "alarm must name columns of the model")
            monitor.alarm = Alarm(row, since, tuple(columns))
        return monitor

    def _alarm(self) -> Alarm:
        best = self._bets.best
        since = min(int(self._bets.since[best]), self.n_rows)
        return Alarm(self.n_rows, since, self._naming.columns(best))

    def _scores(self, rows: Encoded) -> Array:
        """Return the score of each row, whatever rows are beside it, (rows,)."""
        n_rows = len(rows.values)
        found = [self.model.ood_score(rows.at(k)) for k in blocks(n_rows)]
        return np.concatenate(found)[:n_rows]

    def _shares(self, n_rows: int) -> Array:
        """Return a number above 0, up to 1, for each of the next rows, (rows,)."""
        source = np.random.PCG64(self.random_state)
        source.advance(self.n_rows)  # one number was drawn for each row before
        return 1 - np.random.Generator(source).random(n_rows)


def _fingerprint(model: Any) -> str:
    """Return what tells one fitted model from another."""
    network = getattr(model, "network_", None)  # a gate has none of its own
    known = _learned(model) if network is None else network.flat.detach().cpu()
    weights, rows = np.asarray(known), model.training_data_.fingerprint.encode()
    return hashlib.sha256(rows + np.ascontiguousarray(weights).tobytes()).hexdigest()


def _learned(model: Any) -> Array:
    """Return numbers of a gate that a saved one has to the bit, (numbers,)."""
    normal, curve = model.doubt_.normalisation, model.doubt_.doubt.curve
    scales = [normal.scale[name] for name in normal.middle]
    shape = [curve.a, curve.b, curve.start, curve.end]
    return np.array([*normal.middle.values(), *scales, *shape], dtype=np.float64)
