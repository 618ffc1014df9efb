import json
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from antireg.onnx.export import to_onnx
from antireg.serving.graph import Input, ServedGraph, load_graph
from tests.doubtful_models import classes, classifier, curved, regressor


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    to_onnx(regressor(), folder / "amounts.onnx")
    to_onnx(classifier(), folder / "classes.onnx")
    return folder


def columns(X):
    return list(X.astype(np.float32).T)


def test_answers_are_those_of_the_model(files):
    graph, X = load_graph(files / "amounts.onnx"), curved()[0][:5]
    assert graph.inputs == [Input(f"x{k}", False, False) for k in range(3)]
    assert graph.coverage == 0.9
    found = graph.answers(columns(X))
    assert set(found[0]) == {
        *("mean", "std", "low", "high", "ood_score", "flag", "doubt", "reason_column")
    }
    (odd,) = graph.answers(columns(np.array([[0.0, 900.0, 0.0]])))
    assert (odd["flag"], odd["reason_column"]) == (True, "x1")
    rounded = X.astype(np.float32)
    means = [row["mean"] for row in found]
    np.testing.assert_allclose(means, regressor().predict(rounded), rtol=1e-5)
    assert [row["flag"] for row in found] == regressor().is_ood(rounded).tolist()
    json.dumps(found, allow_nan=False)


def test_probabilities_are_named_by_their_class(files):
    graph, X = load_graph(files / "classes.onnx"), classes()[0][:5]
    found = graph.answers(columns(X))
    assert set(found[0]["probabilities"]) == {"low", "middle", "high"}
    for row in found:
        chances = row["probabilities"]
        assert row["label"] == max(chances, key=chances.get)
        assert sum(chances.values()) == pytest.approx(1)


@pytest.mark.parametrize("content", [b"", b"nothing", bytes(1000)])
def test_what_is_no_graph_is_refused_with_the_way_out(content):
    with pytest.raises(ValueError, match="Write it with: antireg export model"):
        ServedGraph(content, "model.onnx")


SERVED = """
import sys
from pathlib import Path
from antireg.serving.app import make_app
from antireg.serving.graph import load_graph
import numpy as np
import antireg.cli.main, antireg.cli.serve_command
graph = load_graph(Path(sys.argv[1]))
make_app(graph)
assert graph.answers([np.zeros(1, np.float32)] * 3)[0]["mean"] is not None
assert "torch" not in sys.modules and "sklearn" not in sys.modules
"""


def test_answers_need_no_pytorch(files):
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    done = subprocess.run(
        [sys.executable, "-c", SERVED, str(files / "amounts.onnx")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
