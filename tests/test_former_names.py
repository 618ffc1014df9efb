import importlib
import sys

import pytest

import antireg
from antireg import former_names


@pytest.fixture
def forgotten():
    """Old names as if nobody had imported them, before and after."""

    def forget() -> None:
        for name in [n for n in sys.modules if former_names.now(n)]:
            del sys.modules[name]

    forget()
    yield
    forget()


@pytest.mark.parametrize(("old", "new"), former_names.FORMER.items())
def test_the_old_name_is_the_same_module_and_warns(forgotten, old, new) -> None:
    with pytest.warns(FutureWarning) as caught:
        module = importlib.import_module(old)
    said = [str(warning.message) for warning in caught]
    assert f"{old} is now {new}. Import it by that name." in said
    assert module is importlib.import_module(new)
    assert module.__spec__.name == module.__name__ == new


def test_modules_of_a_package_go_with_it(forgotten) -> None:
    with pytest.warns(FutureWarning):
        toys = importlib.import_module("antireg.data.toys")
    assert toys is importlib.import_module("antireg.paper.data.toys")


@pytest.mark.parametrize(("old", "new"), former_names.NAMESAKES.items())
def test_a_module_and_the_function_of_its_name_can_both_be_imported(
    forgotten, old, new
) -> None:
    package, _, name = old.rpartition(".")
    with pytest.warns(FutureWarning, match=f"{package} is now"):
        module = importlib.import_module(old)
    assert module is importlib.import_module(new)
    function = getattr(importlib.import_module(package), name)
    assert function is getattr(module, name)


def test_what_is_not_there_under_the_new_name_is_not_found(forgotten) -> None:
    with (
        pytest.warns(FutureWarning),
        pytest.raises(ModuleNotFoundError, match=r"antireg\.paper\.data\.nothing"),
    ):
        importlib.import_module("antireg.data.nothing")


def test_names_that_only_begin_alike_are_no_old_names() -> None:
    assert former_names.now("antireg.database") is None
    assert former_names.now("antireg.scores") is None


def test_attributes_of_the_package_are_as_before_and_do_not_warn() -> None:
    assert antireg.export.to_onnx.__name__ == "to_onnx"
    assert antireg.scores.entropy.__name__ == "entropy"
    assert antireg.metrics.auroc.__name__ == "auroc"


def test_installing_twice_is_installing_once() -> None:
    before = list(sys.meta_path)
    former_names.install()
    assert sys.meta_path == before
