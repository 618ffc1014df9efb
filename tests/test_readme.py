"""The README is short, its example runs as printed, and its table is of the rows."""

import re
from pathlib import Path

import pytest
from benchmarks.doubt_table import PAGES, SHORT, filled

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_it_is_read_in_a_minute() -> None:
    assert len(README.splitlines()) <= 100
    assert "**Privacy**" in README


def test_the_example_runs_as_printed(capsys) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict = {}
    exec(compile(example, "README.md", "exec"), names)
    model, X_new = names["model"], names["X_new"]
    assert names["std"][1] > 2 * names["std"][0]
    assert (names["low"] < names["mean"]).all()
    familiar, strange = model.doubt(X_new)
    assert familiar < 0.1
    assert strange > 0.5
    assert capsys.readouterr().out.startswith("[False  True]\n")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_of_doubt_are_made_from_the_rows(page) -> None:
    text = page.read_text()
    assert filled(text, ROOT / "results" / "rows", PAGES[page]) == text
    table = text.partition(f"<!-- doubt: {PAGES[page]} -->")[2].partition("<!-- end")[0]
    assert table.count("\n| **") == 8
    assert table.count("wanted") == 1
    assert len(re.findall(r"[≤≥]", table)) == (17 if PAGES[page] == SHORT else 28) + 1


def test_every_path_it_names_exists() -> None:
    paths = re.findall(r"`((?:src|benchmarks|results|docs)/[\w/.]*)`", README)
    paths += re.findall(r"\]\(([\w/.]+)\)", README)
    made = {"results/demo/index.html", "docs/_build/html/index.html"}
    assert [p for p in paths if not (ROOT / p).exists() and p not in made] == []


def test_its_commands_are_in_the_makefile() -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"(?:`|^)make (\w+)", README, re.MULTILINE)
    assert {*named} >= {"demo", "test", "docs"}
    assert {*named} <= {*targets}
