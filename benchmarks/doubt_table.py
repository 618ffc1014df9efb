"""Write the tables of doubt in the README and docs/results.md from results/rows.

python benchmarks/doubt_table.py
"""

from __future__ import annotations

import re
from pathlib import Path

from antireg.paper.experiments.rows import Book
from antireg.paper.report.doubt.cells import markdown
from antireg.paper.report.results import Results

ROOT = Path(__file__).parent.parent
SHORT, WHOLE = "goals", "all goals"
REST = {
    SHORT: " (bold); [results](docs/results.md) has them all, and why others are not.",
    WHOLE: " (bold).",
}
PAGES = {ROOT / "README.md": SHORT, ROOT / "docs" / "results.md": WHOLE}


def filled(page: str, rows: Path, table: str = SHORT) -> str:
    """Return a page with its table made from rows.

    Args:
        page: In Markdown, with a place for the table.
        rows: Folder of CSV files.
        table: Which: that of the most important goals, or of all.
    """
    text = markdown(Results(Book(rows)), short=table == SHORT) + REST[table]
    place = rf"(<!-- doubt: {table} -->\n).*?(<!-- end -->)"
    return re.sub(place, lambda f: f"{f[1]}\n{text}\n\n{f[2]}", page, flags=re.DOTALL)


def main() -> None:
    """Fill in both pages."""
    for page, table in PAGES.items():
        made = filled(page.read_text(), ROOT / "results" / "rows", table)
        page.write_text(made)


if __name__ == "__main__":
    main()
