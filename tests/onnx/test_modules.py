import copy

import numpy as np
import pytest
import torch
from torch import nn

from antireg import export, from_networks
from tests.onnx.test_export import run
from tests.trained_networks import (
    picture_network,
    pictures,
    regression_network,
    rows,
)

CLOSE = 1e-3
"""Networks are of float32, whose sums of some hundred products of size 10 are off by
1e-4 at most; logarithms of distances are off by as much, relative to their floors."""


def amounts(networks, X, y, **settings):
    return from_networks(networks, "regression", random_state=0, **settings).fit(X, y)


def classes(networks, X, y, **settings):
    made = from_networks(networks, "classification", random_state=0, **settings)
    return made.fit(X, y)


def two_columns():
    """Return some rows in float32, half of them beyond those of training."""
    X = rows(60, 3)[0]
    X[30:] *= np.linspace(1, 4, 30)[:, None]
    return X.astype(np.float32)


@pytest.mark.parametrize("n_members", [1, 2, 3])
def test_amounts_are_the_same_without_pytorch(tmp_path, n_members: int) -> None:
    networks = [regression_network(seed) for seed in range(n_members)]
    assert_same_amounts(amounts(networks, *rows(200, 1)), tmp_path)


@pytest.mark.parametrize("outputs", ["mean_log_variance", "mean_variance"])
def test_noise_of_the_networks_is_in_the_graph(tmp_path, outputs: str) -> None:
    network = regression_network(0, 2)
    if outputs == "mean_variance":
        with torch.no_grad():
            network[-1].bias[1] = 0.09
    assert_same_amounts(amounts(network, *rows(200, 1), outputs=outputs), tmp_path)


def assert_same_amounts(model, tmp_path) -> None:
    X = two_columns()
    export.to_onnx(model, tmp_path / "model.onnx", coverage=0.8)
    found = run(tmp_path / "model.onnx", X)
    mean, std = model.predict(X, return_std=True)
    low, high = model.predict_interval(X, coverage=0.8)
    expected = {"mean": mean, "std": std, "low": low, "high": high}
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=CLOSE, atol=CLOSE)
    assert_same_scores(model, X, found)


def assert_same_scores(model, X, found) -> None:
    scores = model.ood_score(X)
    np.testing.assert_allclose(found["ood_score"], scores, rtol=CLOSE, atol=CLOSE)
    np.testing.assert_allclose(found["doubt"], model.doubt(X), atol=CLOSE)
    limit = model.ood_threshold()
    clear = np.abs(scores - limit) > CLOSE * (1 + limit)
    assert clear.mean() > 0.9
    assert np.array_equal(found["flag"][clear], model.is_ood(X)[clear])


def softmax(network):
    return nn.Sequential(network, nn.Softmax(1))


@pytest.mark.parametrize("end", [lambda network: network, softmax])
def test_pictures_are_told_apart_without_pytorch(tmp_path, end) -> None:
    networks = [end(picture_network(0)), end(picture_network(1))]
    X, y = pictures(200, 1)
    model = classes(networks, X, np.array(["c", "a", "b"])[y], classes=["c", "a", "b"])
    shown = pictures(40, 3)[0].astype(np.float32)
    shown[20:] *= 3
    export.to_onnx(model, tmp_path / "model.onnx")
    found = run(tmp_path / "model.onnx", shown)
    shares = model.predict_proba(shown)
    np.testing.assert_allclose(found["probabilities"], shares, atol=CLOSE)
    sure = np.diff(np.sort(shares, axis=1)[:, -2:])[:, 0] > 2 * CLOSE
    assert np.array_equal(found["label"][sure], model.predict(shown)[sure])
    assert_same_scores(model, shown, found)


@pytest.mark.parametrize("end", [[], [nn.Sigmoid()]])
def test_one_output_is_that_of_the_second_class(tmp_path, end) -> None:
    torch.manual_seed(0)
    layers = [nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)]
    X, _ = rows(200, 1)
    network = nn.Sequential(*layers, *end)
    model = classes(network, X, X[:, 0] > 0)
    export.to_onnx(model, tmp_path / "model.onnx")
    found = run(tmp_path / "model.onnx", two_columns())
    shares = model.predict_proba(two_columns())
    np.testing.assert_allclose(found["probabilities"], shares, atol=CLOSE)


def test_networks_stay_as_they_are(tmp_path) -> None:
    network = regression_network(0)
    before = copy.deepcopy(network.state_dict())
    model = amounts(network, *rows(100, 1))
    export.to_onnx(model, tmp_path / "model.onnx")
    now = network.state_dict()
    assert all(torch.equal(now[name], values) for name, values in before.items())
    assert network.training
    assert network[1].training


class Unusual(nn.Module):
    """Computes what ONNX has no word for."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.special.i0e(x[:, :1])


def test_a_module_that_cannot_be_exported_is_named(tmp_path) -> None:
    model = amounts(Unusual(), *rows(100, 1))
    with pytest.raises(ValueError, match=r"^networks must be modules that PyTorch can"):
        export.to_onnx(model, tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []
