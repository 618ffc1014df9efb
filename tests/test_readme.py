"""The README's example runs as printed, and says what it says."""

import doctest
import re
from pathlib import Path

import pytest
from benchmarks.doubt_table import filled
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ParameterGrid

import antireg
from antireg import METHODS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


@pytest.mark.filterwarnings("ignore:DARE:sklearn.exceptions.ConvergenceWarning")
def test_the_example_runs_as_printed() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict = {}
    exec(compile(example, "README.md", "exec"), names)
    model, X_new = names["model"], names["X_new"]
    assert names["std"][1] > 2 * names["std"][0]
    assert (names["low"] < names["mean"]).all()
    familiar, strange = model.doubt(X_new)
    assert familiar < 0.1
    assert strange > 0.5
    assert model.is_ood(X_new).tolist() == [False, True]


def test_the_grid_of_the_example_reaches_the_method() -> None:
    (line,) = re.findall(r"^GridSearchCV\(.*$", README, flags=re.MULTILINE)
    search = eval(line, {"GridSearchCV": GridSearchCV, **vars(antireg)})
    for settings in ParameterGrid(search.param_grid):
        model = clone(search.estimator).set_params(**settings)
        assert model.method.delta == settings["method__delta"]


def test_its_table_of_doubt_is_made_from_the_rows() -> None:
    assert filled(README, ROOT / "results" / "rows") == README
    table = README.partition("<!-- doubt: goals -->")[2].partition("<!-- end -->")[0]
    assert table.count("\n| **") == 8


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
        *("NetworksRegressor", "NetworksClassifier"),
    ],
)
def test_the_examples_of_docstrings_hold(name: str) -> None:
    tests = doctest.DocTestFinder(recurse=False).find(getattr(antireg, name), name)
    results = [doctest.DocTestRunner().run(test) for test in tests]
    assert sum(result.attempted for result in results) > 3
    assert sum(result.failed for result in results) == 0
