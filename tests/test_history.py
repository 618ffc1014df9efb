import numpy as np

from antireg.history import History


def test_kept_validation_loss_is_that_of_each_members_epoch() -> None:
    validation = np.array([[3.0, 5.0], [2.0, 6.0], [4.0, 1.0]])
    history = History(
        validation, validation, validation, validation, np.array([2, 3]), 0.0
    )
    assert history.kept_validation_loss.tolist() == [2.0, 1.0]
    assert history.n_epochs == 3


def five_epochs() -> History:
    values = np.arange(10.0).reshape(5, 2)
    return History(values, 10 * values, values, values, np.array([2, 5]), 0.0)


def test_thinned_keeps_the_ends_and_every_kept_epoch() -> None:
    thinned = five_epochs().thinned(2)
    assert thinned.epochs.tolist() == [1, 2, 5]
    assert thinned.loss.tolist() == [[0.0, 1.0], [2.0, 3.0], [8.0, 9.0]]
    assert thinned.n_epochs == 5
    assert thinned.kept_validation_loss.tolist() == [20.0, 90.0]
    assert thinned.thinned(2).epochs.tolist() == [1, 2, 5]


def test_a_short_history_stays_whole() -> None:
    history = five_epochs()
    assert history.thinned(5) is history
    assert history.epochs.tolist() == [1, 2, 3, 4, 5]
