"""The pages of the site name what there is; `make docs` builds and checks the rest."""

import ast
import re
from pathlib import Path

import pytest

import antireg

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GALLERY = sorted((ROOT / "examples").glob("plot_*.py"))


def test_the_reference_has_every_public_name():
    page = (DOCS / "api.md").read_text()
    listed = set(re.findall(r"^   (\w+)$", page, flags=re.MULTILINE))
    assert listed >= {*antireg.__all__} - {"METHODS", "export"}


def test_every_page_is_in_a_table_of_contents():
    pages = {path.stem for path in DOCS.glob("*.md")}
    entries = "\n".join((DOCS / name).read_text() for name in ("index.md", "guide.md"))
    assert {page for page in pages if not re.search(rf"^{page}$", entries, re.M)} == {
        "index"
    }


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_an_example_is_short_and_begins_with_a_title(path):
    text = path.read_text()
    title, line, *_ = ast.get_docstring(ast.parse(text)).splitlines()
    assert set(line) == {"="}
    assert len(line) == len(title)
    assert len(text.splitlines()) <= 50
