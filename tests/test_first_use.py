import json
import subprocess
import sys

import pytest

import antireg
import antireg.paper.data

NEEDED = "import numpy, scipy.stats, sklearn.metrics, torch, joblib, safetensors, tqdm"

AFTER = """
import json, sys
{before}
known = set(sys.modules)
{then}
print(json.dumps(sorted(set(sys.modules) - known)))
"""

ALL = "import antireg; [getattr(antireg, name) for name in antireg.__all__]"

HEAVY = {
    *("dask", "distributed", "pandas", "pyarrow", "pooch", "matplotlib", "PIL"),
    *("onnx", "onnxruntime", "ray", "polars", "filelock"),
}


def modules_after(then: str, before: str = "") -> set[str]:
    """Return what an interpreter has imported by `then` that `before` does not."""
    done = subprocess.run(
        [sys.executable, "-c", AFTER.format(before=before, then=then)],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_library_imports_nothing_else() -> None:
    assert modules_after("import antireg") & {"torch", "numpy", "sklearn"} == set()


def test_all_names_together_bring_no_more_than_what_they_are_made_of() -> None:
    # scikit-learn itself imports pandas, and looks for others, where they are.
    found = modules_after(ALL, before=NEEDED)
    assert {name.split(".")[0] for name in found} & HEAVY == set()
    private = [name for name in found if name.startswith(("joblib._d", "joblib.ext"))]
    assert private == []
    # What only commands and experiments need.
    floors = {name.split(".")[1] for name in found if name.startswith("antireg.")}
    assert floors & {"paper", "cli", "serving"} == set()
    assert not {"jinja2", "antireg.report.evaluation_page"} & set(found)
    assert "antireg.onnx.graph" not in found


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["predict", "--help"], ["data", "--help"]]
)
def test_the_command_line_explains_itself_without_pytorch(arguments) -> None:
    run = f"""
from antireg.cli import main
try:
    main({arguments})
except SystemExit as end:
    assert end.code == 0
"""
    found = modules_after(run)
    assert "antireg.cli" in found
    assert found & {"torch", "sklearn", "numpy", "joblib"} == set()


@pytest.mark.parametrize("package", [antireg, antireg.paper.data])
def test_public_names_are_all_there_and_listed(package) -> None:
    listed = dir(package)
    for name in package.__all__:
        assert name in listed
        assert getattr(package, name) is getattr(package, name)
        assert name in vars(package), "the second time it is not looked for"
    assert callable(antireg.paper.data.uci)
    assert callable(antireg.paper.data.citycam)


def test_other_names_are_errors_as_in_any_module() -> None:
    with pytest.raises(AttributeError, match=r"'antireg' has no attribute 'Nothing'"):
        antireg.Nothing  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Nothing'"):
        from antireg import Nothing  # noqa: F401, PLC0415


def test_a_star_brings_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from antireg import *", names)
    assert set(antireg.__all__) <= set(names)
