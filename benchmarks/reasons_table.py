"""Write what `benchmarks/reasons.py` measured into docs/tables.md.

python benchmarks/reasons_table.py
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROWS = ROOT / "results" / "choices" / "reasons.csv"
PAGE = ROOT / "docs" / "tables.md"
BEGIN, END = "<!-- reasons -->", "<!-- end -->"
TIMES = ("scoring, microseconds a row", "with reasons, if all are flagged")
FAULTS = ("-999", "times 10", "negated", "swapped", "unseen word")


def reasons_table() -> str:
    """Return the table and the sentence below it, from the rows."""
    with ROWS.open() as file:
        rows = list(csv.DictReader(file))
    sums: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        for key in (("fault", row["fault"]), ("table", row["table"])):
            if row["fault"] != "none":
                found = sums.setdefault(key, Counter())
                found[row["metric"]] += int(float(row["value"]))
    lines = [
        "| cell replaced by | faults | flagged | right column first, of those flagged "
        "| flagged, of those outside the range |",
        "| --- | --- | --- | --- | --- |",
    ]
    total: Counter[str] = sum((sums["fault", f] for f in FAULTS), Counter())
    for fault in FAULTS:
        lines.append(_line(fault, sums["fault", fault]))
    lines.append(_line("**all**", total))
    tables = list(dict.fromkeys(row["table"] for row in rows))
    for name in tables:
        lines.append(_line(f"all, {name}", sums["table", name]))
    clean, alone, both = (
        [
            float(row["value"])
            for row in rows
            if row["fault"] == "none" and row["metric"] == metric
        ]
        for metric in ("flagged", *TIMES)
    )
    ratios = [b / a for a, b in zip(alone, both, strict=True)]
    lines += [
        "",
        f"Of clean test rows {min(clean):.1%} to {max(clean):.1%} are flagged, by "
        f"table. Scoring takes {min(alone):.0f} to {max(alone):.0f} µs a row, and with "
        f"reasons {min(ratios):.1f} to {max(ratios):.1f} times that if every row is "
        "flagged.",
    ]
    return "\n".join(lines) + "\n"


def _line(name: str, found: Counter[str]) -> str:
    flagged, outside = found["flagged"], found["outside"]
    right = f"{found['right column first'] / flagged:.1%}"
    beyond = f"{found['outside and flagged'] / outside:.1%}" if outside else "–"
    share = f"{flagged / found['faults']:.1%}"
    return f"| {name} | {found['faults']:,} | {share} | {right} | {beyond} |"


def main() -> None:
    """Fill in the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{reasons_table()}\n{END}{after}")


if __name__ == "__main__":
    main()
