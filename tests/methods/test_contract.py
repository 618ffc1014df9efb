"""Every method keeps the interface."""

import re
from pathlib import Path

import pytest
import torch
from sklearn.base import clone

from antireg.losses import CrossEntropy, GaussianNLL, Loss, SquaredError
from antireg.methods import METHODS, Method, as_method
from antireg.methods.closed_form import closed_form
from tests.steps import gradient_of, random_step

NUMBERS = {
    "dare": {"threshold": 0.5},
    "anchor_net": {"strength": 2.0, "scale": 0.5},
    "mod": {"strength": 0.3},
    "negative_correlation": {"strength": 0.7},
    "water_filling": {"threshold": 0.5, "scale": 0.1},
    "max_w_ent": {"threshold": 0.5, "strength": 0.1},
}
SEEDS = (1, 2, 3)
LOSSES = [(GaussianNLL(), 2), (SquaredError(), 1), (CrossEntropy(), 3)]


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> Method:
    return METHODS[request.param](**NUMBERS.get(request.param, {}))


@pytest.mark.parametrize(("loss", "n_outputs"), LOSSES)
def test_penalty_is_one_finite_number_per_member(
    method: Method, loss: Loss, n_outputs: int
) -> None:
    step = random_step(loss, n_outputs)
    memory = method.init(step.network, step.batch, SEEDS)
    penalty = method.penalty(step, memory)
    assert penalty.shape == (3,)
    assert penalty.isfinite().all()


@pytest.mark.parametrize(("loss", "n_outputs"), LOSSES)
def test_closed_form_gradient_is_that_of_the_penalty(
    method: Method, loss: Loss, n_outputs: int
) -> None:
    step = random_step(loss, n_outputs)
    memory = method.init(step.network, step.batch, SEEDS)
    if closed_form(method) is None:
        pytest.skip("leaves its gradient to autograd")
    closed = gradient_of(method, step.network, memory)
    # What adds nothing is not part of the graph: a zero of the weights makes it so.
    penalty = method.penalty(step, memory) + 0 * step.network.flat.sum(1)
    (by_autograd,) = torch.autograd.grad(penalty.sum(), step.network.flat)
    torch.testing.assert_close(closed, by_autograd, rtol=1e-4, atol=1e-6)


def test_control_is_one_number_between_zero_and_one_per_member(method: Method) -> None:
    control = method.control(torch.tensor([0.1, 0.5, 0.9]))
    assert control.shape == (3,)
    assert ((control >= 0) & (control <= 1)).all()


def test_a_better_epoch_is_kept(method: Method) -> None:
    keep = method.keep(torch.tensor([1.0, 2.0]), torch.tensor([torch.inf, 1.5]))
    assert keep.tolist() == [True, False]


def test_same_seed_draws_the_same_penalty(method: Method) -> None:
    penalties = []
    for _ in range(2):
        step = random_step(GaussianNLL(), 2)
        memory = method.init(step.network, step.batch, SEEDS)
        penalties.append(method.penalty(step, memory))
    assert torch.equal(*penalties)


def test_what_is_shown_is_a_setting_by_its_value(method: Method) -> None:
    settings = method.get_params()
    assert all(settings[one.name] == one.value for one in method.shown())
    assert all(one.meaning.endswith(one.symbol) for one in method.shown())


def test_contributing_names_every_hook_and_no_other() -> None:
    text = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text()
    named = re.findall(r"^\| `(\w+)` \|", text, flags=re.MULTILINE)
    hooks = {name for name in vars(Method) if not name.startswith("_")}
    assert set(named) == hooks - Method.__abstractmethods__
    assert Method.__abstractmethods__ == {"penalty"}


def test_clone_keeps_the_settings(method: Method) -> None:
    assert clone(method).get_params() == method.get_params()


def test_methods_are_made_by_name() -> None:
    assert {name: type(as_method(name)) for name in METHODS} == METHODS


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"one of dare, deep_ensemble.* got 'bagging'"):
        as_method("bagging")
