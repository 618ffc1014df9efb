import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from antireg.trusted.answers import (
    Answer,
    amounts,
    class_probabilities,
    joined_answers,
)
from tests.small_tables import labelled, table


@pytest.mark.parametrize("kind", [RandomForestRegressor, ExtraTreesRegressor])
def test_a_forest_reports_the_deviation_of_its_trees(kind):
    X, y = table()
    targets = np.stack([y, -2 * y], axis=1)
    forest = kind(3, random_state=0).fit(X, targets)
    trees = np.stack([tree.predict(X.astype(np.float32)) for tree in forest])
    for rows in (X, csr_array(X)):
        said = amounts(forest, rows)
        np.testing.assert_allclose(said.values, trees.mean(axis=0))
        np.testing.assert_allclose(said.deviation, trees.std(axis=0), atol=1e-12)


def test_a_model_that_returns_its_deviation_is_asked_for_it():
    X, y = table()
    model = BayesianRidge().fit(X, y)
    mean, deviation = model.predict(X, return_std=True)
    said = amounts(model, X)
    np.testing.assert_array_equal(said.values, mean[:, None])
    np.testing.assert_array_equal(said.deviation, deviation[:, None])


def test_others_report_none():
    X, y = table()
    said = amounts(LinearRegression().fit(X, y), X)
    assert said.values.shape == (len(X), 1)
    assert said.deviation is None


def test_classes_that_a_copy_never_saw_have_no_probability():
    X, y = labelled()
    model = LogisticRegression().fit(X[y != "b"], y[y != "b"])
    said = class_probabilities(model, X, np.array(["a", "b", "c"])).values
    np.testing.assert_array_equal(said[:, [0, 2]], model.predict_proba(X))
    assert not said[:, 1].any()


def test_a_classifier_without_probabilities_is_certain_of_its_label():
    X, y = labelled()
    model = LinearSVC().fit(X, y)
    said = class_probabilities(model, X, np.unique(y)).values
    assert np.unique(said).tolist() == [0, 1]
    assert (np.unique(y)[said.argmax(axis=1)] == model.predict(X)).all()


def test_parts_are_joined_with_their_deviations():
    one = Answer(np.array([[1.0]]), np.array([[0.1]]))
    two = Answer(np.array([[2.0]]), np.array([[0.2]]))
    joined = joined_answers([one, two]).at([1, 0])
    assert joined.values.tolist() == [[2.0], [1.0]]
    assert joined.deviation.tolist() == [[0.2], [0.1]]
    assert joined_answers([Answer(one.values)]).deviation is None
