import numpy as np
import pytest
import torch

from antireg.networks import Centred, mlp
from antireg.networks.forward import forward
from antireg.networks.inference import by_passes, by_rows
from antireg.rows.scaling import Scaling
from tests.steps import linear

MEMBERS, CENTRE = linear([[2.0, 1.0], [-1.0, 0.5]]), linear([[1.0, 0.0], [3.0, -1.0]])
SCALING = Scaling(np.array([0.0]), np.array([1.0]))


def test_outputs_of_the_centre_follow_those_of_the_members_by_hand() -> None:
    # Of 2: 2·2 + 1, −2 + ½, then 2 and 3·2 − 1.
    outputs = forward(Centred(MEMBERS, CENTRE), torch.tensor([[2.0]]))
    assert outputs[:, 0, 0].tolist() == [5.0, -1.5, 2.0, 5.0]


def test_without_a_centre_outputs_are_those_of_the_members() -> None:
    x = torch.linspace(-1, 1, 50)[:, None]
    assert torch.equal(forward(Centred(MEMBERS), x), forward(MEMBERS, x))


@pytest.mark.parametrize("n_rows", [1, 5000])
def test_hidden_units_are_those_of_the_members_alone(n_rows: int) -> None:
    members, centre = (mlp([1, 4, 2], "relu", seeds=seeds) for seeds in ([0, 1], [2]))
    x = np.linspace(-1, 1, n_rows)[:, None]

    def hidden(network):
        return by_passes(network, SCALING, x, lambda part: part.hidden)

    both = Centred(members, centre)
    np.testing.assert_array_equal(hidden(both), hidden(members))
    outputs = by_passes(both, SCALING, x, lambda part: part.outputs, axis=1)
    alone = [by_rows(n, SCALING, x, lambda said: said, 1) for n in (members, centre)]
    np.testing.assert_array_equal(outputs, np.concatenate(alone))
