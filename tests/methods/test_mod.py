import pytest
import torch

from antireg.losses import GaussianNLL
from antireg.methods import MOD
from antireg.networks import MLPStack
from tests.steps import linear, step_of


def test_penalty_matches_hand_value() -> None:
    # Constant members 1 and 3: variance 1 whatever the inputs.
    step = step_of(linear([[0.0, 1.0], [0.0, 3.0]]))
    assert MOD(strength=0.5).penalty(step, None).tolist() == [-0.5, -0.5]


def test_each_member_feels_the_gradient_of_its_own_penalty_once() -> None:
    network = linear([[0.0, 1.0], [0.0, 3.0]])
    MOD(strength=1.0).penalty(step_of(network), None).sum().backward()
    # −dV/df_m = −2 (f_m − f̄) / M: −2·(−1)/2 = 1 and −1
    assert network.flat.grad is not None
    assert network.flat.grad[:, 1].tolist() == pytest.approx([1.0, -1.0])


def test_inputs_are_drawn_in_the_box_of_the_batch() -> None:
    x = torch.tensor([[1.0], [3.0], [2.0], [2.5]])
    # Members ±x: their variance at an input is its square, between 1 and 9.
    step = step_of(linear([[1.0, 0.0], [-1.0, 0.0]]), x)
    penalty = MOD(strength=1.0).penalty(step, None)
    assert ((penalty >= -9) & (penalty <= -1)).all()


def test_the_noise_output_is_left_alone() -> None:
    shapes = {"kernel0": (1, 2), "bias0": (2,)}
    # Both say μ = 1; they differ in log σ² only.
    flat = torch.tensor([[0.0, 0.0, 1.0, 5.0], [0.0, 0.0, 1.0, -5.0]])
    network = MLPStack(flat, shapes, "identity")
    step = step_of(network, loss=GaussianNLL())
    assert MOD(strength=1.0).penalty(step, None).tolist() == [0, 0]
