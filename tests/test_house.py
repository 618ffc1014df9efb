"""The house rules a machine can hold."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "antireg"
TESTS = Path(__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

# A module imports only from its own floor and from those before it. The last is
# `antireg` itself, the public names: nothing inside imports it.
FLOORS = [
    "version",
    "first_use",
    "advice",
    "process",
    "disk",
    "rows",
    "losses",
    "networks",
    "history",
    "methods",
    "training",
    "parallel",
    "predictive",
    "scores",
    "familiarity",
    "metrics",
    "theory",
    "storage",
    "tables",
    "estimators",
    "trained",
    "trusted",
    "onnx",
    "report",
    "monitoring",
    "serving",
    "mlflow",
    "paper",
    "cli",
    "former_names",
    "__init__",
]


def name_of(path: Path) -> str:
    return str(path.relative_to(SOURCE))


def floor_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_floors(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the floor of every import of ours, wherever it stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}:{node.lineno} must name antireg"
            if node.module == "antireg":
                names = [f"antireg.{alias.name}" for alias in node.names]
            else:
                names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "antireg":
                floor = rest.partition(".")[0] or "__init__"
                known = (SOURCE / floor).is_dir() or (SOURCE / f"{floor}.py").exists()
                yield node.lineno, floor if known else "__init__"


def test_every_module_is_on_a_floor() -> None:
    assert {floor_of(path) for path in FILES} == set(FLOORS)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_only_point_up(path: Path) -> None:
    own = FLOORS.index(floor_of(path))
    wrong = [
        f"{name_of(path)}:{line} imports {floor}, which comes after {FLOORS[own]}"
        for line, floor in imported_floors(path)
        if FLOORS.index(floor) > own
    ]
    assert not wrong, "\n".join(wrong)


def lines_of_examples(text: str) -> int:
    """Return how many lines are examples: all from a blank line to the quotes."""
    documented = (ast.ClassDef, ast.FunctionDef)
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    docs = [ast.get_docstring(node, clean=False) or "" for node in found]
    parts = [doc.partition("\n\n    Examples") for doc in docs]
    return sum(part.count("\n") + 2 for _, mark, part in parts if mark)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_files_stay_small_and_open_with_their_idea(path: Path) -> None:
    text = path.read_text()
    # 125 of its lines say what its settings are.
    longer = {"estimators/regressor.py": 309}
    lines = len(text.splitlines()) - lines_of_examples(text)
    assert lines <= longer.get(name_of(path), 250)
    assert ast.get_docstring(ast.parse(text)), "a file opens with what it is for"


def test_every_source_has_its_tests_in_the_same_place() -> None:
    missing = {
        name_of(path)
        for path in FILES
        if path.stem not in ("__init__", "__main__", "version")
        and not (TESTS / path.relative_to(SOURCE).parent / f"test_{path.name}").exists()
    }
    assert not missing


def test_every_promise_names_tests_that_exist() -> None:
    text = (ROOT / "SECURITY.md").read_text()
    named = set(re.findall(r"`(test_\w+)`", text))
    written = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
    }
    assert named
    assert named <= written
    paths = re.findall(r"`(tests/[\w/.]+)`", text)
    assert all((ROOT / path).exists() for path in paths)


def test_the_loop_knows_no_method_by_name() -> None:
    for path in (SOURCE / "training").glob("*.py"):
        text = path.read_text()
        imported = {
            node.module
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ImportFrom)
        }
        of_methods = {name for name in imported if "antireg.methods" in str(name)}
        assert of_methods <= {"antireg.methods.base", "antireg.methods.closed_form"}
        assert "isinstance(method" not in text


DISTRIBUTIONS = {
    "PIL": "pillow",
    "mlflow": "mlflow-skinny",
    "sklearn": "scikit-learn",
}
"""Modules that are installed under another name."""


def declared_packages() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
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


KINDS = re.compile(
    r"(isinstance|issubclass)\([^()]*, \(?Ensemble|\bis (not )?Ensemble(Regr|Class)"
)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nobody_asks_which_of_the_two_estimators_a_model_is(path: Path) -> None:
    assert not KINDS.search(path.read_text())


def test_one_place_decides_the_flag() -> None:
    compared = re.compile(r"[<>]=? *(\w+\.(ood_)?threshold|limit)\b")
    using = [name_of(path) for path in FILES if compared.search(path.read_text())]
    assert using == ["familiarity/detection.py"]


def test_one_module_writes_results() -> None:
    """Downloads, which go on after a break, and scratch rows are written elsewhere."""
    pattern = re.compile(r"os\.replace|\.write_(text|bytes)|open\([^)]*\"[wax]")
    using = [name_of(path) for path in FILES if pattern.search(path.read_text())]
    downloads = ["paper/data/packages.py", "paper/data/sources.py"]
    assert using == ["disk/atomic.py", *downloads, "tables/spilling.py"]


def test_files_are_locked_in_one_way() -> None:
    # Only a file that is being written is locked by its own handle, not by a lock file.
    using = [path.name for path in FILES if "fcntl" in path.read_text()]
    assert using == ["atomic.py"]


def test_processes_are_started_in_one_way() -> None:
    # A pool keeps rows for many trainings, here or on a cluster; the rest is one call.
    other = re.compile(r"multiprocessing|ProcessPoolExecutor|os\.fork\(")
    assert [name_of(path) for path in FILES if other.search(path.read_text())] == []
    using = [name_of(p) for p in FILES if "joblib.Parallel(" in p.read_text()]
    assert using == ["parallel/pool.py", "parallel/processes.py"]


OTHERS = {"training/adam.py": {"torch._fused_adam_"}}
"""Private names of other packages, each with a test of what happens without it."""

PYTHONS = {"_asdict", "_exit", "_fields", "_replace"}
"""Names of Python's own that are documented."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name.strip("_") != ""


