import warnings

import numpy as np
import pytest
import torch

from antireg import DARE, METHODS, DeepEnsemble, EnsembleRegressor, NegativeCorrelation
from antireg.estimators import retraining
from antireg.methods.base import DivergedError, Method
from antireg.training.loop import Trainer
from tests.small_models import SMALL, classifier, own_network, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore")


def retrained(**settings):
    """Return a regressor of 120 rows, and each training without some of them."""
    seen = []

    class Watched(Trainer):
        def __call__(self, *given):
            fit = super().__call__(*given)
            problem = self.plan.problem
            seen.append((problem.data, problem.validation, self.plan.settings, fit))
            return fit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retraining, "Trainer", Watched)
        model = regressor(batch_size=120, **settings)
    return model, seen


def test_members_are_trained_as_the_fit_was_but_without_their_part():
    model, seen = retrained(epochs=7)
    held_out = model.held_out_rows_
    sizes = [86, 86, 87, 87, 87]
    assert [len(data) for data, _, _, _ in seen[::2]] == sizes
    for data, validation, _, _ in seen:
        assert len(validation) == len(held_out) == 12
        inputs = {row.tobytes() for row in data.x.numpy()}
        assert inputs.isdisjoint(row.tobytes() for row in validation.x.numpy())
    assert {repr(fit.method) for *_, fit in seen[::2]} == {repr(model.method_)}


def test_their_centre_is_trained_without_the_same_rows():
    _, seen = retrained(epochs=7)
    assert {type(fit.method) for *_, fit in seen[1::2]} == {DeepEnsemble}
    for (data, *_), (beside, *_) in zip(seen[::2], seen[1::2], strict=True):
        np.testing.assert_array_equal(data.x, beside.x)


@pytest.mark.parametrize("settings", [{"robust": False}, {"method": DARE(0.5)}])
def test_without_a_centre_nothing_is_trained_beside(settings):
    _, seen = retrained(**settings)
    assert [type(fit.method) for *_, fit in seen] == [DARE] * 5


def test_the_held_out_rows_choose_the_epochs_to_keep():
    """As in the fit: a deep ensemble keeps the epoch with the least loss on them."""
    _, seen = retrained(method="deep_ensemble", epochs=7, lr=0.3)
    for _, _, _, fit in seen:
        best = fit.history.validation_loss.argmin(axis=0) + 1
        np.testing.assert_array_equal(fit.history.kept, best)
    assert any((fit.history.kept < 7).any() for *_, fit in seen)


class FirstEpoch(Method):
    """Keeps every member after its first epoch."""

    def penalty(self, step, memory):
        return step.network.flat.new_zeros(step.network.n_members)

    def keep(self, validation_loss, kept):
        return kept.isinf()


def test_they_train_no_longer_than_twice_the_last_kept_epoch_of_the_fit():
    model, seen = retrained(method=FirstEpoch(), epochs=7)
    assert model.history_.kept.tolist() == [1, 1]
    assert [settings.epochs for _, _, settings, _ in seen] == [2] * 5


@pytest.mark.parametrize("method", METHODS)
def test_every_method_says_something_of_every_row(method):
    model = regressor(method=method)
    assert len(model.held_out_scores_) == 120
    assert np.isfinite(model.held_out_scores_).all()


def test_classifiers_networks_of_ones_own_and_squared_errors_are_left_out_too():
    assert len(classifier(labels=(0, 1, 2)).held_out_scores_) == 117
    assert len(regressor(network=own_network).held_out_scores_) == 120
    plain = {"loss": "squared_error", "robust": False}
    assert regressor(**plain).noise_.shape == (2, 1, 1)
    # Two members, and the two of their centre.
    assert regressor(loss="squared_error").noise_.shape == (4, 1, 1)


def test_workers_change_no_bit_of_it():
    for method in ("deep_ensemble", "dare"):
        one, two = (regressor(n_jobs=n, method=method) for n in (1, 2))
        np.testing.assert_array_equal(one.held_out_scores_, two.held_out_scores_)
        np.testing.assert_array_equal(
            one.interval_factors_.factors, two.interval_factors_.factors
        )


def test_a_second_fit_takes_it_from_the_checkpoint(tmp_path):
    X, y = rows()
    first = EnsembleRegressor(**SMALL).fit(X, y, checkpoint=tmp_path)
    folders = sorted(path.name for path in tmp_path.glob("left-out-*"))
    assert folders == [f"left-out-{number}" for number in range(1, 6)]
    assert len([*tmp_path.glob("left-out-*/centre/*")]) == 5
    again = EnsembleRegressor(**SMALL).fit(X, y, checkpoint=tmp_path)
    np.testing.assert_array_equal(first.held_out_scores_, again.held_out_scores_)
    assert torch.equal(first.centre_.flat, again.centre_.flat)


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


def test_filters_of_warnings_are_left_alone_as_all_threads_share_them(monkeypatch):
    filters, seen = warnings.filters, []

    class Watched(Trainer):
        def __call__(self, *given):
            seen.append(warnings.filters is filters)
            return super().__call__(*given)

    monkeypatch.setattr(retraining, "Trainer", Watched)
    regressor()
    assert seen == [True] * 10  # five times members and centre
