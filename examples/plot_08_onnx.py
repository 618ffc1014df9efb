"""
ONNX: flags without PyTorch
===========================

One graph goes from raw columns to mean, interval, score, doubt and flag.
"""

import tempfile
from pathlib import Path

import numpy as np
import onnxruntime

from antireg import EnsembleRegressor, export

rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (400, 2))
y = np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=400)
model = EnsembleRegressor(random_state=0).fit(X, y)

path = Path(tempfile.mkdtemp()) / "model.onnx"
export.to_onnx(model, path)
session = onnxruntime.InferenceSession(path)

# %%
# The input has all columns of a row side by side.

(given,) = session.get_inputs()
rows = np.array([[0.1, 0.2], [5.0, 5.0]], dtype=np.float32)
names = [output.name for output in session.get_outputs()]
for name, values in zip(names, session.run(None, {given.name: rows}), strict=True):
    print(name, np.round(values.astype(float), 3).tolist())
