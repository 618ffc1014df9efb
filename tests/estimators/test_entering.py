import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import antireg
from antireg import EnsembleClassifier, EnsembleRegressor, TableEncoder
from antireg.cli import main
from antireg.storage import model_folder
from antireg.tables.encoder import Encoded
from tests.small_models import SMALL, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def houses(n_rows=120):
    rng = np.random.default_rng(0)
    days = pd.to_timedelta(rng.integers(0, 900, n_rows), unit="D")
    area = rng.uniform(20, 200, n_rows)
    frame = pd.DataFrame(
        {
            "area": area,
            "heating": rng.choice(["gas", "oil", "wood"], n_rows),
            "new": rng.random(n_rows) < 0.5,
            "sold": pd.Timestamp("2020-01-01") + days,
            "income": np.where(rng.random(n_rows) < 0.2, np.nan, area + 1),
        }
    )
    return frame, pd.Series(10 * area + (frame["heating"] == "gas"), name="price")


@pytest.fixture(scope="module")
def model():
    return EnsembleRegressor(**SMALL).fit(*houses())


def test_a_table_with_words_gaps_and_dates_is_fitted_as_its_encoding(model):
    frame, y = houses()
    encoder = TableEncoder().fit(frame)
    other = EnsembleRegressor(**SMALL).fit(encoder.transform(frame), y)
    np.testing.assert_array_equal(
        model.predict(frame), other.predict(encoder.transform(frame))
    )
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert (model.n_features_in_, model.n_inputs_) == (5, 13)
    assert model.encoder_.encoding_.target == "price"


def test_every_question_takes_a_table_of_any_package_and_any_order(model):
    frame, _ = houses()
    turned = frame[frame.columns[::-1]]
    for ask in (
        *(model.predict, model.ood_score, model.is_ood, model.doubt, model.outputs),
        *(model.predict_interval, lambda X: model.predictive(X).std),
    ):
        expected = ask(frame)
        for same in (turned, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
            np.testing.assert_array_equal(ask(same), expected)


def test_targets_of_other_packages_are_the_same(model):
    frame, y = houses()
    for targets in (pl.from_pandas(y), pa.chunked_array([y.to_numpy()])):
        other = EnsembleRegressor(**SMALL).fit(pl.from_pandas(frame), targets)
        np.testing.assert_array_equal(other.predict(frame), model.predict(frame))


def test_a_category_or_a_gap_never_seen_is_flagged(model):
    frame = houses()[0].head(3)
    assert not model.is_ood(frame).any()
    new = frame.assign(
        heating=["coal", *frame["heating"][1:]],
        area=[frame["area"][0], None, frame["area"][2]],
    )
    assert model.is_ood(new).tolist() == [True, True, False]


def test_encoded_numbers_are_taken_as_before(model):
    frame, _ = houses()
    numbers = model.encoder_.transform(frame)
    np.testing.assert_array_equal(model.predict(numbers), model.predict(frame))
    with pytest.raises(ValueError, match="or their 13 encoded features, for this Ens"):
        model.predict(numbers[:, :5])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_table_of_numbers_is_the_array_it_was(make):
    X, y = rows()
    table = make(dict(zip("abc", X.T, strict=True)))
    model = EnsembleRegressor(**SMALL).fit(table, y)
    plain = EnsembleRegressor(**SMALL).fit(X, y)
    np.testing.assert_array_equal(model.predict(table), plain.predict(X))
    assert model.training_data_.fingerprint == plain.training_data_.fingerprint
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert plain.encoder_ is None
    gap = make({"a": [float("nan")], "b": [0.0], "c": [0.0]})
    assert model.is_ood(gap).tolist() == [True]
    with pytest.warns(UserWarning, match="valid feature names"):
        model.predict(X)


def test_rows_of_weight_zero_tell_nothing():
    frame, y = houses()
    heating = frame["heating"].where(frame.index > 0, "coal")
    weight = (frame.index > 0).astype(float)
    strange = frame.assign(heating=heating)
    model = EnsembleRegressor(**SMALL).fit(strange, y, sample_weight=weight)
    heated = next(c for c in model.encoder_.encoding_.columns if c.name == "heating")
    assert heated.categories == ("gas", "oil", "wood")


def test_validation_rows_are_read_in_the_same_way():
    frame, y = houses()
    known, held_out = (frame[:100], y[:100]), (frame[100:], y[100:])
    encoder = TableEncoder().fit(known[0])
    numbers = encoder.transform(held_out[0]), held_out[1]
    model = EnsembleRegressor(**SMALL).fit(*known, validation_data=held_out)
    other = EnsembleRegressor(**SMALL).fit(*known, validation_data=numbers)
    assert model.validation_loss_ == other.validation_loss_


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True), (3, 5)])
def test_a_classifier_of_a_table_is_stored_and_evaluated(labels, tmp_path, capsys):
    frame, y = houses()
    y = pd.Series(np.array(labels)[(y > y.median()).astype(int)], name="dear")
    model = EnsembleClassifier(**SMALL).fit(frame, y)
    model.save(tmp_path / "model")
    again = antireg.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    frame.assign(dear=y).to_csv(tmp_path / "new.csv", index=False)
    command = ["evaluate", tmp_path / "model", tmp_path / "new.csv"]
    assert main([str(part) for part in command]) == 0
    right = f"{(model.predict(frame) == y).mean():.1%}"
    assert f"accuracy: {right}" in capsys.readouterr().out


