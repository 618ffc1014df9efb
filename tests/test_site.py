"""The pages of the site name what there is; `make docs` builds and checks the rest."""

import ast
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import antireg
from antireg import METHODS
from tests.test_doctests import public

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GALLERY = sorted((ROOT / "examples").glob("plot_*.py"))


def test_the_reference_has_every_public_name():
    page = (DOCS / "api.md").read_text()
    listed = set(re.findall(r"^   ([\w.]+)$", page, flags=re.MULTILINE))
    # The page of a module lists what is defined in it, if it has the public name.
    values = {name: getattr(antireg, name) for name in antireg.__all__}
    modules = {name for name, value in values.items() if isinstance(value, ModuleType)}
    whole = {name for name in modules if values[name].__name__ == f"antireg.{name}"}
    inner = {name for name in public() if name.partition(".")[0] in modules - whole}
    assert listed == {*antireg.__all__} - {"METHODS"} - modules | whole | inner
    assert {name.partition(".")[0] for name in inner} == modules - whole
    assert "py:data:: METHODS" in page


def test_every_page_is_in_a_table_of_contents():
    pages = {path.stem for path in DOCS.glob("*.md")}
    lists = re.findall(
        r"^```{toctree}$(.*?)^```$",
        "\n".join(path.read_text() for path in DOCS.glob("*.md")),
        flags=re.DOTALL | re.MULTILINE,
    )
    entries = {line for text in lists for line in text.split("\n")}
    assert pages - entries == {"index"}


def test_the_table_of_methods_is_complete():
    page = (DOCS / "methods.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", page, flags=re.MULTILINE)
    assert rows == [(name, method.__name__) for name, method in METHODS.items()]


def test_the_table_of_extras_is_complete():
    page = (DOCS / "start.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    cells = re.findall(r"^\| (`\w+`.*?) \|", page, flags=re.MULTILINE)
    named = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert named == {*project["optional-dependencies"]} - {"dev"}


def test_the_citation_and_the_changelog_have_the_version():
    assert f"\nversion: {antireg.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {antireg.__version__}, " in (ROOT / "CHANGELOG.md").read_text()


def test_there_are_a_dozen_examples():
    assert len(GALLERY) >= 12


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_an_example_is_short_and_begins_with_a_title(path):
    text = path.read_text()
    title, line, *_ = ast.get_docstring(ast.parse(text)).splitlines()
    assert set(line) == {"="}
    assert len(line) == len(title)
    assert len(text.splitlines()) <= 80


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_an_example_imports_public_names(path):
    """`make docs` runs it, with packages that tests do without."""
    nodes = [n for n in ast.walk(ast.parse(path.read_text())) if hasattr(n, "module")]
    ours = [n for n in nodes if n.module.split(".")[0] == "antireg"]
    assert {n.module for n in ours} <= {"antireg", "antireg.cli"}
    named = {alias.name for n in ours for alias in n.names}
    assert named <= {*antireg.__all__, "main"}
