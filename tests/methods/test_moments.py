import math

import pytest
import torch
from torch import Tensor

from antireg.methods.moments import Moments, evenly, moments_of
from antireg.networks import mlp
from antireg.networks.layers import Layer
from antireg.rows.data import Data
from tests.steps import linear

CROSS = torch.tensor([[2.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
"""Second moments 2 and ½, means 0."""


def data(x: Tensor) -> Data:
    return Data(x, torch.zeros(len(x), 1))


def test_moments_match_hand_values() -> None:
    (found,) = moments_of(linear([[1.0, 2.0, 5.0]], 2), data(CROSS))
    assert found.layer == Layer("kernel0", "bias0", inputs_first=True)
    assert found.second.tolist() == [[[2.0, 0, 0], [0, 0.5, 0], [0, 0, 1]]]
    assert found.mean.tolist() == [[0, 0, 1]]
    # x·(1, 2) + 5 has variance 1²·2 + 2²·½ = 4, whatever the bias.
    assert found.scale(linear([[1.0, 2.0, 5.0]], 2)).item() == pytest.approx(2)


def test_the_inverse_root_matches_hand_values() -> None:
    (found,) = moments_of(linear([[1.0, 2.0, 5.0]], 2), data(CROSS))
    root = found.inverse_root(0.25)[0]  # ε λ = ¼ · 2
    expected = torch.tensor([2.5, 1.0, 1.5], dtype=torch.float64).rsqrt().diag()
    torch.testing.assert_close(root, expected, rtol=1e-12, atol=1e-12)


def test_directions_that_are_hardly_used_are_counted() -> None:
    (found,) = moments_of(linear([[1.0, 2.0, 5.0]], 2), data(CROSS))
    # Second moments ½, 1 and 2, of which one is below 0.4 · 2 and two below 0.6 · 2.
    assert found.unused(0.4) == pytest.approx(1 / 3)
    assert found.unused(0.6) == pytest.approx(2 / 3)


def test_the_root_is_the_same_whatever_the_eigenvectors() -> None:
    """Of equal eigenvalues any basis may be found; the root does not show which."""
    turn = torch.linalg.qr(torch.randn(3, 3, dtype=torch.float64))[0]
    second = (turn * torch.tensor([0.0, 0.0, 4.0], dtype=torch.float64)) @ turn.mT
    moments = Moments(Layer("k", None), second[None], torch.zeros(1, 3))
    root = moments.inverse_root(0.01)[0]
    third = turn[:, 2:]
    expected = 5 * torch.eye(3, dtype=torch.float64)
    expected = expected + (1 / math.sqrt(4.04) - 5) * third @ third.mT
    torch.testing.assert_close(root, expected, rtol=1e-9, atol=1e-9)


def test_a_layer_that_nothing_enters_has_a_finite_root() -> None:
    zero = torch.zeros(1, 2, 2, dtype=torch.float64)
    moments = Moments(Layer("k", None), zero, torch.zeros(1, 2, dtype=torch.float64))
    assert moments.inverse_root(0.25)[0].tolist() == [[2, 0], [0, 2]]


def test_later_layers_have_moments_of_each_member() -> None:
    network = mlp([2, 5, 1], seeds=[1, 2, 3])
    first, second = moments_of(network, data(CROSS))
    assert first.second.shape == (1, 3, 3)
    assert second.second.shape == (3, 6, 6)
    hidden = network.activations(CROSS)[1].double()
    expected = hidden.mT @ hidden / len(CROSS)
    torch.testing.assert_close(second.second[:, :5, :5], expected)
    assert second.units(network) == 1


def test_of_many_rows_some_are_taken_evenly() -> None:
    rows = torch.arange(10.0)[:, None]
    assert evenly(data(rows), 4).x.flatten().tolist() == [0, 3, 6, 9]
    assert len(evenly(data(rows), 100)) == 10
