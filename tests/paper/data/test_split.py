import numpy as np
import pytest

from antireg.paper.data.split import Rows, cut


def test_rows_are_indexed_together():
    rows = Rows(np.arange(6).reshape(3, 2), np.array([10, 11, 12]))
    chosen = rows[np.array([2, 0])]
    assert chosen.x.tolist() == [[4, 5], [0, 1]]
    assert chosen.y is not None and chosen.y.tolist() == [12, 10]
    assert len(chosen) == 2


def test_rows_without_targets_stay_without():
    assert Rows(np.zeros((3, 2)))[1:].y is None


def test_rows_refuse_targets_of_another_length():
    with pytest.raises(ValueError, match="as many rows, got 3 and 2"):
        Rows(np.zeros((3, 1)), np.zeros(2))


def test_cut_gives_every_row_once_and_shares_of_what_is_left():
    pieces = cut(1000, [0.1, 0.05], np.random.default_rng(0))
    assert [len(piece) for piece in pieces] == [100, 45, 855]
    assert sorted(np.concatenate(pieces)) == list(range(1000))


def test_cut_never_leaves_a_piece_empty():
    assert [len(p) for p in cut(3, [0.1, 0.05], np.random.default_rng(0))] == [1, 1, 1]
    with pytest.raises(ValueError, match="leave rows to train on, got 2"):
        cut(2, [0.1, 0.05], np.random.default_rng(0))
