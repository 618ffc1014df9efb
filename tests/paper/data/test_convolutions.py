import numpy as np
import pytest
import torch

from antireg.paper.data import convolutions
from antireg.paper.data.convolutions import Convolutions, fashion_features, train
from antireg.paper.data.split import Rows, Split

Y = np.arange(40) % 2
LEFT = np.tile([1.0, 0.0], 392)  # one column of two is white
X = np.where(Y[:, None] > 0, 250 * LEFT, 250 * (1 - LEFT.reshape(28, 28).T.ravel()))
ROWS = Rows(X.astype(np.float32), Y)


def test_training_learns_and_the_seed_decides() -> None:
    network = train(ROWS, seed=1, n_epochs=8, batch_size=8)
    assert not network.training
    with torch.inference_mode():
        right = network.train()(torch.from_numpy(ROWS.x)).argmax(1).numpy() == Y
    assert right.mean() > 0.9
    one, same, other = (train(ROWS[:8], s, 1, 4).last.weight for s in (1, 1, 2))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_features_are_channel_means_and_the_hidden_layer() -> None:
    network = Convolutions().eval()
    x = torch.from_numpy(ROWS.x[:3])
    with torch.inference_mode():
        found = network.features(x)
        assert found.shape == (3, 16 + 32 + 64 + 64)
        first = network.blocks[0](x.view(3, 1, 28, 28) / 255 - 0.5)
        torch.testing.assert_close(found[:, :16], first.mean((2, 3)))
        torch.testing.assert_close(network.last(found[:, -64:]), network(x))


def test_a_network_is_trained_once_for_a_seed(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = Split("made", ROWS[:24], ROWS[24:32], ROWS[32:], {"other": ROWS[:5]})
    asked = []

    def briefly(rows: Rows, seed: int) -> Convolutions:
        asked.append(seed)
        return train(rows, seed, n_epochs=1, batch_size=8)

    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    monkeypatch.setattr(convolutions, "fashion_mnist", lambda seed: split)
    monkeypatch.setattr(convolutions, "train", briefly)
    first, again = fashion_features(3), fashion_features(3)
    assert asked == [3]
    assert first.train.x.shape == (24, 176)
    assert np.array_equal(first.test.x, again.test.x)
    assert first.ood["other"].x.shape == (5, 176)
    assert np.array_equal(first.validation.y, ROWS.y[24:32])
