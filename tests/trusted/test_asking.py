import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from antireg import EnsembleRegressor, ask
from tests.doubtful_models import FAR, SETTINGS, curved

X, Y = curved(300)


@pytest.fixture(scope="module")
def pipeline():
    inner = make_pipeline(StandardScaler(), EnsembleRegressor(**SETTINGS))
    return make_pipeline(StandardScaler(), inner).fit(X, Y)


def test_questions_reach_the_last_step_of_a_pipeline(pipeline):
    rows = np.concatenate([X[:5], FAR])
    inner = pipeline[-1][-1]
    scaled = pipeline[-1][0].transform(pipeline[0].transform(rows))
    assert ask(pipeline, rows, "is_ood")[-2:].all()
    for question in ("is_ood", "doubt", "ood_score", "predict_interval"):
        expected = getattr(inner, question)(scaled)
        np.testing.assert_array_equal(ask(pipeline, rows, question), expected)
    found = ask(pipeline, rows, "predict_interval", coverage=0.5)
    np.testing.assert_array_equal(found, inner.predict_interval(scaled, 0.5))
    assert ask(pipeline, rows, "reasons", top=1)[-1][0].startswith("x")


def test_a_search_and_an_estimator_alone_are_asked_too(pipeline):
    inner = pipeline[-1][-1]
    np.testing.assert_array_equal(ask(inner, X, "is_ood"), inner.is_ood(X))
    search = GridSearchCV(make_pipeline(Ridge()), {"ridge__alpha": [1.0]}, cv=2)
    np.testing.assert_array_equal(
        ask(search.fit(X, Y), X, "predict"), search.predict(X)
    )


def test_another_unit_of_targets_is_not_passed_on():
    quick = EnsembleRegressor(**SETTINGS)
    model = TransformedTargetRegressor(quick, func=np.log, inverse_func=np.exp)
    model.fit(X, Y)
    assert ask(model, FAR, "is_ood").all()
    with pytest.raises(ValueError, match=r"inner units.*target_transform=\"log\""):
        ask(model, FAR, "predict_interval")


def test_a_question_that_there_is_not_is_said(pipeline):
    with pytest.raises(ValueError, match="a method of EnsembleRegressor, got 'is_odd'"):
        ask(pipeline, X, "is_odd")
