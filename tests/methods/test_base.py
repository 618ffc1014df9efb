"""What a method is if it says nothing but its penalty."""

import math

import numpy as np
import pytest
import torch

from antireg.history import History
from antireg.losses import SquaredError
from antireg.methods.base import NO_BOUNDS, Fit, Method
from antireg.methods.closed_form import closed_form
from tests.steps import linear, random_step


class Plain(Method):
    """A method of one's own: the only part that must be there."""

    def penalty(self, step, memory):
        return step.network.flat.square().sum(1)


def test_a_method_must_have_a_penalty():
    with pytest.raises(TypeError, match="penalty"):
        Method()


def test_a_method_of_nothing_but_a_penalty_is_complete():
    method, step = Plain(), random_step(SquaredError(), 1)
    memory = method.init(step.network, step.batch, (1, 2, 3))
    assert memory is None
    assert closed_form(method) is None
    assert method.shown() == ()
    assert method.words == {}
    assert method.around(step.network, step.batch, (1, 2, 3)) is step.network
    assert method.finish("fit", "trained") == "fit"
    assert method.penalty(step, memory).shape == (3,)
    fit = torch.tensor([0.0, 1e9, -5.0])
    assert method.control(fit).tolist() == [1.0, 1.0, 1.0]
    one = np.ones((1, 3))
    history = History(one, one, one, one, np.ones(3, dtype=np.int64), 0.0)
    assert method.advice(history) is None


def test_members_see_rows_of_their_own_and_are_not_shared_out_unless_said():
    assert not Plain.shared_batches
    assert not Plain.independent
    assert Plain.classification_loss == "cross_entropy"


def test_an_epoch_is_kept_if_it_is_strictly_better():
    now, kept = torch.tensor([1.0, 1.0, 2.0]), torch.tensor([math.inf, 1.0, 1.0])
    assert Plain().keep(now, kept).tolist() == [True, False, False]


def test_a_method_without_choices_is_trained_once():
    asked = []

    def train(method, ahead=()):
        asked.append((method, ahead))
        weights = linear([[1.0, 2.0]]).flat
        one = np.ones((1, 1))
        history = History(one, one, one, one, np.ones(1, dtype=np.int64), 0.0)
        return Fit(method, weights, history, 0.5)

    method = Plain()
    found = method.run(train)
    assert asked == [(method, ())]
    assert found.method is method
    assert found.bounds == NO_BOUNDS == (math.inf, math.inf)
