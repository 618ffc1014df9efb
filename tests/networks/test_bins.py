import numpy as np
import pytest
import torch

from antireg import EnsembleRegressor
from antireg.methods import METHODS
from antireg.networks import mlp
from antireg.networks.bins import FEWEST_FEATURES, HEIGHT, fit_bins, has_features
from tests.small_tables import unfinished_is_fine

ROWS = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0], [4.0, 1.0]], np.float32)

DRAWS = {"water_filling", "max_w_ent"}
"""What they draw around members sees everything."""


def made(bins, rows):
    return bins(torch.tensor(rows, dtype=torch.float32).T).T


def test_a_column_becomes_itself_standardised_and_a_quarter_for_every_bin_passed():
    """The mean is 7/4, the deviation √(35/16); the bins are 0-1, 1-2 and 2-4."""
    inputs = made(fit_bins(ROWS, 32), [[3.0, 1.0], [-1.0, 0.0], [9.0, 1.0]])
    plain = (np.array([3.0, -1.0, 9.0]) - 1.75) / np.sqrt(35 / 16)
    np.testing.assert_allclose(inputs[:, 0], plain, rtol=1e-6)
    bins = [[0.25, 0.25, 0.125], [0, 0, 0], [0.25, 0.25, 0.25]]
    np.testing.assert_allclose(inputs[:, 1:4], bins, rtol=1e-6)


def test_a_column_of_two_values_stays_as_it_is():
    bins = fit_bins(ROWS, 32)
    assert bins.column.tolist() == [0, 0, 0, 0, 1]
    assert made(bins, [[0.0, 7.0]])[0, -1] == 7.0
    many = np.arange(3 * FEWEST_FEATURES, dtype=np.float32).reshape(3, -1)
    assert has_features(many)
    assert not has_features(np.concatenate([many[:, 1:], many[:, :1] > 0], axis=1))
    assert len(fit_bins(np.ones((5, 1), np.float32), 32)) == 1


def test_more_values_than_bins_are_cut_at_quantiles():
    column = np.arange(101, dtype=np.float32)[:, None] ** 2
    bins = fit_bins(column, 4)
    np.testing.assert_allclose(bins.shift[1:], [0, 25**2, 50**2, 75**2])
    assert len(bins) == 5


def test_bins_too_narrow_for_rounding_are_joined():
    column = np.array([[0.0], [1e-6], [0.5], [1.0]], np.float32)
    bins = fit_bins(column, 32)
    np.testing.assert_allclose(HEIGHT / bins.slope[1:], [0.5, 0.5])


@pytest.mark.parametrize("own_rows", [True, False])
def test_a_stack_with_bins_is_a_stack_of_the_inputs_they_make(own_rows):
    bins = fit_bins(ROWS, 32)
    x = torch.randn(2, 7, 2, generator=torch.Generator().manual_seed(0))
    x = x if own_rows else x[0]
    ours, plain = mlp([2, 6, 1], seeds=[3, 4], bins=bins), mlp([5, 6, 1], seeds=[3, 4])
    with torch.no_grad():
        plain.weights()["kernel0"][0, bins.is_bin] = 0.0  # the first sees no bins
    assert torch.equal(ours.flat, plain.flat)
    x.requires_grad_()
    results = []
    for stack, inputs in ((ours, x), (plain, bins(x.mT).mT)):
        outputs = stack(inputs)
        found = torch.autograd.grad(outputs.square().sum(), [stack.flat, x])
        results.append((outputs, *found))
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


def fitted(method, folder=None, **changes):
    X = np.random.default_rng(0).normal(size=(300, 2))
    settings = {"epochs": 6, "n_members": 3, "hidden": (8,), "random_state": 0}
    settings |= {"bins": 4, "doubt": None} | changes
    return EnsembleRegressor(method, **settings).fit(
        X, np.sign(X[:, 0]), checkpoint=folder
    )


@unfinished_is_fine
@pytest.mark.parametrize("method", sorted(METHODS.keys() - DRAWS))
def test_every_second_member_never_sees_the_bins(method):
    network = fitted(method).network_
    sees = (network.weights()["kernel0"] != 0).any(dim=2)  # (members, inputs)
    assert sees[1].all()
    assert sees[0].tolist() == sees[2].tolist() == (~network.bins.is_bin).tolist()


def test_one_member_alone_sees_the_bins():
    network = fitted("deep_ensemble", n_members=1).network_
    assert (network.weights()["kernel0"] != 0).any(dim=2).all()


class Stopped(Exception):
    """Raised in an epoch."""


@pytest.mark.parametrize("method", ["anchor_net", "repulsive", "deep_ensemble"])
def test_a_fit_that_is_resumed_has_the_same_bits(method, tmp_path, monkeypatch):
    monkeypatch.setattr("antireg.training.checkpoint.SECONDS", 0)

    def stop(epoch):
        if epoch.number == 3:
            raise Stopped

    with pytest.raises(Stopped):
        fitted(method, tmp_path, callbacks=[stop])
    resumed = fitted(method, tmp_path)
    assert torch.equal(resumed.network_.flat, fitted(method).network_.flat)
