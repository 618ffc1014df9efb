"""ONNX beside PyTorch: how near the numbers are and how long both take.

    python benchmarks/onnx_speed.py

Prints one JSON object. Both give mean, std, interval, score and flag of the same rows,
in turns and on one thread; times are the best of ten.
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

from antireg import EnsembleRegressor, export
from antireg.scoring import ood_limit, score_rows

N_ROWS = 10_000


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
        model = EnsembleRegressor(random_state=0).fit(X, np.sin(2 * X[:, 0]) + X[:, 1])
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        export.to_onnx(model, path)
        session = onnxruntime.InferenceSession(path, options)
    distance = np.repeat([1, 3, 30, 1000], N_ROWS // 4)[:, None]
    rows = (rng.normal(size=(N_ROWS, 8)) * distance).astype(np.float32)
    limit = ood_limit(model)
    names = [value.name for value in session.get_outputs()]
    found = dict(zip(names, session.run(None, {"X": rows}), strict=True))
    ours = score_rows(model, rows, coverage=0.9, limit=limit)
    both, few, predict = best(
        lambda: score_rows(model, rows, coverage=0.9, limit=limit),
        lambda: session.run(None, {"X": rows}),
        lambda: model.predict(rows, return_std=True),
    )
    flags = found.pop("flag") != ours.pop("flag")
    errors = {
        name: float(np.max(np.abs(found[name] / ours[name] - 1))) for name in found
    }
    print(
        json.dumps(
            {
                "rows": N_ROWS,
                "largest_relative_error": errors,
                "flags_that_differ": int(flags.sum()),
                "seconds_pytorch": round(both, 4),
                "seconds_onnx": round(few, 4),
                "ratio": round(few / both, 2),
                "seconds_pytorch_mean_and_std_only": round(predict, 4),
            }
        )
    )


if __name__ == "__main__":
    main()
