"""Write the table of doubt in the README from the rows under results/rows.

python benchmarks/doubt_table.py
"""

from __future__ import annotations

import re
from pathlib import Path

from antireg.paper.experiments.rows import Book
from antireg.paper.report.doubt.cells import markdown
from antireg.paper.report.results import Results

ROOT = Path(__file__).parent.parent
PLACE = re.compile(r"(<!-- doubt: goals -->\n).*?(<!-- end -->)", flags=re.DOTALL)


def filled(page: str, rows: Path) -> str:
    """Return a page with its table made from rows.

    Args:
        page: In Markdown, with a place for the table.
        rows: Folder of CSV files.
    """
    table = markdown(Results(Book(rows)))
    return PLACE.sub(lambda found: f"{found[1]}\n{table}\n{found[2]}", page)


def main() -> None:
    """Fill in the README."""
    page = ROOT / "README.md"
    page.write_text(filled(page.read_text(), ROOT / "results" / "rows"))


if __name__ == "__main__":
    main()
