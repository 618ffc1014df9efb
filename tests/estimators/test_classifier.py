import numpy as np
import pytest
import torch

from antireg import EnsembleClassifier
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
        EnsembleClassifier().fit(X, y)
