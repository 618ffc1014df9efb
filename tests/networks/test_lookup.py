import numpy as np
import pytest
import torch

from antireg.networks import mlp
from antireg.networks.bins import Bins, fit_bins
from antireg.networks.lookup import lookup


def bins_of_some_columns(n_bins: int = 8) -> Bins:
    """Two columns that are cut, one of them of few values, and one that is not."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3))
    values[:, 1] = rng.integers(2, size=200)
    values[:, 2] = rng.integers(4, size=200)
    return fit_bins(values.astype(np.float32), n_bins)


def some_rows() -> torch.Tensor:
    """Rows inside and outside the bins, at their ends, and as far as inputs go."""
    rng = np.random.default_rng(1)
    rows = np.concatenate(
        [3 * rng.normal(size=(300, 3)), rng.integers(-1, 5, size=(50, 3))]
    )
    rows[:2] = [[1e6, 1, 3], [-1e6, 0, -1e6]]
    return torch.from_numpy(rows).float()


def test_a_first_layer_matches_hand_values():
    column = torch.tensor([0, 0, 1])
    low, high = torch.tensor([-9.0, 0, -9]), torch.tensor([9.0, 0.25, 9])
    slope = torch.tensor([1.0, 0.125, 1])
    bins = Bins(column, torch.tensor([0.0, 1, 0]), slope, low, high)
    first = lookup(bins, torch.tensor([[[1.0], [4], [10]]]), torch.tensor([[0.5]]))
    assert first is not None
    # The first column is cut from 1 to 3: x + clip((x − 1)/2, 0, 1) + 10 z + ½.
    x = torch.tensor([[0.0, 0], [2, 0], [3, 0.1], [4, -1], [12, 0]])
    assert first(x).flatten().tolist() == [0.5, 3, 5.5, -4.5, 10.5]


@pytest.mark.parametrize("hidden", [(), (6,), (6, 5)])
def test_a_viewer_says_what_the_network_says(hidden: tuple[int, ...]) -> None:
    bins = bins_of_some_columns()
    network = mlp([3, *hidden, 2], "tanh", seeds=[0, 1], bins=bins)
    outputs, entered = network.viewer()(some_rows())
    expected = network(some_rows()).detach()
    np.testing.assert_allclose(outputs, expected, rtol=1e-5, atol=2e-6)
    if hidden:
        last = network.activations(some_rows())[-1].transpose(0, 1).flatten(1)
        assert entered is not None
        np.testing.assert_allclose(entered, last.detach(), rtol=1e-5, atol=2e-6)


def test_other_weights_have_another_table() -> None:
    network = mlp([3, 4, 1], seeds=[0], bins=bins_of_some_columns())
    before, _ = network.viewer()(some_rows())
    with torch.no_grad():
        network.flat += 0.5
    after, _ = network.viewer()(some_rows())
    assert not torch.allclose(before, after)
    expected = network(some_rows()).detach()
    np.testing.assert_allclose(after, expected, rtol=1e-5, atol=2e-6)


def test_a_bin_ends_where_the_next_begins() -> None:
    first = lookup(bins_of_some_columns(32), torch.ones(1, 38, 1), torch.zeros(1, 1))
    assert first is not None
    # 32 bins have 33 ends; four values 4. The plain column is cut far outside.
    assert torch.isfinite(first.ends).sum(1).tolist() == [35, 6]


def test_columns_that_are_not_cut_need_no_table() -> None:
    values = np.array([[0.0, 1], [1, 0]], dtype=np.float32)
    bins = fit_bins(values, 4)
    assert lookup(bins, torch.ones(1, 2, 3), torch.zeros(1, 3)) is None
