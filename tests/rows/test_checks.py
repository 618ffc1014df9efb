import re

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from antireg import EnsembleClassifier, EnsembleRegressor, TrustedRegressor
from antireg.estimators.settings import check_settings
from antireg.rows.checks import Labelled, check_groups, check_validation, check_weight
from tests.small_tables import QUICK, SMALL, labelled, table, unfinished_is_fine

pytestmark = unfinished_is_fine


def test_weights_must_count() -> None:
    X, y = table()
    with pytest.raises(ValueError, match=r"sample_weight must be 0 or more.* -1"):
        EnsembleRegressor(**QUICK).fit(X, y, sample_weight=-np.ones(120))
    with pytest.raises(ValueError, match="at least one non-zero"):
        EnsembleRegressor(**QUICK).fit(X, y, sample_weight=np.zeros(120))
    X, y = labelled(n_classes=2)
    with pytest.raises(ValueError, match="weight > 0"):
        EnsembleClassifier(**QUICK).fit(X, y, sample_weight=(y == "a").astype(float))


def test_rows_of_no_weight_are_left_out() -> None:
    X, y = table()
    wrong = np.where(np.arange(120) < 40, 1e6, y)
    weight = (np.arange(120) >= 40).astype(float)
    with_zeros = EnsembleRegressor(**QUICK).fit(X, wrong, sample_weight=weight)
    without = EnsembleRegressor(**QUICK).fit(X[40:], y[40:], sample_weight=weight[40:])
    assert np.array_equal(with_zeros.predict(X), without.predict(X))


def test_weight_moves_the_fit() -> None:
    X = np.zeros((200, 1))
    y = np.repeat([0.0, 1.0], 100)
    weight = np.repeat([1.0, 9.0], 100)
    model = EnsembleRegressor("deep_ensemble", **SMALL).fit(X, y, sample_weight=weight)
    # The weighted mean is 0.9, the plain one 0.5.
    assert model.predict(X[:1])[0] > 0.75


def test_weights_are_given_a_mean_of_one() -> None:
    X = np.zeros((2, 1))
    assert check_weight([1, 3], X).tolist() == [0.5, 1.5]
    assert check_weight(None, X) is None


def test_weights_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"sample_weight.*\(3,\)"):
        check_weight(np.ones(3), np.zeros((2, 1)))


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("mix", "one label per row, got 'mix'. Pass the column itself."),
        ([1.0, np.nan, np.nan], "a label in every row, got 2 rows without one."),
        (np.array(["a", None, "b"], dtype=object), "got 1 row without one."),
        (np.array(["a", 1, "b"], dtype=object), "labels of one kind"),
    ],
)
def test_groups_have_a_label_in_every_row(groups, message) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        check_groups(groups, np.zeros((3, 1)))


def test_groups_are_numbered() -> None:
    assert check_groups(["b", "a", "b"], np.zeros((3, 1))).tolist() == [1, 0, 1]


def test_rows_without_weight_are_dropped_from_inputs_targets_and_weights() -> None:
    X, y = np.array([[1.0], [2.0], [3.0]]), np.array(["a", "b", "c"])
    kept = Labelled(X, y, np.array([0.5, 0.0, 1.5])).counted()
    kept_parts = [part.tolist() for part in kept[:3]]
    assert kept_parts == [[[1.0], [3.0]], ["a", "c"], [0.5, 1.5]]
    grouped = Labelled(X, y, np.array([0.5, 0.0, 1.5]), np.array([0, 1, 1])).counted()
    assert grouped.groups.tolist() == [0, 1]


@pytest.mark.parametrize("weight", [None, np.array([0.5, 1.5])])
def test_rows_that_all_count_are_not_copied(weight) -> None:
    X, y = np.zeros((2, 1)), np.zeros(2)
    kept = Labelled(X, y, weight).counted()
    assert all(
        part is given for part, given in zip(kept[:3], (X, y, weight), strict=True)
    )


@pytest.mark.parametrize(
    ("given", "got"), [([1, 2], "list of 2"), ((1,), "tuple of 1"), (3, "int")]
)
def test_validation_data_of_another_form_are_named(given: object, got: str) -> None:
    with pytest.raises(ValueError, match=rf"validation_data must be .*, got {got}\."):
        check_validation(given)


@pytest.mark.skipif(torch.cuda.device_count() > 7, reason="has eight GPUs")
@pytest.mark.parametrize("device", ["cuda:7", torch.device("cuda:7")])
def test_a_device_that_is_not_there_is_told_from_a_word_that_is_none(device) -> None:
    with pytest.raises(
        ValueError,
        match=r"device must be one that PyTorch can use here, got 'cuda:7' \(.+\)\. "
        r'Use "auto", which takes a GPU if there is one, or "cpu"\.',
    ):
        check_settings(EnsembleRegressor(device=device))
    with pytest.raises(ValueError, match=r'"auto" or a device of PyTorch .*\'gpu\''):
        check_settings(EnsembleRegressor(device="gpu"))


@pytest.mark.skipif(torch.cuda.is_available(), reason="has a GPU")
def test_without_a_gpu_cuda_is_not_asked_to_be_cuda_0() -> None:
    with pytest.raises(ValueError, match="can use here, got 'cuda'") as error:
        check_settings(EnsembleRegressor(device="cuda"))
    assert "cuda:0" not in str(error.value)


@pytest.mark.parametrize(
    ("value", "said"), [("red", "got 'red'"), (np.nan, "contains NaN")]
)
def test_words_and_gaps_are_told_the_way_out(value, said):
    X = np.array([[value, 1.0], [0.5, 2.0]] * 10, dtype=object)
    with pytest.raises(ValueError, match=rf"{said}\. Put antireg\.TableEncoder"):
        EnsembleRegressor(steps=10).fit(X, np.arange(20.0))


@pytest.mark.parametrize(
    "regressor",
    [EnsembleRegressor(steps=10), TrustedRegressor(Ridge())],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("kind", [str, object])
def test_words_as_targets_of_a_regressor_are_told_what_they_are_for(regressor, kind):
    y = np.array(["1.5", "red"] * 10, dtype=kind)
    with pytest.raises(ValueError, match=r"y must hold numbers .*got red\. For labels"):
        regressor.fit(np.arange(20.0)[:, None], y)
