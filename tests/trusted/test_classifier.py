import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

from antireg import ClassProbabilities, TrustedClassifier
from tests.small_tables import labelled

pytestmark = pytest.mark.filterwarnings("ignore:doubt was not learned")

FAR = np.array([[1e6, -1e6, 1e6]])


@pytest.mark.parametrize(
    "inner", [LogisticRegression(), LinearSVC(), RandomForestClassifier(10)], ids=str
)
def test_far_away_probabilities_are_the_frequencies_of_the_classes(inner):
    X, y = labelled(300)
    kept = np.r_[:150, 150:300:3]  # so that classes are not equally frequent
    X, y = X[kept], y[kept]
    model = TrustedClassifier(inner, random_state=0).fit(X, y)
    shares = np.unique(y, return_counts=True)[1] / len(y)
    assert len(np.unique(shares)) > 1
    w = model.doubt(FAR)[0]
    assert w > 0.95
    away = np.abs(model.predict_proba(FAR)[0] - shares)
    assert away.max() <= 1 - w
    assert model.is_ood(FAR).all()
    assert model.score(X, y) > 0.9


def test_probabilities_are_calibrated_by_rows_that_copies_do_not_know():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
    new = rng.normal(size=(2000, 4))
    true = (new[:, 0] + rng.normal(size=2000) > 0).astype(int)
    forest = RandomForestClassifier(10, random_state=0)
    plain = log_loss(true, forest.fit(X, y).predict_proba(new))
    gated = TrustedClassifier(forest, random_state=0).fit(X, y)
    assert log_loss(true, gated.predict_proba(new)) < plain - 0.1


def test_a_fitted_estimator_brings_its_classes():
    X, y = labelled(300)
    inner = LogisticRegression().fit(X, y)
    some = np.flatnonzero(y != "c")[:80]
    model = TrustedClassifier(inner, prefit=True, random_state=0).fit(X[some], y[some])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba(X).shape == (300, 3)
    with pytest.raises(ValueError, match=r"got \['z'\] too"):
        model.fit(X, np.where(y == "c", "z", y))


def test_a_class_with_one_row_does_not_stop_it():
    X, y = labelled(150)
    y = np.where(np.arange(150) == 0, "z", y)
    model = TrustedClassifier(LogisticRegression(), random_state=0).fit(X, y)
    assert model.predict_proba(X).shape == (150, 4)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_all_at_once_is_what_each_question_says():
    X, y = labelled(90)
    model = TrustedClassifier(LogisticRegression(), random_state=0).fit(X, y)
    rows = np.concatenate([X[:5], FAR])
    said = model.predictive(rows)
    assert isinstance(said, ClassProbabilities)
    assert said.probabilities.shape == (1, 6, 3)
    np.testing.assert_array_equal(said.mean, model.predict_proba(rows))
    np.testing.assert_array_equal(model.classes_[said.label], model.predict(rows))
