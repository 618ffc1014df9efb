import math

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning
from torch import Tensor, nn

from antireg import (
    DeepEnsemble,
    EnsembleClassifier,
    EnsembleRegressor,
    WaterFilling,
    load,
)
from antireg.history import History
from antireg.losses import SquaredError
from antireg.methods.base import NO_BOUNDS, Fit, Trained
from antireg.networks import Stack
from antireg.networks.forward import evaluate
from antireg.rows.data import Data
from tests import doubtful_models
from tests.methods.test_moments import CROSS
from tests.small_tables import SMALL, labelled, table
from tests.steps import linear

CURVE = np.ones((1, 2))
HISTORY = History(CURVE, CURVE, CURVE, CURVE, np.array([1, 1]), 0.0)
PLAIN = {**SMALL, "robust": False}


def finished(method: WaterFilling, network: Stack, x: Tensor, y: Tensor) -> Fit:
    """Return draws around members, which are not trained at all."""
    rows = Data(x, y)
    seeds = range(network.n_members)
    trained = Trained(network, rows, rows, SquaredError(), seeds)
    weights = network.flat.detach()
    fit = Fit(method, weights, HISTORY, math.nan, NO_BOUNDS)
    return method.finish(fit, trained)


def test_draws_vary_as_theorem_1_says() -> None:
    """Second moments 2, ½ and 1 (of the bias), and outputs of variance 4 = r²."""
    network = linear([[1.0, 2.0, 5.0], [-1.0, 2.0, 3.0]], 2)
    method = WaterFilling(draws=1000, floor=0.25, scale=0.5, threshold=1.0)
    fit = finished(method, network, CROSS, torch.zeros(4, 1))
    moved = fit.weights.view(2, 1000, 3) - network.flat.detach()[:, None]
    # c² r² / p = ¼ · 4 / 3, over 2 + ½, ½ + ½ and 1 + ½.
    expected = torch.tensor([1 / 7.5, 1 / 3.0, 1 / 4.5])
    # A variance of n normal numbers has a relative error of √(2/n); five of these.
    torch.testing.assert_close(
        moved.square().mean((0, 1)), expected, rtol=5 * math.sqrt(2 / 2000), atol=0
    )
    # And so do outputs: at x = (0, 10), Σ x_k² σ_k² = 100/3 + 1/4.5.
    outputs = network.with_weights(fit.weights)(torch.tensor([[0.0, 10.0]]))
    variance = outputs.view(2, 1000).var(1).mean().item()
    assert variance == pytest.approx(100 / 3 + 1 / 4.5, rel=5 * math.sqrt(2 / 2000))


def test_directions_follow_the_inputs_not_the_columns() -> None:
    """Rows on a line may be drawn far across it, and hardly along it."""
    x = torch.linspace(-1, 1, 50)[:, None] * torch.tensor([[3.0, 4.0]])
    network = linear([[1.0, 1.0, 0.0]], 2)
    method = WaterFilling(draws=500, floor=1e-6, scale=1.0, threshold=1.0)
    moved = finished(method, network, x, torch.zeros(50, 1)).weights[:, :2]
    moved = moved - torch.tensor([1.0, 1.0])
    along, across = (moved @ torch.tensor(v) for v in ([0.6, 0.8], [0.8, -0.6]))
    assert across.std() > 100 * along.std()


def test_the_scale_is_as_large_as_the_threshold_allows() -> None:
    x = torch.randn(200, 2, generator=torch.Generator().manual_seed(0))
    network = linear([[1.0, 2.0, 0.0], [1.5, 2.0, 0.0]], 2)
    y = x @ torch.tensor([[1.0], [2.0]]) + 1
    method = WaterFilling(draws=20)
    fit = finished(method, network, x, y)
    reference = evaluate(network, Data(x, y), SquaredError()).mean().item()
    assert fit.method.threshold == pytest.approx(1.25 * reference, rel=1e-5)
    losses = evaluate(network.with_weights(fit.weights), Data(x, y), SquaredError())
    reached = losses.mean().item()
    assert reached <= fit.method.threshold
    # The scale is within 0.3 %, and the loss grows as its square.
    assert reached == pytest.approx(fit.method.threshold, rel=0.01)


@pytest.mark.filterwarnings("ignore:WaterFilling. scale is 0")
def test_members_are_those_of_a_deep_ensemble() -> None:
    X, y = table()
    plain = EnsembleRegressor(DeepEnsemble(), **PLAIN).fit(X, y)
    still = EnsembleRegressor(WaterFilling(draws=3, scale=0.0), **PLAIN).fit(X, y)
    assert torch.equal(still.network_.flat, plain.network_.flat.repeat_interleave(3, 0))
    assert still.network_.n_members == 6


