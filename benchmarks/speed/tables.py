"""Write the tables of docs/speed.md from the measured rows.

python -m benchmarks.speed.tables
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.speed.contestants import (
    LEAN,
    OURS,
    SCIKIT,
    TORCH_UNCERTAINTY,
    TUTORIAL,
)
from benchmarks.speed.keeping import RESULTS, read
from benchmarks.speed.sizes import SIZES

ROOT = Path(__file__).parents[2]
PEERS = (TUTORIAL, LEAN, SCIKIT, TORCH_UNCERTAINTY)
Rows = list[dict[str, str]]


def ratios(rows: Rows, task: str) -> str:
    """Return the table of how many times longer everyone takes."""
    peak = ["share of peak, as usual / needed"] if task == "train" else []
    lines = [["size", "rows", OURS, *PEERS, *peak]]
    for size in SIZES:
        own = {
            row["contestant"]: row
            for row in rows
            if (row["size"], row["task"], row["cores"]) == (size.name, task, "2")
        }
        if OURS not in own:
            continue
        mine = own[OURS]
        line = [size.name, f"{int(mine['rows']):,}", f"{float(mine['seconds']):.2f} s"]
        line += [_times(own.get(name)) for name in PEERS]
        if peak:
            shares = [mine["share_of_peak"], mine["needed_share"]]
            line.append(" / ".join(f"{float(share):.0%}" for share in shares if share))
        lines.append(line)
    return _table(lines)


def beside(rows: Rows) -> str:
    """Return the table of what a fit costs beside its epochs, where it was measured."""
    lines = [["size", "outside the epochs, 2 workers", "checkpoint on disk"]]
    for size in SIZES:
        own = {
            row["task"]: row
            for row in rows
            if (row["size"], row["contestant"], row["cores"]) == (size.name, OURS, "2")
        }
        if own.keys() >= {"train", "checkpoint"}:
            outside = float(own["train"]["outside_epochs"])
            share = outside / float(own["train"]["seconds"])
            added = float(own["checkpoint"]["times_ours"]) - 1
            lines.append([size.name, f"{outside:.2f} s ({share:.0%})", f"{added:+.0%}"])
    return _table(lines)


def start_up(rows: Rows) -> str:
    """Return the table of how long the smallest fit takes."""
    own = [row for row in rows if row["size"] == "start-up"]
    lines = [["the smallest fit", "seconds"]]
    return _table(lines + [[row["task"], row["seconds"]] for row in own])


def parts(rows: Rows) -> str:
    """Return the table of where the time of a fit goes."""
    sizes = [size.name for size in SIZES]
    lines = [["part", *sizes]]
    for part in dict.fromkeys(row["part"] for row in rows):
        own = {row["size"]: row for row in rows if row["part"] == part}
        shown = [own[size] for size in sizes]
        lines.append(
            [part]
            + [
                f"{float(r['us_per_step']):.0f} µs ({float(r['share']):.0%})"
                for r in shown
            ]
        )
    return _table(lines)


def growth(rows: Rows) -> str:
    """Return the table of how the cost grows."""
    lines = [["what", "from", "to", "seconds", "memory"]]
    for what in dict.fromkeys(row["what"] for row in rows):
        own = [row for row in rows if row["what"] == what]
        first, last = own[0], own[-1]
        seconds = f"{float(first['seconds']):.2f} → {float(last['seconds']):.2f}"
        memory = ""
        if first["megabytes"]:
            low, high = (float(row["megabytes"]) for row in (first, last))
            memory = f"{low:.0f} → {high:.0f} MB"
        lines.append([what, first["value"], last["value"], seconds, memory])
    return _table(lines)


def whole_fits(rows: Rows) -> str:
    """Return the table of whole default fits: seconds, times ours, and the error."""
    names = list(dict.fromkeys(row["contestant"] for row in rows))
    lines = [["rows", *names]]
    for size in dict.fromkeys(row["rows"] for row in rows):
        own = {row["contestant"]: row for row in rows if row["rows"] == size}
        line = [f"{int(size):,}"]
        for name in names:
            row = own[name]
            ratio = "" if name == OURS else f" ({_times(row)})"
            line.append(
                f"{float(row['seconds']):.1f} s{ratio}, {float(row['rmse']):.3f}"
            )
        lines.append(line)
    return _table(lines)


def measured_on(rows: Rows) -> str:
    """Return when and on what."""
    row, load = rows[0], max(float(row["load"]) for row in rows)
    when = f"Measured on {row['date']}, {row['processor']}, two cores"
    return f"{when}; load at the start {load:.1f}.\n"


def main() -> None:
    """Fill in every table that the page has a place for."""
    speed, profile, scaling = (
        read(RESULTS / f"{name}.csv") for name in ("speed", "profile", "scaling")
    )
    whole = read(RESULTS / "whole_fits.csv")
    tables = {
        "measured": measured_on(speed),
        "whole-fits": whole_fits(whole),
        "train-2": ratios(speed, "train"),
        "predict-2": ratios(speed, "predict"),
        "beside": beside(speed),
        "start-up": start_up(speed),
        "profile": parts(profile),
        "growth": growth(scaling),
    }
    page = ROOT / "docs" / "speed.md"
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        place = rf"(<!-- bench: {name} -->\n).*?(<!-- end -->)"
        text = re.sub(place, rf"\g<1>\n{table}\n\g<2>", text, flags=re.DOTALL)
    page.write_text(text, encoding="utf-8")


def _times(row: dict[str, str] | None) -> str:
    return "not measured" if row is None else f"{float(row['times_ours']):.1f}×"


def _table(lines: list[list[str]]) -> str:
    rows = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    main()
