import pickle
from pathlib import Path

import joblib
import numpy as np
import pytest
from safetensors.numpy import load_file
from torch import nn

import antireg
from antireg import DARE, METHODS, AnchorNet, EnsembleRegressor
from antireg.estimators import restoring, stored_parts
from antireg.familiarity import detection
from antireg.storage import model_folder
from tests.small_models import (
    SMALL,
    assert_same,
    classifier,
    own_network,
    regressor,
    rows,
)

FILES = Path(__file__).parent.parent / "files"

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

MODELS = {
    **{
        f"regressor-{name}": (regressor, {"method": name, "n_members": 3})
        for name in METHODS
    },
    "regressor-squared": (regressor, {"loss": "squared_error"}),
    "regressor-method": (regressor, {"method": AnchorNet(strength=1.0)}),
    "regressor-infinite": (regressor, {"method": DARE(threshold=-np.inf)}),
    "classifier-two": (classifier, {}),
    "classifier-integers": (classifier, {"labels": (3, 7, 9)}),
    "classifier-booleans": (classifier, {"labels": (False, True)}),
    "classifier-entropy": (classifier, {"loss": "cross_entropy"}),
    "classifier-one-hot": (classifier, {"loss": "one_hot_squared_error"}),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_loaded_model_predicts_the_same_to_the_last_bit(name, tmp_path):
    make, settings = MODELS[name]
    model = make(**settings)
    model.save(tmp_path / "model")
    loaded = antireg.load(tmp_path / "model")
    assert_same(model, loaded)
    expected = {k: v for k, v in model.get_params().items() if k != "method"}
    found = {k: v for k, v in loaded.get_params().items() if k != "method"}
    assert found == expected
    assert repr(loaded.method_) == repr(model.method_)
    np.testing.assert_array_equal(loaded.held_out_scores_, model.held_out_scores_)
    np.testing.assert_allclose(
        loaded.history_.kept_validation_loss, model.history_.kept_validation_loss, 1e-6
    )
    again = tmp_path / "again"
    loaded.save(again)
    assert_same(model, antireg.load(again))


def test_several_targets_and_column_names_are_kept(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = rows()
    table = pandas.DataFrame(X, columns=["a", "b", "ç"])
    model = EnsembleRegressor(**SMALL).fit(table, np.stack([y, -y], axis=1))
    model.save(tmp_path / "model")
    loaded = antireg.load(tmp_path / "model")
    assert loaded.predict(table).shape == (120, 2)
    np.testing.assert_array_equal(model.predict(table), loaded.predict(table))
    assert loaded.feature_names_in_.tolist() == ["a", "b", "ç"]
    assert loaded.training_data_.fingerprint == model.training_data_.fingerprint


def test_how_many_groups_there_were_is_kept(tmp_path):
    X, y = rows()
    model = EnsembleRegressor(**SMALL).fit(X, y, groups=np.arange(len(X)) // 10)
    model.save(tmp_path / "model")
    assert model.n_groups_ == antireg.load(tmp_path / "model").n_groups_ == 12
    model.fit(X, y)
    model.save(tmp_path / "model")
    assert model.n_groups_ is antireg.load(tmp_path / "model").n_groups_ is None


def test_the_same_rows_have_the_same_fingerprint_and_others_do_not():
    first, second = regressor(), regressor()
    X, y = rows()
    other = EnsembleRegressor(**SMALL).fit(X + 1e-9, y)
    assert first.training_data_.fingerprint == second.training_data_.fingerprint
    assert first.training_data_.fingerprint != other.training_data_.fingerprint


def test_a_long_history_and_many_scores_are_thinned_and_the_flags_stay(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(6000, 2))
    settings = SMALL | {"epochs": 150, "batch_size": 2000}
    model = EnsembleRegressor("deep_ensemble", **settings).fit(X, X[:, 0])
    model.save(tmp_path / "model")
    loaded = antireg.load(tmp_path / "model")
    assert len(model.held_out_scores_) == 600
    assert len(loaded.held_out_scores_) == 600
    (arrays,) = (tmp_path / "model").glob("arrays-*.safetensors")
    stored = load_file(arrays)
    assert len(stored["held_out_scores"]) <= stored_parts.MOST_SCORES
    assert len(loaded.history_.loss) < 110
    assert loaded.history_.n_epochs == 150
    np.testing.assert_array_equal(loaded.history_.kept, model.history_.kept)
    assert_rate_is_kept(model, loaded)


def assert_rate_is_kept(model, loaded):
    held = model.held_out_scores_
    for rate in (0.05, 0.01, 0.2):
        exact, stored = (
            detection.threshold(m.held_out_scores_, rate) for m in (model, loaded)
        )
        assert abs((held > exact).mean() - (held > stored).mean()) <= 1 / len(held)
        assert stored == exact or rate != model.false_alarm_rate


def test_rates_of_one_in_a_thousand_survive_saving(tmp_path):
    model = regressor()
    model.held_out_scores_ = np.sort(np.random.default_rng(0).lognormal(size=50_000))
    model.save(tmp_path / "model")
    loaded = antireg.load(tmp_path / "model")
    for rate in (0.05, 0.002, 0.001, 0.0005, 0.0001):
        assert loaded.ood_threshold(rate) == model.ood_threshold(rate)
    loaded.save(tmp_path / "again")
    again = antireg.load(tmp_path / "again")
    np.testing.assert_array_equal(again.held_out_scores_, loaded.held_out_scores_)


def test_the_folder_is_hardly_larger_than_the_weights(tmp_path):
    y = rows(800)[1]
    names = [f"a column with a name {k}" for k in range(20)]
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(np.random.default_rng(0).normal(size=(800, 20)))
    table.columns = names
    settings = {"epochs": 105, "batch_size": 200, "random_state": 0, "doubt": None}
    settings |= {"validation_fraction": 0.75, "method": "deep_ensemble"}
    model = EnsembleRegressor(**settings).fit(table, y)
    assert len(model.held_out_scores_) > stored_parts.MOST_SCORES
    model.save(tmp_path / "model")
    stored = sum(file.stat().st_size for file in (tmp_path / "model").iterdir())
    assert stored <= 1.06 * 4 * model.network_.flat.numel()


def test_a_network_of_the_users_own_is_asked_for(tmp_path):
    model = regressor(network=own_network)
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="network must be given"):
        antireg.load(tmp_path / "model")
    with pytest.raises(ValueError, match="network must have the tensors"):
        antireg.load(tmp_path / "model", network=lambda i, o: nn.Linear(i, o))
    assert_same(model, antireg.load(tmp_path / "model", network=own_network))
    regressor().save(tmp_path / "plain")
    with pytest.raises(ValueError, match="network must be None"):
        antireg.load(tmp_path / "plain", network=own_network)


def test_what_cannot_be_data_is_refused_in_words(tmp_path):
    class Mine(DARE):
        """A method of the user's own."""

    with pytest.raises(ValueError, match="got a Mine, which is code"):
        regressor(method=Mine()).save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_saving_replaces_a_model_and_nothing_else(tmp_path):
    first, second = regressor(), regressor(random_state=1)
    first.save(tmp_path / "model")
    second.save(tmp_path / "model")
    assert_same(second, antireg.load(tmp_path / "model"))
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("precious")
    with pytest.raises(ValueError, match="path must be new or an older model"):
        first.save(tmp_path / "notes")
    assert (tmp_path / "notes" / "mine.txt").read_text() == "precious"


def test_a_failed_save_leaves_the_older_model(tmp_path, monkeypatch):
    model = regressor()
    model.save(tmp_path / "model")

    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(model_folder, "save", full)
    with pytest.raises(OSError, match="No space left"):
        regressor(random_state=1).save(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert_same(model, antireg.load(tmp_path / "model"))


@pytest.mark.parametrize("make", [regressor, classifier])
@pytest.mark.parametrize("way", ["pickle", "joblib"])
def test_pickle_and_joblib_work_too(make, way, tmp_path):
    model = make()
    if way == "pickle":
        assert_same(model, pickle.loads(pickle.dumps(model)))
    else:
        joblib.dump(model, tmp_path / "model.joblib")
        assert_same(model, joblib.load(tmp_path / "model.joblib"))


OLDER = sorted(path.name for path in FILES.glob("format*") if path.is_dir())


def test_every_format_has_a_folder():
    numbers = {int(name[len("format")]) for name in OLDER}
    assert numbers == {*range(1, restoring.FORMAT + 1)}


@pytest.mark.parametrize("name", OLDER)
def test_models_of_older_versions_still_load(name):
    model = antireg.load(FILES / name)
    expected = load_file(FILES / f"{name}.expected.safetensors")
    X = expected["X"]
    if isinstance(model, EnsembleRegressor):
        found = np.stack([*model.predict(X, return_std=True)], axis=1)
    else:
        found = model.predict_proba(X)
    np.testing.assert_allclose(found, expected["found"], rtol=1e-5)
    np.testing.assert_allclose(model.ood_score(X), expected["scores"], rtol=1e-5)
    assert model.is_ood(X).tolist() == [False, True]
    if "doubt" in expected:  # learned from float32 distances, so in six digits
        doubt = model.predict_doubt(X)
        np.testing.assert_allclose(doubt, expected["doubt"], rtol=1e-5)
        assert 0 == doubt[0] < doubt[1] < 1
    if "interval" in expected:
        ends = np.stack(model.predict_interval(X), axis=1)
        np.testing.assert_allclose(ends, expected["interval"], rtol=1e-4)
    if name == "format1-regressor":  # which had no factors
        ends = model.predict_interval(X), model.predictive(X).interval(0.9)
        for end, mixture in zip(*ends, strict=True):
            np.testing.assert_array_equal(end, mixture[:, 0])


@pytest.mark.parametrize("loss", ["gaussian_nll", "squared_error"])
def test_a_centre_is_stored_and_only_where_there_is_one(loss, tmp_path):
    for settings, number in ({}, 4), ({"robust": False}, 2), ({"method": DARE(1.0)}, 2):
        model = regressor(loss=loss, **settings)
        model.save(tmp_path / "model")
        with model_folder.opened(tmp_path / "model") as (description, _):
            assert description["format"] == number
        loaded = antireg.load(tmp_path / "model")
        assert (loaded.centre_ is None) == (number == 2)
        assert_same(model, loaded)
        assert_same(model, pickle.loads(pickle.dumps(model)))


def test_an_unfitted_model_is_refused(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        EnsembleRegressor(doubt=None).save(tmp_path / "model")


@pytest.mark.parametrize("make", [regressor, classifier])
def test_settings_changed_after_the_fit_change_nothing_of_what_it_learned(
    make, tmp_path
):
    model = make(n_members=5)
    X = np.concatenate([rows()[0], 1e9 * rows()[0]])
    before = model.predictive(X)
    model.set_params(robust=False, scaling="none")
    model.save(tmp_path / "model")
    for now in (model, antireg.load(tmp_path / "model")):
        np.testing.assert_array_equal(now.predictive(X).mean, before.mean)
        assert now.robust_
        assert now.scaled_by_ == "range"


def test_where_variances_are_cut_is_learned_too(tmp_path):
    model = regressor()
    cut = model.highest_log_variance_
    model.set_params(scaling="none").save(tmp_path / "model")
    assert model.highest_log_variance_ == cut
    assert antireg.load(tmp_path / "model").highest_log_variance_ == cut


def test_a_model_without_a_limit_is_stored_in_its_own_format_again(tmp_path):
    model = antireg.load(FILES / "format8-regressor")
    model.save(tmp_path / "model")
    with model_folder.opened(tmp_path / "model") as (description, _):
        assert description["format"] == 8
    assert_same(model, antireg.load(tmp_path / "model"))
    assert_same(model, pickle.loads(pickle.dumps(model)))
