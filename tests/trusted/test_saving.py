from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from sklearn.linear_model import Ridge

import antireg
from antireg import (
    EnsembleClassifier,
    EnsembleRegressor,
    TrustedClassifier,
    TrustedRegressor,
)
from antireg.estimators import saving as ensembles
from antireg.storage import model_folder
from tests.small_tables import QUICK, labelled, table

pytestmark = [
    pytest.mark.filterwarnings("ignore:doubt was not learned"),
    pytest.mark.filterwarnings("ignore:DARE:sklearn.exceptions.ConvergenceWarning"),
]

OURS = {**QUICK, "method": "deep_ensemble"}
FILES = Path(__file__).parents[1] / "files"
FAR = np.array([[0.0, 0.0, 0.0], [50.0, -9.0, 4.0]])


@pytest.mark.parametrize("prefit", [False, True])
def test_a_gate_around_our_regressor_comes_back_the_same(tmp_path, prefit):
    X, y = table(60)
    inner = EnsembleRegressor(**OURS)
    inner = inner.fit(X, y) if prefit else inner
    groups = None if prefit else np.arange(60) // 5
    gate = TrustedRegressor(inner, prefit=prefit, random_state=0)
    gate.fit(X, y, groups=groups)
    gate.save(tmp_path / "gate")
    loaded = antireg.load(tmp_path / "gate")
    assert isinstance(loaded, TrustedRegressor)
    for name in ("predict", "ood_score", "doubt", "is_ood", "predict_interval"):
        before, after = getattr(gate, name)(FAR), getattr(loaded, name)(FAR)
        np.testing.assert_array_equal(before, after)
    assert loaded.prefit == prefit
    assert loaded.n_groups_ == (None if prefit else 12)
    assert loaded.as_detector().predict(FAR).tolist() == [1, -1]


def test_a_gate_around_our_classifier_comes_back_the_same(tmp_path):
    X, y = labelled(60)
    gate = TrustedClassifier(EnsembleClassifier(**OURS), random_state=0).fit(X, y)
    gate.save(tmp_path)
    loaded = antireg.load(tmp_path)
    np.testing.assert_array_equal(gate.predict_proba(FAR), loaded.predict_proba(FAR))
    np.testing.assert_array_equal(gate.predict(FAR), loaded.predict(FAR))


@pytest.mark.parametrize("kind", ["regressor", "classifier"])
def test_gates_of_older_versions_still_load(kind):
    gate = antireg.load(FILES / f"gate1-{kind}")
    expected = load_file(FILES / f"gate1-{kind}.expected.safetensors")
    X = expected["X"]
    found = (
        np.stack(gate.predict_interval(X), axis=1)
        if kind == "regressor"
        else gate.predict_proba(X)
    )
    np.testing.assert_allclose(found, expected["found"], rtol=1e-5)
    np.testing.assert_allclose(gate.ood_score(X), expected["scores"], rtol=1e-5)
    np.testing.assert_allclose(gate.doubt(X), expected["doubt"], rtol=1e-5)
    assert gate.is_ood(X).tolist() == [False, True]


def test_a_gate_around_another_says_what_to_use_instead(tmp_path):
    X, y = table(60)
    gate = TrustedRegressor(Ridge(), random_state=0).fit(X, y)
    with pytest.raises(TypeError, match=r"got a Ridge, which is code.*joblib\.dump"):
        gate.save(tmp_path)
    assert not list(tmp_path.iterdir())


def test_ensembles_load_as_before_and_commands_refuse_gates(tmp_path):
    X, y = table(60)
    inner = EnsembleRegressor(**OURS).fit(X, y)
    inner.save(tmp_path / "inner")
    assert isinstance(antireg.load(tmp_path / "inner"), EnsembleRegressor)
    gate = TrustedRegressor(inner, prefit=True, random_state=0).fit(X, y)
    gate.save(tmp_path / "gate")
    with pytest.raises(ValueError, match=r"is a gate around another"):
        ensembles.read(tmp_path / "gate")


def test_a_folder_is_read_once_so_that_no_save_comes_between(tmp_path, monkeypatch):
    X, y = table(60)
    EnsembleRegressor(**OURS).fit(X, y).save(tmp_path)
    opened, times = model_folder.opened, []
    monkeypatch.setattr(
        model_folder, "opened", lambda path: times.append(path) or opened(path)
    )
    antireg.load(tmp_path)
    assert times == [tmp_path]
