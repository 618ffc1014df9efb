import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch
from sklearn.exceptions import ConvergenceWarning

from antireg.history import History
from antireg.methods import DARE, DeepEnsemble
from antireg.methods.base import Bounds, Fit, Method
from antireg.methods.dare_loss import EPSILON
from tests.steps import gradient_of, linear, step_of


def test_penalty_matches_hand_value() -> None:
    penalty = DARE(threshold=0.1).penalty(step_of(linear([[2.0, 1.0]])), None)
    # −(log 2² + log 1²) / 2 = −log 2; ε changes it by less than 1e-7
    assert penalty.item() == pytest.approx(-math.log(2), abs=1e-6)


def dare_gradient(weights: list[list[float]]) -> torch.Tensor:
    return gradient_of(DARE(threshold=0.1), linear(weights), torch.tensor(EPSILON))


def test_gradient_matches_hand_value() -> None:
    gradient = dare_gradient([[2.0, -0.5]])
    # −2θ/(θ² + ε)/d with d = 2: −2·2/4/2 = −0.5 and 2·0.5/0.25/2 = 2
    assert gradient[0].tolist() == pytest.approx([-0.5, 2.0], rel=1e-5)


def test_gradient_is_zero_at_zero_and_peaks_at_root_epsilon() -> None:
    root = math.sqrt(EPSILON)
    gradient = dare_gradient([[0.0, root]])
    assert gradient[0, 0] == 0
    # 2√ε / 2ε / d = 1 / (d √ε)
    assert gradient[0, 1].item() == pytest.approx(-1 / (2 * root), rel=1e-4)


def test_every_weight_counts_biases_too() -> None:
    gradient = dare_gradient([[1.0, 1.0]])
    assert (gradient != 0).all()


def test_control_includes_the_threshold() -> None:
    fit = torch.tensor([0.09, 0.1, 0.11])
    threshold = float(torch.tensor(0.1))
    assert DARE(threshold=threshold).control(fit).tolist() == [1, 1, 0]


def test_the_last_epoch_under_the_threshold_is_kept() -> None:
    method = DARE(threshold=1.0)
    kept, epoch = torch.tensor([torch.inf]), 0
    for number, loss in enumerate([3.0, 0.5, 0.9, 1.1, 1.0, 2.0], start=1):
        now = torch.tensor([loss])
        if method.keep(now, kept).item():
            kept, epoch = now, number
    assert epoch == 5


def test_the_best_epoch_is_kept_until_one_is_under_the_threshold() -> None:
    method = DARE(threshold=0.0)
    kept, epoch = torch.tensor([torch.inf]), 0
    for number, loss in enumerate([3.0, 2.0, 2.5], start=1):
        now = torch.tensor([loss])
        if method.keep(now, kept).item():
            kept, epoch = now, number
    assert epoch == 2


@pytest.mark.parametrize(("loss", "threshold"), [(2.0, 2.5), (-2.0, -1.5), (0.0, 0.0)])
def test_auto_threshold_is_safe_for_negative_losses(
    loss: float, threshold: float
) -> None:
    assert chosen_threshold(loss, Bounds()) == pytest.approx(threshold)


def chosen_threshold(loss: float, bounds: Bounds) -> float:
    trained: list[Method] = []

    def train(method: Method, ahead: Sequence[Method] = ()) -> Fit:
        trained.append(method)
        validation = np.array([[loss + 0.1, loss - 0.1]])
        kept = np.ones(2, dtype=np.int64)
        history = History(validation, validation, validation, validation, kept, 0.0)
        return Fit(method, torch.zeros(2, 1), history, loss, bounds)

    fit = DARE().run(train)
    assert isinstance(trained[0], DeepEnsemble)
    assert isinstance(fit.method, DARE)
    assert fit.centre is not None
    assert fit.centre.method is trained[0]
    return float(fit.method.threshold)


def test_the_threshold_is_halfway_to_a_constant_guess_at_most() -> None:
    """Of an imbalanced table: L + L/4 = .051 where the base rate gives .043."""
    with pytest.warns(ConvergenceWarning, match=r"0\.051.* lowered to 0\.0419") as said:
        threshold = chosen_threshold(0.0408, Bounds(constant_loss=0.043))
    assert threshold == pytest.approx(0.0419)
    assert len(said) == 1


def test_a_reference_as_bad_as_a_constant_leaves_no_slack() -> None:
    with pytest.warns(ConvergenceWarning, match="little to learn"):
        assert chosen_threshold(1.1, Bounds(constant_loss=1.0)) == pytest.approx(1.1)


@pytest.mark.parametrize(("loss", "threshold"), [(-2.0, -1.75), (-0.4, -0.3)])
def test_the_slack_of_a_logarithm_is_delta_at_most(
    loss: float, threshold: float
) -> None:
    assert chosen_threshold(loss, Bounds(0.5, unit=1.0)) == pytest.approx(threshold)


def history_of(validation: list[float], control: list[float], kept: int) -> History:
    losses = np.array(validation)[:, None]
    controls = np.array(control)[:, None]
    return History(losses, losses, controls, losses, np.array([kept]), 0.0)


def test_no_advice_when_the_threshold_binds() -> None:
    history = history_of([2, 1, 0.9, 1.0], [0, 0.5, 0.5, 0.4], 4)
    assert DARE(threshold=1.0).advice(history) is None


def test_advice_when_no_epoch_qualified_names_threshold_and_best_loss() -> None:
    advice = DARE(threshold=1.0).advice(history_of([3, 1.5, 2], [0, 0, 0], 2))
    assert advice is not None
    assert "threshold=1 " in advice
    assert "best 1.5" in advice


def test_advice_when_the_weights_were_still_free_to_grow() -> None:
    advice = DARE(threshold=1.0).advice(history_of([2, 0.9, 0.8, 0.8], [0, 1, 1, 1], 4))
    assert advice is not None
    assert "more steps" in advice


@pytest.mark.parametrize("control", [1.0, 0.6])
def test_advice_when_members_overfit(control: float) -> None:
    history = history_of([0.9, 1.5, 2, 3], [control] * 4, 1)
    advice = DARE(threshold=1.0).advice(history)
    assert advice is not None
    assert "overfit" in advice
    assert "after epoch 1 of 4" in advice


def test_a_threshold_that_is_not_known_is_not_shown():
    assert DARE().shown() == ()
    assert [one.value for one in DARE(threshold=0.5).shown()] == [0.5]
