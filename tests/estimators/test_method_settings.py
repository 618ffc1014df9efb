import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from antireg import DARE, DeepEnsemble, EnsembleRegressor, Repulsive
from tests.small_tables import QUICK, table, unfinished_is_fine

pytestmark = unfinished_is_fine


def test_without_doubt_the_default_is_dare_and_takes_its_settings() -> None:
    model = EnsembleRegressor(doubt=None)
    assert model.get_params()["method__delta"] == 0.25
    model.set_params(method__delta=0.5)
    assert model.method == DARE(delta=0.5)
    assert clone(model).method == DARE(delta=0.5)


def test_grid_search_reaches_into_the_method() -> None:
    X, y = table()
    search = GridSearchCV(
        EnsembleRegressor(**QUICK, robust=False), {"method__delta": [0.1, 0.5]}, cv=2
    ).fit(X, y)
    chosen = search.best_params_["method__delta"]
    assert search.best_estimator_.method_.delta == chosen
    scores = search.cv_results_["mean_test_score"]
    assert scores[0] != scores[1]


def test_what_a_method_shows_is_an_attribute_and_nothing_else_is() -> None:
    dare = EnsembleRegressor(DARE(threshold=0.5), **QUICK).fit(*table())
    assert dare.threshold_ == 0.5
    model = EnsembleRegressor("repulsive", **QUICK).fit(*table())
    assert not hasattr(model, "threshold_")
    with pytest.raises(AttributeError, match="'threshold_' when trained by Repulsive"):
        model.threshold_  # noqa: B018
    assert isinstance(model.method_, Repulsive)


def test_nothing_is_shown_before_a_fit() -> None:
    with pytest.raises(NotFittedError, match="no attribute 'threshold_' before fit"):
        EnsembleRegressor(doubt=None).threshold_  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'misspelt'") as caught:
        EnsembleRegressor(doubt=None).misspelt  # noqa: B018
    assert not isinstance(caught.value, NotFittedError)


def test_auto_is_a_deep_ensemble_with_doubt_and_dare_without() -> None:
    with_doubt, without = EnsembleRegressor(), EnsembleRegressor(doubt=None)
    assert "method__delta" not in with_doubt.get_params()
    assert without.get_params()["method__delta"] == 0.25
    X, y = table()
    with_doubt.set_params(**QUICK | {"doubt": "rehearsed"}).fit(X, y)
    assert isinstance(with_doubt.method_, DeepEnsemble)
    assert isinstance(without.set_params(**QUICK).fit(X, y).method_, DARE)
    assert without.set_params(method__delta=0.5).method.delta == 0.5
