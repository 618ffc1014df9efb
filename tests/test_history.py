import sys

import numpy as np
import pytest

from antireg.history import Epoch, History, joined_epoch, joined_history


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


def test_histories_are_joined_by_member() -> None:
    def history(value: float, members: int, seconds: float) -> History:
        values = np.full((2, members), value)
        kept = np.full(members, int(value))
        return History(values, values + 1, values + 2, values + 3, kept, seconds)

    groups = [history(1.0, 1, 3.0), history(2.0, 2, 4.0)]
    both = joined_history(groups, n_workers=2)
    assert both.loss.tolist() == [[1.0, 2.0, 2.0]] * 2
    assert both.weight.tolist() == [[4.0, 5.0, 5.0]] * 2
    assert both.kept.tolist() == [1, 2, 2]
    assert both.seconds == 4.0
    assert joined_history([*groups, history(3.0, 1, 5.0)], n_workers=2).seconds == 6.0
    assert joined_history(groups, n_workers=1).seconds == 7.0


def test_a_group_that_ended_sooner_stays_as_it_was() -> None:
    def history(*values: float) -> History:
        column = np.array(values)[:, None]
        return History(column, column, column, column, np.array([1]), 1.0)

    both = joined_history([history(3.0, 2.0), history(9.0, 8.0, 7.0)], n_workers=1)
    assert both.loss.tolist() == [[3.0, 9.0], [2.0, 8.0], [2.0, 7.0]]
    assert both.n_epochs == 3


def test_epochs_are_joined_by_member() -> None:
    def epoch(*values: float) -> Epoch:
        loss = np.array(values)
        return Epoch(2, 9, loss, loss + 1, loss + 2, loss + 3)

    both = joined_epoch([epoch(1.0, 2.0), epoch(5.0)], "DARE")
    assert (both.number, both.n_epochs, both.method) == (2, 9, "DARE")
    assert both.loss.tolist() == [1.0, 2.0, 5.0]
    assert both.validation_loss.tolist() == [2.0, 3.0, 6.0]
    assert both.control.tolist() == [3.0, 4.0, 7.0]
    assert both.weight.tolist() == [4.0, 5.0, 8.0]


def test_a_frame_has_a_row_for_each_epoch_and_member():
    pytest.importorskip("pandas")
    frame = FRAMED.frame()
    assert list(frame.columns) == [
        *("epoch", "member", "loss", "validation_loss", "control", "weight", "kept")
    ]
    assert frame["epoch"].tolist() == [2, 2, 4, 4]
    assert frame["member"].tolist() == [1, 2, 1, 2]
    assert frame["loss"].tolist() == [1.0, 2.0, 3.0, 4.0]
    assert frame["kept"].tolist() == [False, True, True, False]


def test_without_pandas_a_frame_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="pip install pandas"):
        FRAMED.frame()


FRAMED = History(
    *(np.array([[1.0, 2.0], [3.0, 4.0]]) for _ in range(4)),
    kept=np.array([4, 2]),
    seconds=1.0,
    numbers=np.array([2, 4]),
)
