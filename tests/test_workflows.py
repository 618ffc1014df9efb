"""What the workflows on GitHub name is what the project has."""

import re
import tomllib
from pathlib import Path

from tests import wheel_smoke

ROOT = Path(__file__).parent.parent
WORKFLOWS = ROOT / ".github" / "workflows"
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
    "optional-dependencies"
]
USERS = {*EXTRAS} - {"dev"}
"""Extras that are for users."""


def named(pattern: str, text: str) -> list[str]:
    """Return the words of the only list that is found."""
    (found,) = re.findall(pattern, text)
    return re.findall(r"[\w-]+", found)


def test_the_wheel_is_tested_with_every_extra_and_each_is_used() -> None:
    text = (WORKFLOWS / "tests.yml").read_text()
    assert '""' in text.partition("extra: [")[2].partition("]")[0]
    assert {*named(r"extra: \[(.*)\]", text)} == USERS
    assert {*wheel_smoke.NEEDS} == {*wheel_smoke.TRIED} == USERS


def test_the_newest_versions_are_tested_with_every_extra_that_has_wheels() -> None:
    text = (WORKFLOWS / "tests.yml").read_text()
    # Ray has no wheels for the newest Pythons; the job `clusters` has it.
    assert {*named(r'-e "\.\[(.*)\]"', text)} == USERS - {"ray"}


def test_developers_have_every_extra_that_tests_use() -> None:
    (own,) = (one for one in EXTRAS["dev"] if one.startswith("antireg["))
    assert {*named(r"antireg\[(.*)\]", own)} == USERS


def test_the_wheel_that_was_tested_is_the_one_that_is_uploaded() -> None:
    text = (WORKFLOWS / "release.yml").read_text()
    assert "make test-wheel" in text
    assert "cp .venv-wheel/dist/*.whl dist" in text
    builds = [line for line in text.splitlines() if "-m build" in line]
    assert all("--sdist" in line for line in builds)


def test_hooks_before_a_commit_use_the_pinned_versions() -> None:
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    pinned = set(re.findall(r"additional_dependencies: \[(.*)\]", text))
    assert pinned == {one for one in EXTRAS["dev"] if one.startswith("ruff==")}
