"""The README's example runs as printed, and says what it says."""

import doctest
import re
from pathlib import Path

import pytest

import antireg
from antireg import METHODS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


@pytest.mark.filterwarnings("ignore:DARE:sklearn.exceptions.ConvergenceWarning")
def test_the_example_runs_as_printed() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict = {}
    exec(compile(example, "README.md", "exec"), names)
    assert names["std"][1] > 3 * names["std"][0]
    assert (names["low"] < names["mean"]).all()
    assert names["model"].is_ood(names["X_new"]).tolist() == [False, True]


def test_the_table_of_methods_is_complete() -> None:
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", README, flags=re.MULTILINE)
    assert rows == [(name, method.__name__) for name, method in METHODS.items()]


def test_every_path_it_names_exists() -> None:
    paths = re.findall(r"`((?:src|benchmarks|results|docs)/[\w/.]*)`", README)
    paths += re.findall(r"\]\(([\w/.]+)\)", README)
    made = {"results/demo/index.html"}
    assert [p for p in paths if not (ROOT / p).exists() and p not in made] == []


@pytest.mark.filterwarnings("ignore:DARE:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "name",
    [
        *("EnsembleRegressor", "EnsembleClassifier"),
        *("TrustedRegressor", "TrustedClassifier", "TrustedDetector"),
    ],
)
def test_the_examples_of_docstrings_hold(name: str) -> None:
    tests = doctest.DocTestFinder(recurse=False).find(getattr(antireg, name), name)
    results = [doctest.DocTestRunner().run(test) for test in tests]
    assert sum(result.attempted for result in results) > 3
    assert sum(result.failed for result in results) == 0
