import warnings

import numpy as np
import pytest

from antireg import METHODS, EnsembleRegressor, NegativeCorrelation
from antireg.estimators import retraining
from antireg.methods.base import DivergedError
from antireg.training.loop import Trainer
from tests.small_models import SMALL, classifier, own_network, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore")


def test_members_are_trained_without_their_part_for_as_long_as_they_were_kept():
    seen = []

    class Watched(Trainer):
        def __call__(self, method):
            fit = super().__call__(method)
            seen.append((len(self.plan.problem.data), self.plan.settings, fit))
            return fit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retraining, "Trainer", Watched)
        model = regressor(epochs=7, batch_size=120)
    assert [n_rows for n_rows, _, _ in seen] == [98, 98, 99, 99, 99]
    for _, settings, fit in seen:
        np.testing.assert_array_equal(fit.history.kept, model.history_.kept)
        assert settings.epochs == max(model.history_.kept)
        assert repr(fit.method) == repr(model.method_)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_something_of_every_row(method):
    model = regressor(method=method)
    assert len(model.held_out_scores_) == 120
    assert np.isfinite(model.held_out_scores_).all()


def test_classifiers_networks_of_ones_own_and_squared_errors_are_left_out_too():
    assert len(classifier(labels=(0, 1, 2)).held_out_scores_) == 117
    assert len(regressor(network=own_network).held_out_scores_) == 120
    assert regressor(loss="squared_error").noise_.shape == (2, 1, 1)


def test_workers_change_no_bit_of_it():
    settings = {"method": "deep_ensemble", "n_members": 2}
    one, two = regressor(n_jobs=1, **settings), regressor(n_jobs=2, **settings)
    np.testing.assert_array_equal(one.held_out_scores_, two.held_out_scores_)
    np.testing.assert_array_equal(
        one.interval_factors_.factors, two.interval_factors_.factors
    )


def test_a_second_fit_takes_it_from_the_checkpoint(tmp_path):
    X, y = rows()
    first = EnsembleRegressor(**SMALL).fit(X, y, checkpoint=tmp_path)
    folders = sorted(path.name for path in tmp_path.glob("left-out-*"))
    assert folders == [f"left-out-{number}" for number in range(1, 6)]
    again = EnsembleRegressor(**SMALL).fit(X, y, checkpoint=tmp_path)
    np.testing.assert_array_equal(first.held_out_scores_, again.held_out_scores_)


def test_a_part_whose_training_diverges_is_done_without(monkeypatch):
    """And all of them: then the held-out rows say what they can."""
    done = []

    class Diverging(Trainer):
        def __call__(self, method):
            done.append(method)
            if len(done) <= n_failures:
                raise DivergedError("Training diverged.")
            return super().__call__(method)

    monkeypatch.setattr(retraining, "Trainer", Diverging)
    n_failures = 1
    assert len(classifier().held_out_scores_) == 120 - 2 - 22
    n_failures = 100
    model = regressor()
    held_out = model.ood_score(rows()[0][model.held_out_rows_])
    np.testing.assert_allclose(model.held_out_scores_, np.sort(held_out), rtol=1e-5)


def test_no_warning_is_said_again_for_every_part():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        regressor(method=NegativeCorrelation(strength=0.1), n_jobs=2)
    said = [str(warning.message) for warning in caught]
    assert sum("n_jobs has no effect" in message for message in said) == 1
