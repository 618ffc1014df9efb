import sys

import numpy as np
import pytest

import antireg
from tests.doubtful_models import classes, classifier, curved, regressor

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def pyfunc():
    return pytest.importorskip("mlflow.pyfunc", reason="needs the extra `mlflow`")


@pytest.mark.filterwarnings("ignore")
def test_a_saved_model_returns_every_column(pyfunc, tmp_path):
    model, X = regressor(), curved()[0][:6].copy()
    X[5] = 300.0
    antireg.mlflow.save_model(model, tmp_path / "saved", pip_requirements=["antireg"])
    found = pyfunc.load_model(str(tmp_path / "saved")).predict(X)
    assert list(found) == [
        *("mean", "std", "low", "high", "ood_score", "doubt", "flag", "reason")
    ]
    np.testing.assert_array_equal(found["mean"], model.predict(X))
    np.testing.assert_array_equal(found["doubt"], model.doubt(X))
    assert found["flag"].tolist() == model.is_ood(X).tolist()
    assert found["reason"].iloc[5].startswith("x")
    assert not list((tmp_path / "saved").rglob("*.pkl"))


@pytest.mark.filterwarnings("ignore")
def test_a_logged_model_is_loaded_by_its_address(pyfunc, tmp_path, monkeypatch):
    import mlflow  # noqa: PLC0415

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"file://{tmp_path}/runs")
    with mlflow.start_run():
        logged = antireg.mlflow.log_model(
            classifier(), "kinds", pip_requirements=["antireg"]
        )
    scored = antireg.mlflow.load_model(logged.model_uri)
    X = classes()[0][:4]
    found = scored.predict(X)
    assert found["label"].tolist() == classifier().predict(X).tolist()
    assert [f"p({name})" for name in scored.model.classes_] == list(found)[1:4]


def test_rows_of_a_table_keep_their_index_and_their_reasons():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {"size": rng.normal(size=120), "colour": rng.choice(["red", "blue"], 120)}
    )
    y = frame["size"] + (frame["colour"] == "red")
    model = antireg.EnsembleRegressor(
        "deep_ensemble", n_members=2, hidden=(4,), epochs=2, doubt=None, random_state=0
    ).fit(frame, y)
    new = pandas.DataFrame(
        {"size": [0.0, 0.1], "colour": ["red", "pink"]}, index=[7, 9]
    )
    found = antireg.mlflow.Scored(model).predict(new, {"coverage": 0.5})
    assert found.index.tolist() == [7, 9]
    assert found["flag"].tolist()[1]
    assert found["reason"].iloc[1].startswith("colour 'pink': not seen")
    wider = antireg.mlflow.Scored(model).predict(new)
    assert (wider["high"] - wider["low"] > found["high"] - found["low"]).all()


def test_without_mlflow_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'antireg\[mlflow\]'"):
        antireg.mlflow.save_model(regressor(), tmp_path / "saved")
