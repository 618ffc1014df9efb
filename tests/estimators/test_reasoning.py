import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import antireg
from tests.doubtful_models import SETTINGS, classifier, curved, regressor
from tests.small_models import regressor as without_doubt


def faulty(n_rows=20):
    """Return familiar rows, in which row k has one number far out: in column k % 3."""
    X = curved(400, seed=9)[0]
    X = X[~regressor().is_ood(X)][:n_rows]
    for row in range(n_rows):
        X[row, row % 3] = 40 * (-1) ** row
    return X


@pytest.mark.parametrize("fitted", [regressor, classifier])
def test_the_column_that_is_wrong_is_named_first_with_its_range(fitted):
    model = fitted()
    X, known = faulty(), curved()[0]
    found = model.reasons(X)
    assert model.is_ood(X).all()
    for row, reasons in enumerate(found):
        column = row % 3
        low, high = known[:, column].min(), known[:, column].max()
        side = "below" if row % 2 else "above"
        said = f"x{column} {X[row, column]:.0f}: {side} all 600 seen"
        assert reasons[0] == f"{said} ({low:.6g} … {high:.6g})"


def test_rows_that_are_not_flagged_have_no_reason():
    model = regressor()
    X = curved()[0]
    reasons = model.reasons(X)
    assert [bool(why) for why in reasons] == model.is_ood(X).tolist()
    assert all(len(why) <= 3 for why in reasons)
    assert all(len(why) <= 1 for why in model.reasons(X, top=1))
    more = model.reasons(X, false_alarm_rate=0.5)
    assert sum(map(bool, more)) == model.is_ood(X, 0.5).sum()


def test_a_stored_model_has_the_same_reasons(tmp_path):
    model, X = regressor(), np.concatenate([faulty(), curved()[0]])
    model.save(tmp_path / "model")
    assert antireg.load(tmp_path / "model").reasons(X) == model.reasons(X)
    assert pickle.loads(pickle.dumps(model)).reasons(X) == model.reasons(X)


def test_names_of_a_frame_are_used():
    X, y = curved()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = antireg.EnsembleRegressor(**SETTINGS | {"doubt": None}).fit(frame, y)
    far = pd.DataFrame(faulty(3), columns=["a", "b", "c"])
    for name, why in zip("abc", model.reasons_of(far.to_numpy()), strict=True):
        assert why[0].startswith(f"{name} ")


def test_without_ranges_as_in_older_models_the_mean_is_named():
    model = copy.copy(without_doubt(method="deep_ensemble"))
    mean, variance = model.training_data_.mean, model.training_data_.variance
    model.training_data_ = type(model.training_data_)(120, "", mean, variance)
    row = np.array([[40.0, 0.0, 0.0]])
    assert model.reasons_of(row)[0][0].startswith("x0 40: far above the mean")


def test_a_large_file_of_rows_is_read_where_rows_are_flagged(tmp_path, monkeypatch):
    monkeypatch.setattr("antireg.rows.stored.LARGE", 1)
    X = np.concatenate([faulty(), curved(100)[0]])
    rows = np.memmap(tmp_path / "rows.bin", np.float64, "w+", shape=X.shape)
    rows[:] = X
    rows.flush()
    assert regressor().reasons(rows) == regressor().reasons(X)
