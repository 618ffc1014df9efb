"""Gates in reports and monitors, and their reasons."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from antireg import Monitor, TrustedClassifier, TrustedRegressor, evaluate
from antireg.trusted.asked import NEW_GAPS


def table(n_rows, seed, shift=0.0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "area": rng.uniform(20, 200, n_rows),
            "region": rng.choice(["north", "south"], n_rows),
            "built": rng.integers(1900, 2000, n_rows) + shift,
        }
    )
    return frame, 3.0 * frame["area"] + 20 * (frame["region"] == "north")


@pytest.fixture(scope="module")
def of_frames():
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["region"]),
        (StandardScaler(), ["area", "built"]),
        verbose_feature_names_out=False,
    )
    model = TrustedRegressor(make_pipeline(encode, Ridge()), random_state=0)
    return model.fit(*table(300, 0))


@pytest.fixture(scope="module")
def of_arrays():
    X, y = table(300, 0)
    X = X[["area", "built"]].to_numpy(copy=True)
    X[::10, 1] = np.nan
    boosting = HistGradientBoostingRegressor(max_iter=20)
    return TrustedRegressor(boosting, random_state=0).fit(X, y)


def test_a_report_has_the_numbers_of_the_gate(of_frames, tmp_path):
    X, y = table(200, 1)
    shifted, _ = table(100, 2, shift=300.0)
    report = evaluate(of_frames, X, y, ood=shifted)
    inside = report.metrics["in_distribution"]
    rmse = float(np.sqrt(np.mean((of_frames.predict(X) - y) ** 2)))
    assert inside["rmse"] == pytest.approx(rmse)
    assert inside["flagged_share"] == of_frames.is_ood(X).mean()
    low, high = of_frames.predict_interval(X)
    assert inside["coverage_90"] == ((low <= y) & (y <= high)).mean()
    np.testing.assert_array_equal(
        report.measured["ood"].doubt, of_frames.doubt(shifted)
    )
    assert report.verdicts["ood"].column == "built"
    report.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "mostly because of <code>built</code>" in page
    assert "TrustedRegressor" in page


def test_classes_are_measured_too():
    X, _ = table(300, 0)
    X, y = X[["area", "built"]], np.where(X["area"] > 100, "large", "small")
    model = TrustedClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), random_state=0
    ).fit(X, y)
    report = evaluate(model, X, y)
    accuracy = float((model.predict(X) == y).mean())
    assert report.metrics["in_distribution"]["accuracy"] == accuracy


def test_reasons_name_the_column_that_was_spoiled(of_frames, of_arrays):
    X = table(20, 3)[0]
    X.loc[4, "area"] = -999.0
    why = of_frames.reasons(X)
    assert why[4][0].startswith("area ") and "below all" in why[4][0]
    flags = of_frames.is_ood(X)
    assert [bool(reason) for reason in why] == flags.tolist()
    rows = table(20, 3)[0][["area", "built"]].to_numpy(copy=True)
    rows[4, 0], rows[5, 1] = 5000.0, np.nan
    told = of_arrays.reasons_of(of_arrays.entering(rows).values)
    assert told[4][0] == "x0 5,000: above all 300 seen (20.0541 … 199.498)"
    # Training had such gaps, so it is nothing new.
    assert not of_arrays.reasons(rows)[5]
    rows[6, 0] = np.nan
    assert of_arrays.reasons(rows)[6][0].startswith(f"{NEW_GAPS} 1")


def test_a_monitor_sees_a_shift_and_resumes(of_frames, tmp_path):
    usual = Monitor(of_frames)
    usual.update(table(300, 4)[0])
    assert usual.alarm is None
    usual.save(tmp_path / "state.json")
    again, whole = Monitor.load(tmp_path / "state.json", of_frames), Monitor(of_frames)
    later = table(200, 5, shift=300.0)[0]
    again.update(later)
    whole.update(pd.concat([table(300, 4)[0], later]))
    assert again.alarm == whole.alarm
    assert again.alarm is not None and again.alarm.columns == ("built",)
    assert 300 < again.alarm.row < 360


def test_rows_that_entered_are_not_read_again(of_frames):
    X = table(30, 6)[0]
    rows = of_frames.entering(X)
    assert of_frames.entering(rows) is rows
    np.testing.assert_array_equal(of_frames.ood_score(rows), of_frames.ood_score(X))
    some = rows.at(np.array([3, 1]))
    np.testing.assert_array_equal(some.values, rows.values[[3, 1]])
    np.testing.assert_allclose(
        of_frames.ood_score(some), of_frames.ood_score(X.iloc[[3, 1]])
    )
