import numpy as np
import pytest

import antireg
from antireg import Monitor, evaluate, from_networks
from tests.trained_networks import (
    picture_network,
    pictures,
    regression_network,
    rows,
)

X, Y = rows(300, 1)
X_NEW, Y_NEW = rows(300, 3)


@pytest.fixture(scope="module")
def model():
    networks = [regression_network(0), regression_network(1)]
    made = from_networks(networks, "regression", random_state=0)
    return made.fit(X, Y, reference=rows(500, 2)[0])


@pytest.fixture(scope="module")
def of_pictures():
    made = from_networks(picture_network(0), "classification", random_state=0)
    return made.fit(*pictures(200, 1))


def test_reasons_name_the_column_of_a_flagged_row(model) -> None:
    one = X_NEW[:3].copy()
    one[1, 1] = 40.0
    reasons = model.reasons(one)
    assert reasons[0] == reasons[2] == []
    assert reasons[1][0].startswith("x1 40")
    assert [column.name for column in model.columns().columns] == ["x0", "x1"]


def test_columns_have_the_names_of_a_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["width", "height"])
    made = from_networks(regression_network(0), "regression").fit(frame, Y)
    strange = pandas.DataFrame([[0.0, 40.0]], columns=frame.columns)
    assert made.reasons(strange)[0][0].startswith("height 40")


def test_a_verdict_and_a_page_are_made_of_it(model) -> None:
    shifted = X_NEW + np.array([0.0, 5.0])
    report = evaluate(model, X_NEW, Y_NEW, ood=shifted)
    assert report.metrics["in_distribution"]["r2"] > 0.95
    assert report.metrics["detection"]["auroc"] > 0.99
    assert "x1" in report.text
    assert "How it was trained" not in report.html
    assert "NetworksRegressor" in report.html


def test_pictures_are_judged_too(of_pictures) -> None:
    shown, kinds = pictures(100, 2)
    report = evaluate(of_pictures, shown, kinds)
    assert report.metrics["in_distribution"]["accuracy"] > 0.7
    assert len(of_pictures.reasons(5 * shown)) == 100
    assert len(of_pictures.columns().columns) == 36


def test_drift_is_noticed(model) -> None:
    monitor = Monitor(model)
    monitor.update(X_NEW)
    assert monitor.alarm is None
    monitor.update(X_NEW + 3)
    assert monitor.alarm is not None


def test_rows_that_entered_are_answered_as_they_were(of_pictures) -> None:
    shown, _ = pictures(20, 2)
    entered = of_pictures.entering(shown)
    assert entered.values.shape == (20, 36)
    assert of_pictures.entering(entered) is entered
    answer = of_pictures.predict_proba(entered)
    assert np.array_equal(answer, of_pictures.predict_proba(shown))


def test_what_is_known_of_training_is_known_by_references(model, tmp_path) -> None:
    known, X_train = model.training_data_, rows(500, 2)[0]
    assert known.n_rows == 500
    # References are scaled to a deviation of 1, and are all the rows here.
    assert known.mean == pytest.approx(0, abs=1e-6)
    assert known.variance == pytest.approx(1, abs=1e-5)
    assert known.low == pytest.approx(X_train.min(axis=0), abs=1e-6)
    assert known.high == pytest.approx(X_train.max(axis=0), abs=1e-6)
    model.save(tmp_path)
    loaded = antireg.load(tmp_path, network=regression_network(0))
    assert loaded.training_data_.fingerprint == known.fingerprint
    assert loaded.reasons(X_NEW + 9) == model.reasons(X_NEW + 9)
