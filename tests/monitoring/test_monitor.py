import warnings
from dataclasses import replace

import numpy as np
import pytest

import antireg
from antireg import Monitor
from antireg.monitoring import state
from antireg.tables.encoder import Encoded
from tests.doubtful_models import SETTINGS, classifier, curved, regressor


def stream(n_rows, seed=1):
    return curved(n_rows, seed)[0]


def shifted(n_rows, seed=2):
    X = stream(n_rows, seed)
    X[:, 1] += 6
    return X


@pytest.mark.parametrize("model", [regressor, classifier])
def test_drift_is_found_with_its_time_and_its_column(model):
    monitor = Monitor(model(random_state=1))
    monitor.update(stream(300))
    assert monitor.alarm is None
    assert monitor.evidence < 100
    monitor.update(shifted(100))
    assert monitor.evidence > 100
    assert 300 < monitor.alarm.row <= 350
    assert 280 <= monitor.alarm.since <= monitor.alarm.row
    assert monitor.alarm.columns[0] == "x1"
    assert monitor.n_rows == 400


def test_pieces_of_any_size_are_the_same_as_one_to_the_bit(tmp_path):
    X = np.concatenate([stream(150), shifted(60)])
    whole = Monitor(regressor(), random_state=3)
    values = whole.update(X)
    whole.save(tmp_path / "whole.json")
    parts, found = Monitor(regressor(), random_state=3), []
    for first, last in ((0, 1), (1, 2), (2, 70), (70, 133), (133, 210)):
        found.append(parts.update(X[first:last]))
        parts.save(tmp_path / "parts.json")
        parts = Monitor.load(tmp_path / "parts.json", regressor())
    np.testing.assert_array_equal(np.concatenate(found), values)
    assert parts.alarm == whole.alarm is not None
    assert parts.evidence == whole.evidence
    texts = [(tmp_path / f"{name}.json").read_bytes() for name in ("whole", "parts")]
    assert texts[0] == texts[1]


def test_a_stored_model_goes_on_with_the_state_of_the_fitted_one(tmp_path):
    monitor = Monitor(regressor())
    monitor.update(stream(20))
    monitor.save(tmp_path / "state.json")
    regressor().save(tmp_path / "model")
    loaded = Monitor.load(tmp_path / "state.json", antireg.load(tmp_path / "model"))
    assert loaded.n_rows == 20
    assert loaded.evidence == monitor.evidence


def test_a_stored_gate_goes_on_with_the_state_of_the_fitted_one(tmp_path):
    X, y = curved(600)  # more rows than scores that `save` keeps
    inner = antireg.EnsembleRegressor(**SETTINGS | {"epochs": 1, "doubt": None})
    gate = antireg.TrustedRegressor(inner.fit(X, y), prefit=True, random_state=0)
    gate.fit(X, y)
    monitor = Monitor(gate)
    monitor.update(stream(20))
    monitor.save(tmp_path / "state.json")
    gate.save(tmp_path / "gate")
    stored = antireg.load(tmp_path / "gate")
    assert not np.array_equal(stored.held_out_scores_, gate.held_out_scores_)
    loaded = Monitor.load(tmp_path / "state.json", stored)
    assert loaded.n_rows == 20
    assert loaded.evidence == monitor.evidence
    with pytest.raises(ValueError, match="must be of the same model"):
        Monitor.load(tmp_path / "state.json", gate.fit(X[:300], y[:300]))


def test_a_state_of_another_model_is_refused(tmp_path):
    Monitor(regressor()).save(tmp_path / "state.json")
    with pytest.raises(ValueError, match="must be of the same model"):
        Monitor.load(tmp_path / "state.json", classifier())


def test_words_of_a_row_make_it_unusual():
    quiet, told = Monitor(regressor()), Monitor(regressor())
    middle = np.tile(np.median(curved()[0], axis=0), (40, 1))
    assert np.median(quiet.update(middle)) > 0.5
    told.update(Encoded(middle, ["colour 'x': not seen"] * 40))
    assert told.alarm is not None


def test_names_of_columns_are_checked_once_and_not_warned_of():
    pandas = pytest.importorskip("pandas")
    X, y = curved(200)
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    settings = SETTINGS | {"epochs": 1, "doubt": None}
    model = antireg.EnsembleRegressor(**settings).fit(frame, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Monitor(model).update(frame[:3]).shape == (3,)
    with pytest.raises(ValueError, match="feature names"):
        Monitor(model).update(frame[["b", "a", "c"]])


def test_what_cannot_be_monitored_is_refused():
    with pytest.raises(TypeError, match="must be one of antireg's to be"):
        Monitor(object())
    with pytest.raises(ValueError, match="level must be between 0 and 1, got 0"):
        Monitor(regressor(), level=0)


def test_a_state_of_very_many_rows_takes_no_more_memory(tmp_path):
    path = tmp_path / "state.json"
    monitor = Monitor(regressor())
    monitor.update(stream(20))
    monitor.save(path)
    found = state.read(path)
    counts = [found.counts[0] + 2**40, *found.counts[1:]]
    state.write(replace(found, rows=2**40 + 20, counts=counts), path)
    loaded = Monitor.load(path, regressor())
    values = loaded.update(stream(5))
    assert ((values > 0) & (values <= 1)).all()
    assert loaded.n_rows == 2**40 + 25


def test_a_state_that_names_other_columns_is_refused(tmp_path):
    path = tmp_path / "state.json"
    Monitor(regressor()).save(path)
    state.write(replace(state.read(path), alarm=[1, 1, "\x1b[2J"]), path)
    with pytest.raises(ValueError, match="alarm must name columns of the model"):
        Monitor.load(path, regressor())
