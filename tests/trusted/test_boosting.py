"""Gates around boosting of other packages, which follow scikit-learn's contract."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from antireg import TrustedClassifier, TrustedRegressor, metrics

FEW = {"n_estimators": 30, "max_depth": 3, "n_jobs": 1}


def rows(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n_rows, 2))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n_rows)


def lightgbm(kind: str):
    package = pytest.importorskip("lightgbm", reason="lightgbm is not installed")
    return getattr(package, f"LGBM{kind}")(**FEW, verbose=-1)


def xgboost(kind: str):
    package = pytest.importorskip("xgboost", reason="xgboost is not installed")
    return getattr(package, f"XGB{kind}")(**FEW)


@pytest.mark.parametrize("make", [lightgbm, xgboost])
def test_amounts_of_a_gate_are_right_inside_and_doubted_outside(make) -> None:
    model = TrustedRegressor(make("Regressor"), random_state=0).fit(*rows(400, 0))
    X, y = rows(500, 1)
    # Of 400 and 500 rows: 90 % ± 3 · 2 %.
    assert metrics.coverage(y, *model.predict_interval(X)) == pytest.approx(
        0.9, abs=0.06
    )
    assert model.is_ood(X).mean() < 0.12
    assert model.is_ood(X + 5).all()
    assert model.doubt(X).mean() < 0.1
    assert model.doubt(X + 5).min() > 0.5


@pytest.mark.parametrize("make", [lightgbm, xgboost])
def test_classes_of_a_gate_are_told_apart_and_doubted_outside(make) -> None:
    X, y = make_moons(400, noise=0.1, random_state=0)
    model = TrustedClassifier(make("Classifier"), random_state=0).fit(X, y)
    X_new, y_new = make_moons(400, noise=0.1, random_state=1)
    assert model.score(X_new, y_new) > 0.95
    assert model.is_ood(X_new + 5).all()
    assert model.predict_proba(X_new + 50) == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize("make", [lightgbm, xgboost])
def test_gaps_go_in_where_the_estimator_takes_them(make) -> None:
    X, y = rows(300, 0)
    X[::7, 0] = np.nan
    model = TrustedRegressor(make("Regressor"), random_state=0).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model.is_ood(X).mean() < 0.12
