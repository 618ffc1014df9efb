"""ONNX beside PyTorch: how near the numbers are and how long both take.

    python benchmarks/onnx_speed.py

Prints one JSON object for each coverage. Both give mean, std, interval, score and flag
of the same rows, in turns and on one thread; times are the best of ten. With a coverage
of 0.8 the cdf of five members may be flat at the ends of the interval: where these
differ, the error of the level tells whether both are right.
"""

import json
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import torch

from antireg import EnsembleRegressor
from antireg.onnx import export
from antireg.tables.scoring import score_rows

N_ROWS = 10_000
COVERAGES = (0.9, 0.8)


def best(*runs: Callable[[], Any]) -> list[float]:
    """Return the shortest time of each, run in turns."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(10):
        for kept, run in zip(times, runs, strict=True):
            started = time.perf_counter()
            run()
            kept.append(time.perf_counter() - started)
    return [min(kept) for kept in times]


def main() -> None:
    """Measure."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = EnsembleRegressor(doubt=None, random_state=0).fit(
            X, np.sin(2 * X[:, 0]) + X[:, 1]
        )
    distance = np.repeat([1, 3, 30, 1000], N_ROWS // 4)[:, None]
    rows = (rng.normal(size=(N_ROWS, 8)) * distance).astype(np.float32)
    for coverage in COVERAGES:
        print(json.dumps(compare(model, rows, coverage)))


def compare(model: EnsembleRegressor, rows: Any, coverage: float) -> dict[str, Any]:
    """Return errors and times of these rows."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        export.to_onnx(model, path, coverage=coverage)
        session = onnxruntime.InferenceSession(path, options)
    names = [value.name for value in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"X": rows}), strict=True))
    ours = score_rows(model, rows, coverage)
    both, few, predict = best(
        lambda: score_rows(model, rows, coverage),
        lambda: session.run(None, {"X": rows}),
        lambda: model.predict(rows, return_std=True),
    )
    flags = found.pop("flag") != model.detector().flag(ours["ood_score"])
    errors = {name: np.abs(found[name] / ours[name] - 1) for name in found}
    mixture = model.predictive(rows)
    levels = {"low": (1 - coverage) / 2, "high": (1 + coverage) / 2}
    apart = {
        name: np.abs(mixture.cdf(found[name][:, None])[:, 0] - level)[
            errors[name] > 1e-4
        ]
        for name, level in levels.items()
    }
    return {
        "rows": N_ROWS,
        "coverage": coverage,
        "largest_relative_error": {k: float(e.max()) for k, e in errors.items()},
        "ends_off_by_more_than_1e-4": {k: len(e) for k, e in apart.items()},
        "largest_level_error_of_these": {
            k: float(e.max(initial=0.0)) for k, e in apart.items()
        },
        "flags_that_differ": int(flags.sum()),
        "seconds_pytorch": round(both, 4),
        "seconds_onnx": round(few, 4),
        "ratio": round(few / both, 2),
        "seconds_pytorch_mean_and_std_only": round(predict, 4),
    }


if __name__ == "__main__":
    main()
