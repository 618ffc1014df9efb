"""What `MaxWEnt` should reward, and whether one network is enough for it.

    python -m benchmarks.rewards

adds what is missing to results/choices/rewards.csv, on the development tasks of
`benchmarks/water_filling.py`: fits that reward log φ, as the method does by default, or
φ itself, as the authors' code does, and 50 draws around one network.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import torch
from benchmarks.appended import append, done
from benchmarks.water_filling import FIELDS, TASKS, measured

from antireg import DeepEnsemble, MaxWEnt

RESULTS = Path(__file__).parent.parent / "results" / "choices" / "rewards.csv"
CASES = [(task, seed) for task in ("concrete", "energy", "kin8nm") for seed in (0, 1)]
CASES += [("weather", 0)]
VARIANTS = {
    "deep ensemble": (DeepEnsemble(), {}),
    "log": (MaxWEnt(), {}),
    "mean": (MaxWEnt(reward="mean"), {}),
    "log, one network": (MaxWEnt(draws=50), {"n_members": 1}),
}


def main() -> None:
    """Run what is missing."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    known = done(RESULTS, FIELDS[:3])
    for task, seed in CASES:
        load, estimator, settings, loss = TASKS[task]
        split = load(seed)
        rows = split.train.x, split.train.y
        held_out = split.validation.x, split.validation.y
        for name, (method, more) in VARIANTS.items():
            if (task, str(seed), name) in known:
                continue
            model = estimator(method, loss=loss, random_state=seed, **settings | more)
            started = time.process_time()
            model.fit(*rows, validation_data=held_out)
            seconds = time.process_time() - started
            found = [("cpu_seconds", seconds), *measured(model, split)]
            measures = (
                (task, seed, name, metric, f"{value:.6g}") for metric, value in found
            )
            append(RESULTS, FIELDS, measures)
            print(task, seed, name, flush=True)


if __name__ == "__main__":
    main()
