import numpy as np
import torch

from antireg.paper.data import resnet32_training
from antireg.paper.data.resnet32 import prepare, pretrained
from antireg.paper.data.resnet32_training import shifted, train
from antireg.paper.data.split import Rows

# Two classes that colour alone tells apart.
COLOURS = np.array([[250, 10, 10], [10, 10, 250]], np.uint8)
Y = np.arange(16) % 2
ROWS = Rows(np.broadcast_to(COLOURS[Y][:, None, None], (16, 32, 32, 3)), Y)


def test_training_learns_and_the_seed_decides():
    network = train(ROWS, seed=1, n_epochs=6, batch_size=8)
    with torch.inference_mode():
        assert (network.train()(prepare(ROWS.x)).argmax(1).numpy() == Y).all()
    one, same, other = (train(ROWS[:4], seed, 1, 4).linear.weight for seed in (1, 1, 2))
    assert (one == same).all() and (one != other).any()


def test_trained_weights_are_the_ones_features_are_made_with(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    network = train(ROWS[:4], n_epochs=1)
    monkeypatch.setattr(resnet32_training, "load_images", lambda *_: ROWS)
    monkeypatch.setattr(resnet32_training, "train", lambda *_: network)
    resnet32_training.main()
    again = pretrained().state_dict()
    for name, weight in network.state_dict().items():
        assert (again[name] == weight).all()


def test_shifted_pictures_are_windows_or_their_mirror():
    x = torch.arange(2.0 * 32 * 32).reshape(1, 2, 32, 32) + 1
    wide = torch.nn.functional.pad(x, (4, 4, 4, 4))
    windows = [
        window
        for i in range(9)
        for j in range(9)
        for part in [wide[:, :, i : i + 32, j : j + 32]]
        for window in (part, part.flip(3))
    ]
    rng = torch.Generator().manual_seed(0)
    seen = {
        next(k for k, window in enumerate(windows) if torch.equal(window, moved))
        for moved in (shifted(x, rng) for _ in range(100))
    }
    assert len(seen) > 50 and {k % 2 for k in seen} == {0, 1}
