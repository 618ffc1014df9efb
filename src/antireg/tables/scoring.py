"""Scores pieces of a table on all processors, in order and in bounded memory.

One thread reads, several score, and the caller's writes the results: with enough
processors, the time is that of reading or of writing, whichever takes longer.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from antireg.familiarity.detection import Detector
from antireg.networks.threads import one_thread_each
from antireg.predictive.values import Array
from antireg.tables import Encoding
from antireg.tables.notation import BadCell
from antireg.tables.pieces import Piece
from antireg.tables.reasons import outside_period
from antireg.tables.wording import joined

Given = TypeVar("Given")
Made = TypeVar("Made")

MOST_WORKERS = 8
"""More would fill memory with pieces faster than they can be read and written."""


class Scorer(Protocol):
    """A fitted model of one target, as far as scoring goes."""

    def said(self, X: Any) -> Any:
        """Return what its members say of rows."""

    def named_values(self, said: Any, coverage: float) -> dict[str, NDArray[Any]]:
        """Return the columns of a results table, (rows,) each."""

    def score_of(self, said: Any) -> Array:
        """Return how unfamiliar rows are, (rows,)."""

    @property
    def doubt_(self) -> Any:
        """What it has learned for doubt, or None."""

    def weight_of(self, said: Any) -> Array:
        """Return how much of each answer is "I do not know", (rows,)."""

    def reasons_of(self, X: Array, words: Sequence[str]) -> list[list[str]]:
        """Return what is unusual about rows."""


class ScoredPiece(NamedTuple):
    """Some rows of the result.

    Attributes:
        rows: What to write.
        n_flagged: How many of them are flagged.
        share: Of the file done.
        start: Rows of the file before these.
        bad: Cells that could not be read.
        outside_period: Rows before or after those of training, by column of dates.
    """

    rows: pa.RecordBatch
    n_flagged: int
    share: float
    start: int = 0
    bad: tuple[BadCell, ...] = ()
    outside_period: Mapping[str, int] = MappingProxyType({})


def score_pieces(
    model: Scorer,
    encoding: Encoding,
    pieces: Iterable[Piece],
    detector: Detector,
    *,
    coverage: float,
    kept: Sequence[str] = (),
) -> Iterator[ScoredPiece]:
    """Yield what the model says of each piece, with a reason for every flag.

    A number outside the range of training does not flag a row by itself, but is named
    as a reason if it is flagged.

    Args:
        model: Fitted, of one target.
        encoding: How the table becomes its inputs.
        pieces: From `stream_table`.
        detector: What decides which rows are flagged.
        coverage: Of the interval.
        kept: Names of the columns that the pieces keep.
    """

    def score(piece: Piece) -> ScoredPiece:
        X, words = encoding.encode(piece.rows, piece.bad)
        values = score_rows(model, X, coverage)
        values["flag"] = detector.flag(values["ood_score"], words)
        rows = np.flatnonzero(values["flag"])
        reasons = np.full(len(X), "", dtype=object)
        said = [words[row] for row in rows]
        reasons[rows] = [joined(why) for why in model.reasons_of(X[rows], said)]
        values["reason"] = reasons
        _check_kept(kept, values)
        copied = {name: piece.kept.column(name) for name in kept}
        scored = pa.record_batch(copied | values)
        return ScoredPiece(
            *(scored, len(rows), piece.share, piece.start, piece.bad),
            outside_period(encoding, X),
        )

    return _in_order(score, _ahead(pieces))


def score_rows(model: Scorer, X: Array, coverage: float) -> dict[str, NDArray[Any]]:
    """Return what a model of one target says of rows, from one pass, (rows,) each."""
    said = model.said(X)
    found = model.named_values(said, coverage) | {"ood_score": model.score_of(said)}
    return found if model.doubt_ is None else found | {"doubt": model.weight_of(said)}


def _ahead(given: Iterable[Given]) -> Iterator[Given]:
    """Yield the same things, each fetched in another thread while the last is used."""
    things, end = iter(given), object()
    with ThreadPoolExecutor(1) as reader:
        following: Future[Any] = reader.submit(next, things, end)
        while (thing := following.result()) is not end:
            following = reader.submit(next, things, end)
            yield thing


def _in_order(make: Callable[[Given], Made], given: Iterable[Given]) -> Iterator[Made]:
    """Yield what `make` returns for each thing, working on a few at a time."""
    # One thread per piece: PyTorch's other threads would idle in NumPy's part.
    workers = min(os.cpu_count() or 1, MOST_WORKERS)
    with one_thread_each(workers) as pool:
        waiting: deque[Future[Made]] = deque()
        for thing in given:
            waiting.append(pool.submit(make, thing))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _check_kept(kept: Iterable[str], values: Iterable[str]) -> None:
    taken = set(kept) & set(values)
    if taken:
        raise ValueError(
            f"--keep must not name columns that predict writes, got {sorted(taken)}. "
            "Rename them in the table, or leave them out."
        )
