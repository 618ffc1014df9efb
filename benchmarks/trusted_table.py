"""Print the table of docs/trusted.md from results/choices/trusted.csv."""

from __future__ import annotations

import pandas as pd

from trusted import RESULTS

PAIRS = {
    "NLL in: plain, gate": [("plain", "nll_in"), ("gate", "nll_in")],
    "NLL out: plain, constant, gate": [
        ("plain", "nll_out"),
        ("constant", "nll_out"),
        ("gate", "nll_out"),
    ],
    "ECE out: plain, gate": [("plain", "ece_out"), ("gate", "ece_out")],
    "90 % covered in, out": [("gate", "coverage90_in"), ("gate", "coverage90_out")],
    "flagged in, out": [("gate", "flagged_in"), ("gate", "flagged_out")],
    "AUROC": [("gate", "auroc")],
}


def main() -> None:
    """Print means over seeds."""
    rows = pd.read_csv(RESULTS)
    print("| task | model | seeds |", " | ".join(PAIRS), "|")
    print("| --- " * (3 + len(PAIRS)) + "|")
    for (task, model), part in rows.groupby(["task", "model"]):
        means = part.groupby(["answer", "metric"])["value"].mean()
        cells = [", ".join(f"{means[k]:.2f}" for k in keys) for keys in PAIRS.values()]
        print(
            f"| {task} | {model} | {part['seed'].nunique()} |", " | ".join(cells), "|"
        )


if __name__ == "__main__":
    main()
