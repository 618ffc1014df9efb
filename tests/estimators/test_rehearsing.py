import numpy as np
import torch

from antireg import EnsembleRegressor
from antireg.estimators import rehearsing
from antireg.estimators.rehearsing import rehearsals
from antireg.losses import GaussianNLL
from antireg.networks import mlp
from antireg.rows.data import Batches, Data, drawn
from antireg.training.problem import Problem
from antireg.training.state import State
from tests.doubtful_models import SETTINGS, curved


def problem(n_rows=300):
    X, y = curved(n_rows)
    x, y = torch.from_numpy(X).float(), torch.from_numpy(y / 50)[:, None].float()
    return Problem(Data(x[50:], y[50:]), Data(x[:50], y[:50]), GaussianNLL())


def rehearsed(given, groups=None, **changes):
    estimator = EnsembleRegressor(**SETTINGS | {"epochs": 5} | changes)
    network = mlp([3, 16, 2], seeds=[0])
    return rehearsals(estimator, given, groups, network, 0, None)


def test_every_pair_has_its_own_rows_and_asks_about_others():
    given = problem()
    found = rehearsed(given)
    assert len(found) == 4 + 3  # coarse regions, tails of three columns
    for one in found:
        assert one.network.n_members == 2
        trained = {tuple(row) for row in one.trained.x.tolist()}
        left_out = {tuple(row) for row in one.left_out.x.tolist()}
        assert not trained & left_out
        assert len(trained) + len(left_out) <= 250
        assert 8 <= len(one.held_out) <= 50


def test_a_larger_table_has_fine_regions_too(monkeypatch):
    monkeypatch.setattr(rehearsing, "FEWEST_FOR_FINE", 250)
    assert len(rehearsed(problem())) == 4 + 4 + 3


def test_pairs_are_trained_without_their_rows(monkeypatch):
    given, orders, plain = problem(), [], State.order

    def watched(self, n_rows, shared, own=None):
        order = plain(self, n_rows, shared, own)
        orders.append((own, order))
        return order

    monkeypatch.setattr(State, "order", watched)
    rehearsed(given)
    assert orders
    for own, order in orders:
        assert len(own) == len(order)
        for rows, drawn_rows in zip(own, order.tolist(), strict=True):
            assert len(set(drawn_rows)) == len(drawn_rows) == min(map(len, own))
            assert set(drawn_rows) <= set(rows.tolist())


def test_large_members_train_pair_by_pair_to_the_same_kind_of_members(monkeypatch):
    monkeypatch.setattr(rehearsing, "MOST_WEIGHTS", 1)
    apart = rehearsed(problem())
    assert len(apart) == 7
    assert all(one.network.n_members == 2 for one in apart)


def test_the_same_seed_gives_the_same_pairs():
    first, second = rehearsed(problem()), rehearsed(problem())
    for one, other in zip(first, second, strict=True):
        torch.testing.assert_close(one.network.flat, other.network.flat, rtol=0, atol=0)


def test_pairs_take_a_tenth_of_the_steps_in_small_batches(monkeypatch):
    taken, plain = [], Batches.take

    def watched(self, rows):
        taken.append(rows.shape)
        return plain(self, rows)

    monkeypatch.setattr("antireg.training.epoch.Batches.take", watched)
    rehearsed(problem(), epochs=200, batch_size=100, patience=None)
    steps = [shape for shape in taken if len(shape) == 2]
    assert {shape[0] for shape in steps} == {14}  # seven pairs
    assert max(shape[1] for shape in steps) == 32
    # The fit takes 200 epochs of 3 steps. Those of a pair, which has 100 of the 250
    # rows at least, have 8 steps at most, and are rounded to whole ones.
    assert 56 <= len(steps) <= 64


def test_a_training_that_diverges_gives_no_pairs():
    assert rehearsed(problem(), lr=1e20) == []


def test_rows_are_drawn_in_the_order_asked_for():
    data = problem().data
    some = drawn(data, np.array([5, 2, 9]))
    torch.testing.assert_close(some.x, data.x[[5, 2, 9]])
    torch.testing.assert_close(some.y, data.y[[5, 2, 9]])
