"""
ONNX: flags without PyTorch
===========================

One graph goes from raw columns to mean, interval, score, doubt and flag.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
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

# %%
# Along the first column, beyond what was seen:

line = np.zeros((300, 2), dtype=np.float32)
line[:, 0] = np.linspace(-4, 4, 300)
mean, low, high = session.run(["mean", "low", "high"], {given.name: line})
plt.fill_between(
    line[:, 0], low.ravel(), high.ravel(), alpha=0.3, label="90 % interval"
)
plt.plot(line[:, 0], mean.ravel(), label="mean")
plt.title("what the graph says along the first column")
plt.legend()
plt.show()

# %%
# A process that only runs the graph does not load PyTorch, nor antireg.

program = """
import sys
import numpy as np
import onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1])
(given,) = session.get_inputs()
rows = np.array([[0.1, 0.2], [5.0, 5.0]], dtype=np.float32)
print("flags", *session.run(["flag"], {given.name: rows})[0])
print("torch" in sys.modules, "antireg" in sys.modules)
"""
command = [sys.executable, "-c", program, str(path)]
print(
    said := subprocess.run(command, capture_output=True, check=True, text=True).stdout
)
assert said.endswith("False False\n")
