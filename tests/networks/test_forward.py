"""Forward passes in chunks, wherever the rows come from."""

import pytest
import torch

from antireg.networks import mlp
from antireg.networks.forward import forward, rows_at_once
from antireg.rows.data import ALIGNMENT


def test_forward_in_chunks_is_forward(monkeypatch: pytest.MonkeyPatch) -> None:
    network = mlp([2, 8, 1], seeds=(1, 2, 3))
    x = torch.randn(64, 2, generator=torch.Generator().manual_seed(0))
    whole = forward(network, x)
    monkeypatch.setattr("antireg.networks.forward.CHUNK_NUMBERS", 130)
    assert rows_at_once(network, 2) == 16
    torch.testing.assert_close(forward(network, x), whole)
    assert not whole.requires_grad


@pytest.mark.parametrize("n_inputs", [1, 3, 17, 255, 784, 5000, 40_001])
def test_every_chunk_of_a_tensor_is_aligned(n_inputs: int) -> None:
    for hidden in (7, 100, 3000):
        n_rows = rows_at_once(mlp([n_inputs, hidden, 1], seeds=[0]), n_inputs)
        assert n_rows > 0
        assert n_rows * n_inputs * 4 % ALIGNMENT == 0
