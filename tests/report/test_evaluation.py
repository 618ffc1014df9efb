import numpy as np
import pytest

from antireg.report.evaluation import detection_metrics, measure
from tests.small_models import classifier, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_a_regressor_is_measured_in_the_units_of_its_target():
    model, (X, y) = regressor(), rows()
    found = measure(model, X, y)
    error = np.abs(model.predict(X) - y)
    assert found.metrics["rmse"] == pytest.approx(np.sqrt((error**2).mean()))
    low, high = model.predict_interval(X, 0.9)
    inside = ((low <= y) & (y <= high)).mean()
    assert found.metrics["coverage_90"] == pytest.approx(inside)
    # The curve at 0.9 is the same interval.
    assert found.coverage[1][17] == pytest.approx(inside, abs=0.02)
    np.testing.assert_allclose(found.error, error)


def test_a_classifier_is_measured_by_its_labels():
    model, X = classifier(("a", "b", "c")), rows()[0]
    labels = model.predict(X)
    found = measure(model, X, labels)
    assert found.metrics["accuracy"] == 1
    assert found.coverage is None
    assert np.all(found.calibration[1] == 1)


def test_classes_never_seen_count_as_errors():
    model, X = classifier(("a", "b", "c")), rows()[0]
    labels = model.predict(X).astype("U9")
    labels[:12] = "zzz"
    found = measure(model, X, labels)
    assert found.metrics["accuracy"] == pytest.approx(0.9)
    assert found.metrics["unknown_classes"] == pytest.approx(0.1)


def test_far_rows_are_told_from_near_ones():
    model, (X, y) = regressor(), rows()
    near, far = measure(model, X, y), measure(model, X * 1000, y)
    assert detection_metrics(near, far)["auroc"] > 0.9
    assert detection_metrics(near, near)["auroc"] == 0.5


def test_a_row_that_is_strange_in_words_counts_as_flagged_as_predict_flags_it():
    model, (X, y) = regressor(), rows()
    alone = measure(model, X, y)
    words = ["colour is unseen" if not flag else "" for flag in alone.flags]
    assert measure(model, X, y, words).metrics["flagged_share"] == 1


def test_without_targets_there_are_scores_and_flags():
    model, X = regressor(), rows()[0]
    found = measure(model, X, None)
    np.testing.assert_array_equal(found.scores, model.ood_score(X))
    assert set(found.metrics) == {"rows", "flagged_share"}
    assert found.error.size == 0
