"""How doubt is learned, whatever the rows and the members are."""

import numpy as np
import pytest
from torch import nn

from antireg import EnsembleRegressor
from antireg.estimators import doubt_learning
from antireg.familiarity.doubt import START
from antireg.storage import model_folder
from antireg.training.epoch import Running
from tests.doubtful_models import FAR, SETTINGS, curved, regressor

FAST = SETTINGS | {"epochs": 4}


def numbers(model):
    doubt = model.doubt_.doubt
    return [doubt.curve.a, doubt.curve.b, doubt.noise, doubt.growth, doubt.width]


def test_numbers_are_learned_where_rows_can_be_rehearsed():
    assert numbers(regressor()) != START.tolist()
    curve = regressor().doubt_.doubt.curve
    assert curve.end > curve.start > 0


def test_the_same_seed_gives_the_same_bits_whoever_trains():
    X, y = curved(300)
    # So many members are trained in two groups, and so are all pairs that rehearse:
    # fit would warn if two workers had nothing to share.
    settings = FAST | {"n_members": 21}
    first = EnsembleRegressor(**settings).fit(X, y)
    second = EnsembleRegressor(**settings, n_jobs=2).fit(X, y)
    assert numbers(first) == numbers(second)
    np.testing.assert_array_equal(first.held_out_scores_, second.held_out_scores_)
    new = np.concatenate([2 * curved(200, seed=1)[0], FAR])
    np.testing.assert_array_equal(first.predict(new), second.predict(new))
    np.testing.assert_array_equal(first.doubt(new), second.doubt(new))
    assert 0 < np.count_nonzero(first.doubt(new)) < len(new)


def test_a_finished_fit_rehearses_no_second_time(tmp_path, rehearsed_epochs):
    X, y = curved(300)
    first = EnsembleRegressor(**FAST).fit(X, y, checkpoint=tmp_path)
    assert list(tmp_path.glob("rehearsal-*/*.safetensors"))
    assert rehearsed_epochs
    rehearsed_epochs.clear()
    second = EnsembleRegressor(**FAST).fit(X, y, checkpoint=tmp_path)
    assert numbers(first) == numbers(second)
    assert not rehearsed_epochs


@pytest.fixture
def rehearsed_epochs(monkeypatch):
    """The number of each epoch of rehearsals that is trained while the test runs."""
    seen, plain = [], Running.run_epoch

    def watched(self, batches):
        plain(self, batches)
        place = self.group.checkpoint.path.parent
        if place.name.startswith("rehearsal"):
            seen.append(len(self.state.epochs))

    monkeypatch.setattr(Running, "run_epoch", watched)
    return seen


class Interrupting:
    """A callback that interrupts a fit once, in the middle of its training."""

    def __init__(self):
        self.numbers = []

    def __call__(self, epoch):
        self.numbers.append(epoch.number)
        if self.numbers == [*range(1, 21)]:
            raise KeyboardInterrupt


def test_a_fit_interrupted_twice_ends_with_the_same_bits(
    tmp_path, monkeypatch, rehearsed_epochs
):
    """In the members' training, and in the middle of rehearsals."""
    monkeypatch.setattr("antireg.training.checkpoint.SECONDS", 0.0)
    X, y = curved(300)
    settings = SETTINGS | {"epochs": 40}
    whole = EnsembleRegressor(**settings).fit(X, y, checkpoint=tmp_path / "whole")
    n_rehearsed = len(rehearsed_epochs)
    assert n_rehearsed >= 3

    callback = Interrupting()
    model = EnsembleRegressor(**settings, callbacks=[callback])

    def fit():
        return model.fit(X, y, checkpoint=tmp_path / "files")

    rehearsed_epochs.clear()
    with pytest.raises(KeyboardInterrupt):
        fit()
    assert not rehearsed_epochs

    plain = Running.end_epoch

    def interrupted(self, last):
        plain(self, last)
        if rehearsed_epochs == [1, 2]:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Running, "end_epoch", interrupted)
        fit()
    # The epoch at which it was interrupted was not written, so it is trained again.
    assert callback.numbers == [*range(1, 21), *range(20, 41)]
    assert rehearsed_epochs == [1, 2]
    fit()
    assert rehearsed_epochs == [*range(1, n_rehearsed + 1)]

    assert numbers(model) == numbers(whole)
    whole.save(tmp_path / "a")
    model.set_params(callbacks=()).save(tmp_path / "b")
    # The name of the arrays is their checksum.
    one, other = (model_folder.names(tmp_path / name)[1] for name in ("a", "b"))
    assert one == other
    new = np.concatenate([2 * curved(200, seed=1)[0], FAR])
    for name in ("predict", "doubt", "ood_score", "predict_interval"):
        one, other = (getattr(fitted, name)(new) for fitted in (whole, model))
        np.testing.assert_array_equal(one, other)


