import pickle

import numpy as np
import pytest

import antireg
from antireg import EnsembleRegressor
from tests.small_models import assert_same, classifier, regressor, rows
from tests.small_tables import unfinished_is_fine

pytestmark = unfinished_is_fine


@pytest.mark.parametrize("make", [regressor, classifier])
def test_a_pickle_of_an_older_version_says_what_it_said(make, tmp_path):
    model = make(robust=False)
    X = rows()[0]
    before = model.predict(X), model.ood_score(X)
    for name in ("robust", "robust_", "scaled_by_", "doubt"):
        del model.__dict__[name]
    older = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(older.predict(X), before[0])
    np.testing.assert_array_equal(older.ood_score(X), before[1])
    assert not older.get_params()["robust"]
    assert older.get_params()["doubt"] is None
    older.save(tmp_path / "model")
    assert_same(older, antireg.load(tmp_path / "model"))


def test_what_is_robust_stays_so_though_its_fit_did_not_note_it():
    model = regressor(scaling="none")
    del model.robust_, model.scaled_by_
    older = pickle.loads(pickle.dumps(model))
    assert older.robust_
    assert older.scaled_by_ == "none"


def test_intervals_without_factors_are_those_of_the_mixture():
    model = regressor(robust=False)
    del model.interval_factors_
    older = pickle.loads(pickle.dumps(model))
    X = rows()[0]
    mixture = older.predictive(X).interval(0.9)
    for end, wanted in zip(older.predict_interval(X), mixture, strict=True):
        np.testing.assert_array_equal(end, wanted[:, 0])


def test_one_that_was_not_fitted_still_is_not():
    older = EnsembleRegressor()
    del older.__dict__["robust"]
    copied = pickle.loads(pickle.dumps(older))
    assert not copied.robust
    assert not [name for name in vars(copied) if name.endswith("_")]
