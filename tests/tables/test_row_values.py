import numpy as np
import pytest

from antireg import EnsembleRegressor
from antireg.tables.reasons import surprise
from antireg.tables.row_values import never_trained, score_rows
from tests.small_models import classifier, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_one_pass_says_what_the_methods_say():
    model, X = regressor(), rows()[0]
    found = score_rows(model, X, coverage=0.8, limit=model.ood_threshold())
    mean, std = model.predict(X, return_std=True)
    low, high = model.predict_interval(X, 0.8)
    expected = {"mean": mean, "std": std, "low": low, "high": high}
    expected |= {"ood_score": model.ood_score(X), "flag": model.is_ood(X)}
    assert list(found) == list(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values)


def test_a_classifier_has_one_column_for_each_class():
    model, X = classifier(("a", "b", "c")), rows()[0]
    found = score_rows(model, X, coverage=0.9, limit=model.ood_threshold(0.2))
    assert list(found) == ["label", "p(a)", "p(b)", "p(c)", "ood_score", "flag"]
    np.testing.assert_array_equal(found["label"], model.predict(X))
    np.testing.assert_array_equal(found["flag"], model.is_ood(X, 0.2))


@pytest.mark.parametrize("scaling", ["none", "range", "standard"])
def test_surprise_matches_hand_values(scaling):
    # Means 2, 0, 7 and variances 1, 0, 0 of four training rows.
    X = np.array([[1.0, 0, 7], [3, 0, 7], [1, 0, 7], [3, 0, 7]])
    model = EnsembleRegressor(
        "deep_ensemble", n_members=1, hidden=(), epochs=1, scaling=scaling
    )
    model.fit(X, X[:, 0], validation_data=(X, X[:, 0]))
    terms = surprise(model, np.array([[5.0, 0, 7], [2, 1, 7], [1, 0, 8]]))
    usual = 1 / 5  # of an input that was always the same in four rows, and is still
    expected = [[9, usual, usual], [0, 5, usual], [1, usual, 5]]
    np.testing.assert_allclose(terms, expected, rtol=1e-5, atol=1e-9)
    assert never_trained(model).tolist() == [False, True, False]