def test_too_few_rows_have_fixed_numbers_and_it_is_said_once():
    X, y = curved(90)
    with pytest.warns(
        UserWarning, match="doubt was not learned: it takes 100"
    ) as caught:
        model = EnsembleRegressor(**FAST).fit(X, y)
    assert sum("doubt" in str(warning.message) for warning in caught) == 1
    assert caught[-1].filename == __file__
    assert numbers(model) == START.tolist()
    assert model.doubt(FAR).min() > 0.5
    assert model.is_ood(FAR).all()


def test_a_rehearsal_that_diverges_leaves_fixed_numbers(monkeypatch):
    monkeypatch.setattr(doubt_learning, "rehearsals", lambda *given: [])
    with pytest.warns(UserWarning, match="0 sets of rows can be rehearsed"):
        model = EnsembleRegressor(**FAST).fit(*curved(300))
    assert numbers(model) == START.tolist()


def test_several_targets_have_one_doubt_and_each_its_own_fallback():
    X, y = curved(400)
    both = np.stack([y, -1000 * y], axis=1)
    model = EnsembleRegressor(**FAST).fit(X, both)
    assert model.doubt(FAR).shape == (2,)
    trained = np.delete(both, model.held_out_rows_, axis=0)
    np.testing.assert_allclose(model.doubt_.doubt.mean, trained.mean(axis=0), rtol=1e-4)
    np.testing.assert_allclose(
        model.doubt_.doubt.variance, trained.var(axis=0), rtol=1e-4
    )
    assert model.predict(FAR).shape == (2, 2)
    assert model.predict_interval(FAR)[0].shape == (2, 2)


def test_weights_of_rows_count_for_what_is_said_without_looking():
    X, y = curved(400)
    weight = np.where(y > 50, 1.0, 1e-3)
    model = EnsembleRegressor(**FAST).fit(X, y, sample_weight=weight)
    assert model.doubt_.doubt.mean.item() > 50


def test_rows_on_disk_are_drawn_from_there(tmp_path, monkeypatch):
    X, y = curved(400)
    np.save(tmp_path / "X.npy", X)
    stored = np.load(tmp_path / "X.npy", mmap_mode="r")
    monkeypatch.setattr("antireg.rows.stored.LARGE", 0)
    found = EnsembleRegressor(**FAST).fit(stored, y)
    monkeypatch.undo()
    known = EnsembleRegressor(**FAST).fit(X, y)
    assert numbers(found) == pytest.approx(numbers(known), rel=1e-3)
    np.testing.assert_allclose(found.doubt(FAR), known.doubt(FAR), rtol=1e-3)


def test_a_network_of_ones_own_does_without_hidden_layers():
    network = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
    model = EnsembleRegressor(**FAST, network=network).fit(*curved(300))
    assert "hidden" not in model.doubt_.normalisation.middle
    assert model.doubt(FAR).min() > 0.5


@pytest.mark.parametrize("doubt", [None, "rehearsed"])
def test_rows_of_a_group_are_held_out_together(doubt):
    X, y = curved(400)
    groups = np.repeat([f"camera {k}" for k in range(20)], 20)
    model = EnsembleRegressor(**FAST | {"doubt": doubt}).fit(X, y, groups=groups)
    held_out = set(groups[model.held_out_rows_])
    others = set(np.delete(groups, model.held_out_rows_))
    assert held_out
    assert not held_out & others


def test_groups_are_what_is_rehearsed_without(monkeypatch):
    seen = []
    original = doubt_learning.rehearsals

    def watched(model, problem, groups, *others):
        found = original(model, problem, groups, *others)
        seen.append((groups, found))
        return found

    monkeypatch.setattr(doubt_learning, "rehearsals", watched)
    X, y = curved(400)
    labels = np.repeat(range(20), 20)
    model = EnsembleRegressor(**FAST).fit(X, y, groups=labels)
    ((groups, found),) = seen
    np.testing.assert_array_equal(groups, np.delete(labels, model.held_out_rows_))
    assert len(found) == 8 + 3  # of groups, and tails of three columns


def test_groups_must_be_one_label_a_row():
    X, y = curved(50)
    with pytest.raises(ValueError, match=r"groups must be one label per row, \(50,\)"):
        EnsembleRegressor(**FAST).fit(X, y, groups=[1, 2])


def test_squared_errors_learn_a_noise_for_every_pair():
    model = EnsembleRegressor(**FAST, loss="squared_error").fit(*curved(300))
    assert model.noise_.shape == (3, 1, 1)
    assert numbers(model) != START.tolist()


def test_validation_data_are_the_held_out_rows():
    X, y = curved(400)
    model = EnsembleRegressor(**FAST).fit(
        X[100:], y[100:], validation_data=(X[:100], y[:100])
    )
    assert len(model.held_out_scores_) == 100
    assert len(model.doubt_.signalling.reference.inputs) == 300
