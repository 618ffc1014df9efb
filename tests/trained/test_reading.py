import numpy as np
import torch

from antireg import from_networks
from antireg.trained.inputs import MOST_ROWS
from antireg.trained.modules import Modules
from antireg.trained.reading import passed
from tests.trained_networks import picture_network, pictures, regression_network, rows


def test_parts_are_put_together_in_their_order() -> None:
    network = picture_network(0)
    X, _ = pictures(MOST_ROWS + 20, 0)
    modules = Modules.of(network, torch.from_numpy(X))
    outputs, hidden = passed(modules, X)
    with torch.no_grad():
        whole, units = modules(torch.from_numpy(X))
    np.testing.assert_allclose(outputs, whole.numpy(), atol=1e-4)
    np.testing.assert_allclose(hidden, units.numpy(), atol=1e-4)


def test_one_network_of_amounts_does_not_say_how_uncertain_it_is() -> None:
    one = from_networks(regression_network(0), "regression").fit(*rows(50, 1))
    X, _ = rows(7, 2)
    assert one._reading()(X).uncertainty is None
    networks = [regression_network(0), regression_network(1)]
    two = from_networks(networks, "regression").fit(*rows(50, 1))
    assert two._reading()(X).uncertainty.shape == (7,)
    shown, kinds = pictures(50, 1)
    classes = from_networks(picture_network(0), "classification").fit(shown, kinds)
    assert classes._reading()(shown[:7]).uncertainty.shape == (7,)
