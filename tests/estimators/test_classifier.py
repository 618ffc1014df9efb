import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from antireg import EnsembleClassifier
from antireg.estimators.doubting import Said
from tests.small_tables import QUICK, SMALL, labelled, unfinished_is_fine

pytestmark = unfinished_is_fine

# Inputs from 0 to 1 are learned more slowly than those of mean 0: 30 epochs, plenty
# with scaling="standard", are too few with the default.
LONGER = {**SMALL, "epochs": 60, "batch_size": 32, "n_members": 5}


@pytest.mark.parametrize(
    ("loss", "n_classes", "outputs"),
    [
        ("auto", 3, 3),
        ("auto", 2, 1),
        ("one_hot_squared_error", 2, 2),
        ("cross_entropy", 3, 3),
        ("cross_entropy", 2, 1),
    ],
)
def test_every_classification_loss_learns(
    loss: str, n_classes: int, outputs: int
) -> None:
    X, y = labelled(n_classes=n_classes)
    model = EnsembleClassifier(loss=loss, **LONGER).fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.network_(torch.zeros(1, 3)).shape[-1] == outputs
    assert np.array_equal(
        model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X)
    )


def test_the_label_is_the_arg_max_of_the_member_mean() -> None:
    X, y = labelled()
    model = EnsembleClassifier(**QUICK).fit(X, y)
    means = model.outputs(X).mean(axis=0)
    assert np.array_equal(model.predict(X), model.classes_[means.argmax(axis=1)])


def test_binary_squared_error_needs_two_classes() -> None:
    with pytest.raises(ValueError, match="needs two classes, got 3"):
        EnsembleClassifier(loss="binary_squared_error", **QUICK).fit(*labelled())


def test_unseen_classes_in_validation_data_are_named() -> None:
    X, y = labelled(n_classes=2)
    with pytest.raises(ValueError, match=r"only classes of y, got \['c'\]"):
        EnsembleClassifier(**QUICK).fit(
            X, y, validation_data=(X, np.where(y == "a", "c", y))
        )


def test_one_class_is_refused() -> None:
    X, _ = labelled()
    with pytest.raises(ValueError, match="at least two classes, got one class"):
        EnsembleClassifier(**QUICK).fit(X, np.zeros(len(X)))


def test_very_many_classes_are_refused_before_memory_is_taken():
    X = np.zeros((20_000, 1))
    y = np.arange(20_000) % 10_000
    with pytest.raises(ValueError, match="at most 6710 classes in 20000 rows, got 100"):
        EnsembleClassifier(doubt=None).fit(X, y)


def standardised_digits() -> tuple[np.ndarray, ...]:
    X, y = load_digits(return_X_y=True)
    X, test, y, labels = train_test_split(X, y, test_size=0.3, random_state=0)
    scaler = StandardScaler().fit(X)
    return scaler.transform(X), y, scaler.transform(test), labels


def test_one_held_out_row_does_not_set_the_threshold() -> None:
    """A pixel that only one held-out row has: it was τ = 560 and .76 of the labels."""
    X, y, test, labels = standardised_digits()
    settings = {"hidden": (50,), "epochs": 12, "lr": 5e-3, "random_state": 0}
    settings["doubt"] = None
    model = EnsembleClassifier(n_members=3, **settings).fit(X, y)
    assert model.threshold_ < 9  # the loss of a constant guess
    assert model.score(test, labels) > 0.92


def test_a_wild_member_does_not_choose_the_label() -> None:
    X, y = labelled()
    model = EnsembleClassifier(**{**QUICK, "n_members": 5}).fit(X, y)
    outputs = np.zeros((5, 1, 3))
    outputs[..., 0] = 3.0
    outputs[4] = [-1e4, 1e4, -1e4]
    robust = model.predictive_of(Said(outputs)).mean
    assert robust.argmax(axis=1).tolist() == [0]
    model.robust_ = False
    plain = model.predictive_of(Said(outputs)).mean
    assert plain.argmax(axis=1).tolist() == [1]


def test_a_threshold_looser_than_the_base_rate_is_lowered_and_said_so() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), (np.arange(300) % 20 == 0).astype(int)
    with pytest.warns(ConvergenceWarning, match="constant guess"):
        model = EnsembleClassifier(**QUICK).fit(X, y)
    rows = model.held_out_rows_
    share = np.delete(y, rows).mean()
    constant = np.square(y[rows] - share).mean()
    reference = model.trials_[0][1].kept_validation_loss.mean()
    assert model.threshold_ <= max(constant, reference) + 1e-6
    plain = EnsembleClassifier(**QUICK, robust=False).fit(X, y)
    assert plain.threshold_ > constant
