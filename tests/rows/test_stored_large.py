"""A table of 20 GB is trained on in less than 3 GB, in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.systems import LINUX

SCRIPT = """
import resource, warnings
import numpy as np
from antireg import EnsembleRegressor
warnings.simplefilter("ignore")
X = np.memmap({path!r}, np.float64, "w+", shape=(1_250_000, 2_000))
rng = np.random.default_rng(0)
some = np.sort(rng.choice(len(X), 2_000, replace=False))
X[some] = rng.normal(size=(len(some), X.shape[1]))  # all others are holes in the file
y = np.zeros(len(X))
y[some] = X[some, 0]
model = EnsembleRegressor("deep_ensemble", n_members=2, hidden=(8,), epochs=1,
                          batch_size=4096, validation_fraction=0.02, random_state=0)
model.fit(X, y)
model.predict(X[some])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


@LINUX
@pytest.mark.slow
def test_a_table_of_20_gb_is_trained_on_in_less_than_3_gb(tmp_path: Path) -> None:
    path = tmp_path / "X.bin"
    script = SCRIPT.format(path=str(path))
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert path.stat().st_size == 20_000_000_000
    assert path.stat().st_blocks * 512 < 200_000_000
    assert float(done.stdout) < 3.0
