"""Write the tables of docs/trusted.md from results/choices/trusted.csv.

python -m benchmarks.trusted_table
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
from benchmarks.trusted import DEVELOPMENT, FIELDS, RESULTS

PAGE = Path(__file__).parent.parent / "docs" / "trusted.md"
PLACE = re.compile(r"(<!-- gates: (\w+) -->\n).*?(<!-- end -->)", flags=re.DOTALL)
COSTS = {"in: gate − plain": 0.05, "out: gate − better": 0.25}
"""Means and worst of these are shown; bounds of the worst."""

PLACES = ("inside, over plain", "outside, over the better of plain and constant")
PAIRS = {
    "NLL in: plain, gate, told": [
        ("plain", "nll_in"),
        ("gate", "nll_in"),
        ("told", "nll_in"),
    ],
    "NLL out: plain, constant, gate, told": [
        ("plain", "nll_out"),
        ("constant", "nll_out"),
        ("gate", "nll_out"),
        ("told", "nll_out"),
    ],
    "ECE out: plain, gate": [("plain", "ece_out"), ("gate", "ece_out")],
    "90 % covered in, out": [("gate", "coverage90_in"), ("gate", "coverage90_out")],
    "flagged in, out": [("gate", "flagged_in"), ("gate", "flagged_out")],
    "AUROC": [("gate", "auroc")],
}


def filled(page: str, rows: pd.DataFrame) -> str:
    """Return a page with its tables made from rows.

    Args:
        page: In Markdown, with a place for each table.
        rows: Of results/choices/trusted.csv.
    """
    rows = rows.drop_duplicates([*FIELDS[:5]], keep="last")  # run again
    seen = rows["task"].isin(DEVELOPMENT) & (rows["seed"] < 2)
    parts = {"judged": rows[~seen], "development": rows[seen]}

    def made(found: re.Match[str]) -> str:
        part = parts[found[2]]
        return f"{found[1]}\n{table(part)}\n\n{worst(part)}\n{found[3]}"

    return PLACE.sub(made, page)


def table(rows: pd.DataFrame) -> str:
    """Return means over seeds; gaps of one table are one row."""
    named = ["task", "model", "noise", "fits", *COSTS, *PAIRS]
    lines = [f"| {' | '.join(named)} |", "| --- " * len(named) + "|"]
    task = rows["task"].str.replace(r"-gap-\d+", " gaps", regex=True)
    for (name, model, noise), part in rows.groupby([task, "model", "noise"]):
        means = part.groupby(["answer", "metric"])["value"].mean()
        found = costs(part)
        cells = [f"{found[k].mean():+.2f}, {found[k].max():+.2f}" for k in COSTS]
        for keys in PAIRS.values():
            cells.append(", ".join(f"{means[k]:.2f}" for k in keys if k in means))
        lines.append(
            f"| {name} | {model} | {noise} | {len(found)} | {' | '.join(cells)} |"
        )
    return "\n".join(lines)


def costs(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how much worse each fit is with the gate, inside and outside."""
    wide = rows.pivot_table(
        index=["task", "seed", "model"], columns=["answer", "metric"], values="value"
    )
    better = wide[[("plain", "nll_out"), ("constant", "nll_out")]].min(axis=1)
    inside = wide["gate", "nll_in"] - wide["plain", "nll_in"]
    both = (inside, wide["gate", "nll_out"] - better)
    return pd.DataFrame(dict(zip(COSTS, both, strict=True)))


def worst(rows: pd.DataFrame) -> str:
    """Return how much worse than without a gate the worst fits are, as sentences."""
    told = []
    for noise, part in rows.groupby("noise", sort=False):
        found, places = costs(part), []
        for (name, most), place in zip(COSTS.items(), PLACES, strict=True):
            cost = found[name]
            task, seed, model = cost.idxmax()
            places.append(
                f"{place}: {cost.max():+.2f} ({task}, seed {seed}, {model}), above "
                f"{most} in {(cost > most).sum()} of {len(cost)} fits"
            )
        told.append(f"Noise {noise}: worst NLL {'; '.join(places)}.")
    return "\n".join(sorted(told, reverse=True))


def main() -> None:
    """Fill in the page."""
    PAGE.write_text(filled(PAGE.read_text(), pd.read_csv(RESULTS)))


if __name__ == "__main__":
    main()