def test_a_model_of_a_table_works_on_the_command_line(model, tmp_path):
    frame, _ = houses()
    model.save(tmp_path / "model")
    again = antireg.load(tmp_path / "model")
    assert again.encoder_.encoding_ == model.encoder_.encoding_
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    frame.to_parquet(tmp_path / "new.parquet")
    command = ["predict", tmp_path / "model", tmp_path / "new.parquet", "--quiet"]
    command += ["--out", tmp_path / "scored.parquet"]
    assert main([str(part) for part in command]) == 0
    scored = pd.read_parquet(tmp_path / "scored.parquet")
    np.testing.assert_allclose(scored["mean"], model.predict(frame), rtol=1e-5)
    assert (scored["flag"] == model.is_ood(frame)).all()


def test_a_model_of_the_command_line_predicts_from_a_frame(model, tmp_path):
    frame, y = houses()
    frame.assign(price=y).to_parquet(tmp_path / "train.parquet")
    sizes = ["--n-members", "2", "--hidden", "8", "--epochs", "3", "--doubt", "none"]
    command = ["fit", tmp_path / "train.parquet", "--target", "price", *sizes]
    command += ["--random-state", "0", "--out", tmp_path / "model", "--quiet"]
    assert main([str(part) for part in command]) == 0
    loaded = antireg.load(tmp_path / "model")
    assert loaded.encoder_.encoding_.columns == model.encoder_.encoding_.columns
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))


def test_a_model_of_a_parquet_file_doubts_as_one_of_the_same_rows_in_memory(tmp_path):
    frame, y = houses(400)
    frame.assign(price=y).to_parquet(tmp_path / "train.parquet")
    sizes = ["--n-members", "2", "--hidden", "8", "--epochs", "5"]
    command = ["fit", tmp_path / "train.parquet", "--target", "price", *sizes]
    command += ["--random-state", "0", "--out", tmp_path / "model", "--quiet"]
    assert main([str(part) for part in command]) == 0
    known = EnsembleRegressor(**SMALL | {"epochs": 5, "doubt": "rehearsed"})
    known.fit(frame, y).save(tmp_path / "known")
    # The name of the arrays, those of doubt among them, is their checksum.
    stored = [model_folder.names(tmp_path / name)[1] for name in ("model", "known")]
    assert stored[0] == stored[1]
    loaded = antireg.load(tmp_path / "model")
    assert loaded.get_params()["doubt"] == "rehearsed"
    assert loaded.doubt_.doubt.curve == known.doubt_.doubt.curve
    assert (loaded.doubt(frame) == 0).mean() > 0.8
    far = pd.concat([frame.head(1)] * 6).assign(area=[100, 300, 1e3, 1e4, 1e5, 1e6])
    doubt, (low, high) = loaded.doubt(far), loaded.predict_interval(far)
    assert doubt[0] == 0
    assert (np.diff(doubt) > 0).all()
    assert doubt[-1] > 0.99
    assert loaded.is_ood(far).tolist() == [False] + 5 * [True]
    # What is said far away is the spread of all prices.
    assert low[-1] < y.quantile(0.05) < y.quantile(0.95) < high[-1]
    assert loaded.predict(far)[-1] == pytest.approx(y.mean(), abs=0.5 * y.std())


def test_a_fit_on_an_array_forgets_the_table():
    frame, y = houses()
    model = EnsembleRegressor(**SMALL).fit(frame, y)
    X, y = rows()
    model.fit(X, y)
    assert model.encoder_ is None
    assert not hasattr(model, "feature_names_in_")


def test_what_entered_once_enters_again(model):
    frame = houses()[0].head(2).assign(heating="coal")
    entered = model.entering(frame)
    assert isinstance(entered, Encoded)
    assert model.entering(entered) is entered
    assert entered.words == ["heating 'coal': not seen"] * 2
