"""Runs the Python that a page of docs/ shows."""

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent.parent / "docs"


def examples(page: str) -> list[str]:
    """Return the Python of a page, block by block."""
    text = (DOCS / page).read_text()
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def run(page: str) -> dict[str, Any]:
    """Run all examples of a page, one after the other; return the names they made."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for example in examples(page):
        exec(compile(example, page, "exec"), names)
    return names
