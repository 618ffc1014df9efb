"""
A CSV, without writing code
===========================

The commands ``antireg fit``, ``predict`` and ``evaluate`` take files as they are. Here
they are called from Python; in a terminal, type ``antireg`` before each line.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_diabetes

from antireg.cli import main

folder = Path(tempfile.mkdtemp())
table = load_diabetes(as_frame=True, scaled=False).frame
table.iloc[:400].to_csv(folder / "train.csv", index=False)
new = table.iloc[400:].copy()
new.iloc[0, new.columns.get_loc("bmi")] = -999.0  # a cell that was never filled in
new.to_csv(folder / "new.csv", index=False)

# %%
settings = "--target target --random-state 0 --quiet"
main(f"fit {folder}/train.csv --out {folder}/model {settings}".split())
main(f"predict {folder}/model {folder}/new.csv --out {folder}/s.csv --quiet".split())

# %%
# The exit code 0 says that all went well. Every row has a mean, an interval, a score
# and a flag, and every flag its reason.

print((folder / "s.csv").read_text()[:600])

# %%
said = pd.read_csv(folder / "s.csv")
strange = said.index[said["flag"].astype(bool)]
plt.vlines(said.index, said["low"], said["high"], alpha=0.4, label="90 % interval")
plt.plot(said.index, said["mean"], ".", label="mean")
plt.plot(strange, said["mean"][strange], "rx", label="flagged")
plt.title("what is said of each new row")
plt.xlabel("row")
plt.legend()
plt.show()
