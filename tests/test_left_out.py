import warnings

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

from antireg import METHODS, EnsembleClassifier, EnsembleRegressor, left_out
from antireg.left_out import LeftOut, parts_to_leave_out
from antireg.methods.base import DivergedError
from antireg.parallel import Workers
from tests.small_models import SMALL, classifier, own_network, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore")


def masked(n_rows, n_held_out):
    return np.arange(n_rows) >= n_held_out


@pytest.mark.parametrize(
    ("n_rows", "n_held_out", "n_parts"),
    [(100, 10, 5), (500, 50, 2), (1000, 100, 1), (2000, 200, 0), (6, 1, 0)],
)
def test_parts_are_as_many_as_are_needed(n_rows, n_held_out, n_parts):
    trained = masked(n_rows, n_held_out)
    parts = parts_to_leave_out(np.zeros(n_rows), trained, np.random.default_rng(0))
    assert len(parts) == n_parts
    together = np.concatenate([*parts, np.zeros(0, int)])
    assert len(np.unique(together)) == len(together)
    assert trained[together].all()


def test_every_part_has_its_share_of_every_class_and_one_row_stays():
    groups = np.repeat([0, 1, 2], [80, 11, 1])
    trained = np.ones(92, dtype=bool)
    parts = parts_to_leave_out(groups, trained, np.random.default_rng(0))
    assert [np.bincount(groups[part], minlength=3).tolist() for part in parts] == [
        [16, 2, 0],
        [16, 2, 0],
        [16, 2, 0],
        [16, 2, 0],
        [15, 2, 0],
    ]


def test_scores_are_raised_by_what_leaving_out_does_beyond_the_level():
    """Without its part a training scores 3·4 as high there, and 3 times elsewhere."""
    fit = np.array([[[1.0], [2.0], [3.0], [4.0]]])
    trained = np.array([False, True, True, True])
    other = fit * np.array([[7.0], [12.0], [3.0], [3.0]])
    said = LeftOut(fit, trained, [np.array([1])], [other])
    scores = said.scores(lambda outputs: outputs[0, :, 0])
    np.testing.assert_allclose(scores, [1, 8, 12, 16], rtol=1e-12)
    np.testing.assert_array_equal(said.places, [True, True, False, False])
    np.testing.assert_array_equal(said.unseen, [[[1.0], [24.0]]])


def test_members_are_trained_without_their_part_for_as_long_as_they_were_kept():
    seen = []

    class Watched(Workers):
        def train(self, *given):
            fit = super().train(*given)
            seen.append((len(self.data), self.settings, fit))
            return fit

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(left_out, "Workers", Watched)
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
    one, two = regressor(n_jobs=1, n_members=4), regressor(n_jobs=2, n_members=4)
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

    class Diverging(Workers):
        def train(self, *given):
            done.append(given)
            if len(done) <= n_failures:
                raise DivergedError("Training diverged.")
            return super().train(*given)

    monkeypatch.setattr(left_out, "Workers", Diverging)
    n_failures = 1
    assert len(classifier().held_out_scores_) == 120 - 2 - 22
    n_failures = 100
    model = regressor()
    held_out = model.ood_score(rows()[0][model.held_out_rows_])
    np.testing.assert_allclose(model.held_out_scores_, np.sort(held_out), rtol=1e-5)


def test_validation_data_alone_say_it_where_they_are_given():
    X, y = rows()
    model = EnsembleRegressor(**SMALL).fit(X, y, validation_data=(X[:40], y[:40]))
    assert len(model.held_out_scores_) == 40


def test_small_tables_keep_their_promises():
    """Ten fits of 100 rows.

    With 100 scores the rate of a fit follows a beta law of 5 and 96: above 10 % once in
    60 fits; two of ten once in 200. A fit's coverage has a deviation of 3 points, the
    mean of ten 1.
    """
    X, y = make_friedman1(4000, noise=1.0, random_state=0)
    rates, held = [], []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(4000)
        known, fresh = order[:100], order[100:]
        model = EnsembleRegressor(
            "deep_ensemble", hidden=(32,), steps=200, n_members=3, random_state=seed
        ).fit(X[known], y[known])
        rates.append(model.is_ood(X[fresh]).mean())
        low, high = model.predict_interval(X[fresh])
        held.append(((low <= y[fresh]) & (y[fresh] <= high)).mean())
    assert (np.abs(np.array(rates) - 0.05) <= 0.05).sum() >= 9
    assert abs(np.mean(held) - 0.9) < 0.03


def test_digits_keep_their_false_alarm_rate():
    from sklearn.datasets import load_digits  # noqa: PLC0415

    X, y = load_digits(return_X_y=True)
    rates = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(y))
        model = EnsembleClassifier(
            "deep_ensemble", hidden=(32,), steps=150, n_members=3, random_state=seed
        ).fit(X[order[:150]], y[order[:150]])
        rates.append(model.is_ood(X[order[150:]]).mean())
    assert np.abs(np.array(rates) - 0.05).max() <= 0.05


def test_no_warning_is_said_again_for_every_part():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        regressor(method="negative_correlation", n_jobs=2)
    said = [str(warning.message) for warning in caught]
    assert sum("n_jobs has no effect" in message for message in said) == 1
