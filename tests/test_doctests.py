"""Every public name has an example in its docstring, and examples say what is true."""

import doctest
import inspect
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest

import antireg
from tests.pages import DOCS

NEEDS = {"mlflow": "mlflow", "export": "onnx"}
"""What the examples of a module need beside antireg."""


def public() -> dict[str, Any]:
    """Return every public class and function, those of public modules too."""
    found: dict[str, Any] = {}
    for name in antireg.__all__:
        value = getattr(antireg, name)
        if isinstance(value, ModuleType):
            for inner, part in vars(value).items():
                if _is_public(inner, part) and part.__module__ == value.__name__:
                    found[f"{name}.{inner}"] = part
        elif callable(value):
            found[name] = value
    return found


def _is_public(name: str, value: Any) -> bool:
    return not name.startswith("_") and (
        inspect.isclass(value) or inspect.isfunction(value)
    )


def failures(tests: list[doctest.DocTest]) -> tuple[int, str]:
    """Return how many lines were run, and what those that are wrong say."""
    runner, said = doctest.DocTestRunner(verbose=False), []
    for test in tests:
        runner.run(test, out=said.append)
    return runner.tries, "".join(said)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", public())
def test_a_public_name_has_an_example_that_holds(name: str, monkeypatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    needed = NEEDS.get(name.partition(".")[0])
    if needed and find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    value = public()[name]
    finder = doctest.DocTestFinder(recurse=False)
    lines, wrong = failures(finder.find(value, name, globs={}))
    assert lines > 1, "its docstring has no example"
    assert not wrong, wrong


def test_the_example_of_the_reference_holds() -> None:
    text = (DOCS / "api.md").read_text()
    test = doctest.DocTestParser().get_doctest(text, {}, "api.md", None, 0)
    lines, wrong = failures([test])
    assert lines > 1
    assert not wrong, wrong


def test_the_check_finds_what_is_wrong() -> None:
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "x", None, 0)
    lines, wrong = failures([test])
    assert lines == 1
    assert "Expected:" in wrong