def names_of_ours() -> set[str]:
    """Return every name that is given anywhere in the source."""
    names = set()
    for node in (n for path in FILES for n in ast.walk(ast.parse(path.read_text()))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


def private_names(path: Path) -> Iterator[str]:
    """Yield the private attributes and modules that a file uses, by any spelling."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            yield ast.unparse(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            whole = [getattr(node, "module", None) or ""]
            whole += [alias.name for alias in node.names]
            yield from (n for n in whole if any(map(is_private, n.split("."))))
        elif isinstance(node, ast.Call) and "attr" in ast.unparse(node.func):
            named = [n.value for n in node.args if isinstance(n, ast.Constant)]
            yield from (n for n in named if isinstance(n, str) and is_private(n))


def test_private_names_of_others_are_used_where_it_is_told() -> None:
    own, found = names_of_ours() | PYTHONS, {}
    for path in FILES:
        used = {n for n in private_names(path) if n.rpartition(".")[2] not in own}
        if used:
            found[name_of(path)] = used
    assert found == OTHERS


def test_no_private_module_of_joblib_is_imported() -> None:
    assert not [name_of(path) for path in FILES if "joblib.ext" in path.read_text()]


def test_the_map_is_the_order_of_the_floors() -> None:
    """Every floor but the two that say nothing of what the library does."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    _, _, part = page.partition("## The map")
    named = [
        path.removeprefix("src/antireg/").strip("/").removesuffix(".py")
        for row in re.findall(r"^\| (`src/antireg/.*?) \|", part, flags=re.MULTILINE)
        for path in re.findall(r"`(.*?)`", row)
    ]
    shown = [name for name in FLOORS if name not in ("version", "former_names")]
    assert named == shown[:-1]


WITHOUT_PAPER = """
import sys
sys.modules["antireg.paper"] = None  # importing it raises, as if it were not there
import numpy as np
import antireg
x = np.linspace(0, 1, 80)[:, None]
sizes = dict(hidden=(4,), n_members=2, epochs=2, random_state=0)
for make, y in ((antireg.EnsembleRegressor, x[:, 0]),
                (antireg.EnsembleClassifier, x[:, 0] > 0.5)):
    model = make(method="deep_ensemble", **sizes).fit(x, y)
    assert model.is_ood(x).shape == (80,)
from antireg.cli import main
for command in (["data", "list"], ["data", "get", "x"], ["reproduce"], ["report"]):
    assert main(command) == 1
"""


def test_the_library_does_without_the_paper() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITHOUT_PAPER],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = done.stderr.strip().split("\n")
    assert len(said) == 4
    assert set(said) == {
        "Error: this command needs antireg.paper, which is not part of this "
        "installation. Install antireg as it is published."
    }


TWICE = re.compile(
    r"from which on|in (any )?company|learnt\b|held-out rows?\b|go(es)? on from|"
    r"not to be had|fresh rows?\b|for want of|strange in"
)
"""Words with a plainer name: CONTRIBUTING says which."""

TEXTS = [*FILES, *SOURCE.rglob("*.html"), *ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]


@pytest.mark.parametrize("path", sorted(TEXTS), ids=lambda path: path.name)
def test_each_thing_has_one_name(path: Path) -> None:
    lines = enumerate(path.read_text().splitlines(), 1)
    found = [(number, line) for number, line in lines if TWICE.search(line)]
    # One table says which words are not used.
    assert [line for line in found if path.name != "CONTRIBUTING.md"] == []
