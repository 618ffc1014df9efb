import numpy as np
import pytest
import torch

from antireg import EnsembleClassifier, EnsembleRegressor, load
from antireg.estimators.stored_network import bin_arrays, bins_from
from antireg.networks import mlp
from antireg.networks.bins import fit_bins
from antireg.storage.fields import Fields
from tests.doubtful_models import curved, regressor

ROWS = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [4.0, 1.0]], np.float32)
FIELDS = Fields("model", {})


class Given(dict):
    """Arrays as a file would hold them."""

    def has(self, name):
        return name in self

    def take(self, name, dtype, shape):
        return np.asarray(self[name], dtype)


def arrays():
    return Given(bin_arrays(mlp([2, 3, 1], seeds=[0], bins=fit_bins(ROWS, 32))))


def test_bins_come_back_as_they_were():
    found = bins_from(FIELDS, arrays(), 2)
    for one, other in zip(found.tensors, fit_bins(ROWS, 32).tensors, strict=True):
        assert torch.equal(one, other)
    assert bins_from(FIELDS, Given(), 2) is None
    assert bin_arrays(mlp([2, 3, 1], seeds=[0])) == {}


@pytest.mark.parametrize(
    ("name", "change", "rule"),
    [
        ("bin_columns", lambda a: a + 1, "must name all of 2 columns"),
        ("bin_columns", lambda a: a * 0, "must name all of 2 columns"),
        ("bin_columns", lambda a: np.arange(len(a)), "must name all of 2 columns"),
        ("bin_numbers", lambda a: -a, "lower limits first"),
    ],
)
def test_bins_that_no_fit_wrote_are_refused(name, change, rule):
    given = arrays()
    given[name] = change(given[name])
    with pytest.raises(ValueError, match=rule):
        bins_from(FIELDS, given, 2)


def test_a_model_with_bins_predicts_the_same_after_loading(tmp_path):
    model, X = regressor(), curved(50, seed=4)[0]
    assert model.network_.bins is not None
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))


@pytest.mark.parametrize("estimator", [EnsembleRegressor, EnsembleClassifier])
def test_auto_cuts_tables_and_leaves_features_and_the_papers_estimator_whole(estimator):
    rng = np.random.default_rng(0)
    brief = {"epochs": 1, "n_members": 2, "hidden": (4,), "random_state": 0}
    y = rng.integers(2, size=200)
    for n_columns, settings, cut in (
        (3, {}, True),
        (3, {"doubt": None}, False),
        (3, {"doubt": None, "bins": 5}, True),
        (3, {"bins": None}, False),
        (50, {}, False),
    ):
        model = estimator("deep_ensemble", **brief, **settings)
        model.fit(rng.normal(size=(200, n_columns)), y)
        assert (model.network_.bins is not None) == cut
