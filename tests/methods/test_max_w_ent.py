import math

import numpy as np
import pytest
import torch

from antireg import EnsembleClassifier, EnsembleRegressor, MaxWEnt
from antireg.losses import SquaredError
from antireg.methods.max_w_ent import START
from antireg.methods.moments import FLOOR
from antireg.networks.noisy import NoisyStack
from antireg.rows.data import Data
from tests.methods.test_moments import CROSS
from tests.methods.test_water_filling import PLAIN, convolutions
from tests.small_tables import labelled, table, unfinished_is_fine
from tests.steps import linear, step_of

pytestmark = unfinished_is_fine


def around(method: MaxWEnt) -> NoisyStack:
    rows = Data(CROSS, torch.zeros(4, 1))
    found = method.around(linear([[1.0, 2.0, 5.0]], 2), rows, [0])
    assert isinstance(found, NoisyStack)
    return found


def test_noise_starts_small_and_larger_where_inputs_vary_less() -> None:
    """Second moments ½, 1 and 2, ascending; what leaves the layer varies by r = 2."""
    sizes = around(MaxWEnt()).flat.exp()[0]
    floor = 2 * FLOOR
    moments = torch.tensor([0.5, 1.0, 2.0]) + floor
    expected = START * 2 / math.sqrt(3) * moments.rsqrt()
    torch.testing.assert_close(sizes, expected, rtol=1e-5, atol=0)


def test_single_weights_have_no_basis() -> None:
    (one,) = around(MaxWEnt(directions="weights")).directions
    assert one.basis is None
    assert (one.n_inputs, one.n_units) == (3, 1)


def test_the_penalty_matches_hand_values() -> None:
    network = around(MaxWEnt())
    sizes = torch.tensor([[1.0, math.e, math.e**4]])
    step = step_of(network.with_weights(sizes.log()), CROSS)
    log = MaxWEnt(strength=3.0).penalty(step, None)
    assert log.item() == pytest.approx(-3 * 5 / 3)
    mean = MaxWEnt(strength=3.0, reward="mean").penalty(step, None)
    assert mean.item() == pytest.approx(-(1 + math.e + math.e**4), rel=1e-6)


def test_the_best_sizes_spend_the_slack_in_equal_shares() -> None:
    """Where the objective is least, K sizes cost  φ² s² = strength / 2K  each.

    Its expectation over the noise is  Σ φ_k² s_k² − strength · mean log φ_k.
    """
    network = around(MaxWEnt())
    moments = torch.tensor([0.5, 1.0, 2.0])
    best = (0.9 / (2 * 3) / moments).sqrt()
    sizes = best.log()[None].requires_grad_()
    step = step_of(network.with_weights(sizes), CROSS)
    reward = MaxWEnt(strength=0.9).penalty(step, None)
    (of_reward,) = torch.autograd.grad(reward, step.network.flat)
    cost = (moments * (2 * sizes).exp()).sum()
    (of_cost,) = torch.autograd.grad(cost, sizes)
    torch.testing.assert_close(of_reward, -of_cost)
    assert cost.item() == pytest.approx(0.45)  # with 2(τ − L), it is τ − L


def test_the_last_epoch_under_the_threshold_is_kept() -> None:
    method, infinite = MaxWEnt(threshold=1.0), torch.tensor([math.inf, math.inf])
    assert method.keep(torch.tensor([0.9, 1.1]), infinite).tolist() == [True, True]
    kept = torch.tensor([0.5, 0.5])
    assert method.keep(torch.tensor([0.9, 1.1]), kept).tolist() == [True, False]


@pytest.mark.parametrize("n_members", [1, 3])
def test_draws_are_around_a_deep_ensemble_and_at_the_threshold(n_members: int) -> None:
    X, y = table()
    settings = {**PLAIN, "n_members": n_members}
    model = EnsembleRegressor(MaxWEnt(draws=20), **settings).fit(X, y)
    assert model.network_.n_members == 20 * n_members
    plain = EnsembleRegressor("deep_ensemble", **settings).fit(X, y)
    loss = plain.history_.kept_validation_loss.mean()
    assert model.threshold_ == pytest.approx(loss + 0.25 * abs(loss), rel=1e-5)
    assert model.method_.strength == pytest.approx(0.5 * abs(loss), rel=1e-5)
    means = model.network_.flat.view(n_members, 20, -1).mean(1)
    away = (means - plain.network_.flat).norm() / model.network_.flat.std(0).norm()
    assert away < 2  # of twenty draws, far less than a member is from another


def test_workers_change_no_bit() -> None:
    X, y = table()
    settings = {**PLAIN, "n_members": 4, "epochs": 20}
    one, two = (
        EnsembleRegressor(MaxWEnt(), **settings, n_jobs=n).fit(X, y) for n in (1, 2)
    )
    assert torch.equal(one.network_.flat, two.network_.flat)
    assert np.array_equal(one.held_out_scores_, two.held_out_scores_)


def test_a_second_fit_takes_the_noise_from_the_checkpoint(tmp_path) -> None:
    X, y = table()
    first = EnsembleRegressor(MaxWEnt(), **PLAIN).fit(X, y, checkpoint=tmp_path)
    assert [*tmp_path.glob("continued/training-1*")]
    again = EnsembleRegressor(MaxWEnt(), **PLAIN).fit(X, y, checkpoint=tmp_path)
    assert torch.equal(first.network_.flat, again.network_.flat)


def test_convolutions_with_softmax_are_drawn_too() -> None:
    X, y = labelled()
    model = EnsembleClassifier(
        MaxWEnt(draws=5), network=convolutions, **{**PLAIN, "n_members": 1}
    ).fit(X, y)
    assert model.network_.n_members == 5
    assert np.isfinite(model.predict_proba(1e3 * X)).all()


def test_squared_error_has_a_strength_too() -> None:
    X, y = table()
    model = EnsembleRegressor(MaxWEnt(), loss="squared_error", **PLAIN).fit(X, y)
    assert isinstance(model.loss_, SquaredError)
    assert model.method_.scale > 0