@pytest.mark.parametrize("layers", ["first", "all"])
def test_only_the_chosen_layers_are_drawn(layers: str) -> None:
    X, y = table()
    plain = EnsembleRegressor(DeepEnsemble(), **PLAIN).fit(X, y)
    drawn = EnsembleRegressor(WaterFilling(layers=layers), **PLAIN).fit(X, y)
    moved = (drawn.network_.flat[::10] != plain.network_.flat).all(0)
    first = 4 * 16  # three inputs and the bias, 16 units
    assert moved[:first].all()
    assert moved[first:].all() == (layers == "all")
    assert moved[first:].any() == (layers == "all")


@pytest.mark.parametrize(("n_zeros", "layers"), [(0, "all"), (9, "first")])
def test_many_unused_inputs_leave_the_draws_to_the_first_layer(
    n_zeros: int, layers: str
) -> None:
    X, y = table()
    X = np.hstack([X, np.zeros((len(X), n_zeros))])
    model = EnsembleRegressor(WaterFilling(), **PLAIN).fit(X, y)
    assert model.method_.layers == layers


def test_workers_change_no_bit() -> None:
    X, y = table()
    settings = {**PLAIN, "n_members": 4, "epochs": 3}
    one, two = (
        EnsembleRegressor(WaterFilling(), **settings, n_jobs=n).fit(X, y)
        for n in (1, 2)
    )
    assert torch.equal(one.network_.flat, two.network_.flat)
    assert np.array_equal(one.held_out_scores_, two.held_out_scores_)


def test_a_second_fit_takes_the_members_from_the_checkpoint(tmp_path) -> None:
    X, y = table()
    first, again = (
        EnsembleRegressor(WaterFilling(), **PLAIN).fit(X, y, checkpoint=tmp_path)
        for _ in range(2)
    )
    assert torch.equal(first.network_.flat, again.network_.flat)


def convolutions(n_inputs: int, n_outputs: int) -> nn.Module:
    return nn.Sequential(
        nn.Unflatten(1, (1, n_inputs)),
        nn.Conv1d(1, 4, 2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(4 * (n_inputs - 1), n_outputs),
    )


@pytest.mark.parametrize("layers", ["first", "all"])
def test_convolutions_with_softmax_are_drawn_too(layers: str) -> None:
    X, y = labelled()
    model = EnsembleClassifier(
        WaterFilling(layers=layers), network=convolutions, **PLAIN
    ).fit(X, y)
    assert type(model.loss_).__name__ == "CrossEntropy"
    assert model.network_.n_members == 20
    assert (model.predict(X) == y).mean() > 0.7
    assert model.method_.scale > 0
    far = 30 * X
    assert model.ood_score(far, "epistemic").mean() > 0
    assert model.ood_score(X, "epistemic").min() >= 0


class Scaled(nn.Module):
    """Weights that no layer holds."""

    def __init__(self, n_inputs: int) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.randn(n_inputs, 1))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.scale


def test_a_network_without_layers_is_refused() -> None:
    X, y = table()
    model = EnsembleRegressor(
        WaterFilling(), network=lambda n, _: Scaled(n), loss="squared_error", **PLAIN
    )
    with pytest.raises(ValueError, match="network must have linear layers"):
        model.fit(X, y)


def test_draws_that_cannot_leave_their_members_are_told() -> None:
    X, y = table()
    with pytest.warns(ConvergenceWarning, match="scale is 0.*Raise delta"):
        EnsembleRegressor(WaterFilling(threshold=-1e9), **PLAIN).fit(X, y)


def test_draws_with_doubt_are_saved_and_loaded(tmp_path) -> None:
    X, _ = doubtful_models.curved()
    model = doubtful_models.regressor(method="water_filling")
    assert model.doubt_ is not None
    assert model.doubt(doubtful_models.FAR).min() > 0.5
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.method_ == model.method_
    assert again.history_.loss.shape[1] == 3
    assert again.network_.n_members == 30
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.ood_score(X), model.ood_score(X))


def test_a_file_whose_draws_are_of_no_member_is_refused(tmp_path) -> None:
    X, y = table()
    model = EnsembleRegressor(WaterFilling(draws=3), **PLAIN).fit(X, y)
    model.network_ = model.network_.with_weights(model.network_.flat[:5])
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match="history must have members of which"):
        load(tmp_path / "model")
