"""The house rules a machine can hold."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "antireg"
FILES = sorted(SOURCE.rglob("*.py"))

# A module may import only from the layers before its own. Data sets stand apart: they
# need nothing of the rest.
LAYERS = [
    {"atomic", "first_use", "data", "scratch", "process"},
    {"networks", "losses", "history", "scaling", "holdout", "calibration"},
    {"methods", "checks", "constant_guess"},
    {"adam", "state", "checkpoint", "groups", "passes"},
    {"trainer", "progress", "interrupt"},
    {
        "provenance",
        "inference",
        "mixture_quantile",
        "predictive",
        "pooling",
        "scores",
        "detection",
        "metrics",
        "theory",
    },
    {"clusters", "shipping", "pool", "parallel", "fitting"},
    {"ensemble"},
    {"estimators"},
]
ORDER = {name: level for level, names in enumerate(LAYERS) for name in names}


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_parts(path: Path) -> set[str]:
    parts = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = node.module.split(".")
            if names[0] == "antireg" and len(names) > 1:
                parts.add(names[1])
            elif names == ["antireg"]:
                parts |= {alias.name for alias in node.names}
    return parts


CORE = [path for path in FILES if part_of(path) in ORDER]


@pytest.mark.parametrize("path", CORE, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_only_point_upstream(path: Path) -> None:
    own = ORDER[part_of(path)]
    late = {part for part in imported_parts(path) if ORDER.get(part, 99) > own}
    # Saving is the one thing an estimator hands to a layer after it.
    assert late <= ({"storage"} if part_of(path) == "ensemble" else set())


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_files_stay_small_and_open_with_their_idea(path: Path) -> None:
    text = path.read_text()
    # Half of ensemble.py is the signature and what its two faces must fill in.
    limit = {"ensemble.py": 340, "regressor.py": 280}.get(path.name, 250)
    assert len(text.splitlines()) <= limit
    assert ast.get_docstring(ast.parse(text)), "a file opens with what it is for"


# Tested only through the commands, pages and files they make. No new entries: a source
# comes with its tests, and an entry goes when they do.
WITHOUT_TESTS_OF_THEIR_OWN = {
    "command_inputs.py",
    "commands.py",
    "demo/fits.py",
    "demo/layout.py",
    "demo/story.py",
    "descriptions.py",
    "onnx_graph/builder.py",
    "onnx_graph/classification.py",
    "onnx_graph/model.py",
    "onnx_graph/regression.py",
    "onnx_graph/table.py",
    "report_charts.py",
}


def test_every_source_has_its_tests() -> None:
    tests = {path.name for path in Path(__file__).parent.rglob("test_*.py")}
    missing = {
        path.relative_to(SOURCE).as_posix()
        for path in FILES
        if path.stem not in ("__init__", "__main__", "base")
        and f"test_{path.name}" not in tests
    }
    assert missing == WITHOUT_TESTS_OF_THEIR_OWN


def test_every_promise_names_tests_that_exist() -> None:
    root = SOURCE.parent.parent
    text = (root / "SECURITY.md").read_text()
    named = set(re.findall(r"`(test_\w+)`", text))
    written = {
        name
        for path in (root / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
    }
    assert named
    assert named <= written
    paths = re.findall(r"`(tests/[\w/.]+)`", text)
    assert all((root / path).exists() for path in paths)


def test_the_trainer_knows_no_method_by_name() -> None:
    trainer = (SOURCE / "trainer.py").read_text()
    methods = [p.stem for p in (SOURCE / "methods").glob("*.py")]
    imported = {
        node.module
        for node in ast.walk(ast.parse(trainer))
        if isinstance(node, ast.ImportFrom)
    }
    others = {f"antireg.methods.{name}" for name in methods if name != "base"}
    assert not imported & (others | {"antireg.methods"})
    assert "isinstance(method" not in trainer


DISTRIBUTIONS = {"PIL": "pillow", "sklearn": "scikit-learn"}
"""Modules that are installed under another name."""


def declared_packages() -> set[str]:
    project = tomllib.loads((SOURCE.parent.parent / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    wanted = [project["project"]["dependencies"]]
    wanted += [needed for extra, needed in extras.items() if extra != "dev"]
    return {re.split(r"[^\w-]", text)[0] for needed in wanted for text in needed}


def imported_packages(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names - sys.stdlib_module_names - {"antireg"}


def test_every_package_that_is_imported_is_declared() -> None:
    imported = set().union(*map(imported_packages, FILES))
    assert {DISTRIBUTIONS.get(name, name) for name in imported} <= declared_packages()


def test_files_are_locked_in_one_way() -> None:
    # Only a file that is being written is locked by its own handle, not by a lock file.
    using = [path.name for path in FILES if "fcntl" in path.read_text()]
    assert using == ["atomic.py"]


PRIVATE = re.compile(
    r"(from|import) (joblib|dask|distributed|ray)\b.*\b_\w|joblib\.ext"
)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_private_module_of_joblib_is_imported(path: Path) -> None:
    assert not PRIVATE.search(path.read_text())
