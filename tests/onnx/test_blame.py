import numpy as np
import onnxruntime
import pytest

from antireg.onnx.export import to_onnx
from tests.doubtful_models import classifier, curved, regressor


def asked(model, X, path):
    to_onnx(model, path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["reason_column", "flag"], {"X": X})


@pytest.mark.parametrize("fitted", [regressor, classifier])
def test_the_graph_names_the_column_that_python_names_first(fitted, tmp_path):
    model = fitted()
    X = np.concatenate([curved(300, seed=5)[0], curved(60, seed=6)[0]])
    X[300:][np.arange(60), np.arange(60) % 3] *= 30
    X = X.astype(np.float32)
    columns, flags = asked(model, X, tmp_path / "m.onnx")
    assert columns.dtype == np.int64
    assert (columns[~flags] == -1).all()
    named = [
        int(why[0].split()[0][1:]) if why and why != ["score"] else -1
        for why in model.reasons(X)
    ]
    assert flags.sum() > 50
    assert columns.tolist() == named


def test_no_flagged_rows_and_no_rows_have_no_column(tmp_path):
    model = regressor()
    X = curved()[0].astype(np.float32)
    X = X[~model.is_ood(X)][:4]
    assert asked(model, X, tmp_path / "m.onnx")[0].tolist() == [-1] * 4
    assert asked(model, X[:0], tmp_path / "m.onnx")[0].tolist() == []
