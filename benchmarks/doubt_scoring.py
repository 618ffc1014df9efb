"""What doubt adds to the time of a prediction, beside the products it searches by.

    python -m benchmarks.doubt_scoring

adds what is missing to results/bench/doubt_scoring.csv: processor time of one core,
each question in turn with a prediction without doubt, the best of some turns.

"Products" are those of rows with references that a question needs, and nothing else:
for doubt by inputs, and by hidden units along 16 axes; for scores by inputs, again with
weights, and from 50 columns on by direction. They are made for all rows here; the
library spares some. `times_plain` of these is a prediction without doubt, and them.

The library keeps 2000 references for members of 100 units a layer, and 9,300 for those
of 256. Rows are normal, which is hard: in tables, the search by weighted inputs can be
spared for more rows, as neighbours by inputs are neighbours by weighted inputs.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from datetime import date
from unittest import mock

import numpy as np
import torch
from benchmarks.speed.keeping import RESULTS, processor, read, write
from benchmarks.speed.whole_fits import table

from antireg import EnsembleRegressor
from antireg.estimators import doubt_learning

N_TRAINED, N_ROWS, TURNS = 12_000, 8_192, 5
SMALL, LARGE = (100, 100, 100), (256, 256, 256)
CASES = (
    *((SMALL, n_columns, n) for n_columns in (10, 64) for n in (2_000, 10_000)),
    (LARGE, 64, 10_000),
)
"""Hidden units, columns and references."""


def fitted(
    hidden: tuple[int, ...], n_columns: int, n_references: int
) -> EnsembleRegressor:
    """Return a model with so many references; how well it predicts does not matter."""
    few, y = table(N_TRAINED, 0)
    x = np.random.default_rng(1).normal(size=(N_TRAINED, n_columns))
    x[:, : few.shape[1]] = few[:, :n_columns]
    with (
        warnings.catch_warnings(),
        mock.patch.object(doubt_learning, "affordable", lambda _: n_references),
    ):
        warnings.simplefilter("ignore")
        return EnsembleRegressor(hidden=hidden, steps=300, random_state=0).fit(x, y)


def products(model: EnsembleRegressor, x: np.ndarray) -> Callable[[bool], None]:
    """Return what multiplies rows with references, for doubt or for scores."""
    assert model.doubt_ is not None
    reference = model.doubt_.signalling.reference
    rows = torch.from_numpy(x.astype(np.float32))
    at_once = rows.split(max(1, 2**19 // len(reference.inputs)))
    found = torch.empty(len(at_once[0]), reference.by_inputs.turned.shape[1])
    of_doubt = [reference.by_inputs.turned, reference.by_hidden.turned]
    of_scores = [reference.by_inputs.turned, reference.by_effect.turned]
    if "direction" in model.doubt_.signalling.memories:
        of_scores.append(reference.by_direction.turned)

    def multiply(scores: bool) -> None:
        for some in at_once:
            for known in of_scores if scores else of_doubt:
                # As long as hidden units are along axes, inputs will do for them.
                few = some[:, : len(known)]
                torch.mm(few, known[: few.shape[1]], out=found[: len(some)])

    return multiply


def measured(
    hidden: tuple[int, ...], n_columns: int, n_references: int
) -> list[dict[str, object]]:
    """Return the time of each question, in microseconds a row."""
    model = fitted(hidden, n_columns, n_references)
    plain = EnsembleRegressor()
    plain.__dict__ = {**vars(model), "doubt_": None}
    x = np.random.default_rng(2).normal(size=(N_ROWS, n_columns))
    multiply = products(model, x)
    questions: dict[str, Callable[[], object]] = {
        "predict without doubt": lambda: plain.predict(x),
        "predict": lambda: model.predict(x),
        "doubt": lambda: model.predict_doubt(x),
        "is_ood": lambda: model.is_ood(x),
        "ood_score": lambda: model.ood_score(x),
        "said": lambda: model.said(x),
        "products for doubt": lambda: multiply(False),
        "products for scores": lambda: multiply(True),
    }
    best = dict.fromkeys(questions, np.inf)
    for _ in range(TURNS):
        for name, ask in questions.items():
            started = time.process_time()
            ask()
            best[name] = min(best[name], time.process_time() - started)
    least = best["predict without doubt"]
    return [
        {
            **{"hidden": hidden[0], "columns": n_columns, "references": n_references},
            **{"question": name, "microseconds": 1e6 * spent / N_ROWS},
            "times_plain": spent / least + name.startswith("products"),
        }
        for name, spent in best.items()
    ]


def main() -> None:
    """Measure the cases that are missing."""
    torch.set_num_threads(1)
    path = RESULTS / "doubt_scoring.csv"
    rows: list[dict[str, object]] = [*read(path)] if path.exists() else []
    # Rows with a commit beside them are of former code, kept to compare with.
    done = {
        (r["hidden"], r["columns"], r["references"]) for r in rows if not r.get("code")
    }
    for hidden, *sizes in CASES:
        if (str(hidden[0]), *map(str, sizes)) in done:
            continue
        where = {"date": date.today().isoformat(), "processor": processor()}
        load = {"load": round(os.getloadavg()[0], 1)}
        found = [row | where | load for row in measured(hidden, *sizes)]
        for row in found:
            print(*hidden, *sizes, row["question"], f"{row['times_plain']:.2f}")
        rows += found
        write(path, rows)


if __name__ == "__main__":
    main()
