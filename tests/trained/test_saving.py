import numpy as np
import pytest
import torch
from torch import nn

import antireg
from antireg.estimators import saving
from tests.trained_networks import (
    picture_network,
    pictures,
    regression_network,
    rows,
)

FOLDERS = ("model", "again")


def amounts():
    networks = [regression_network(0), regression_network(1)]
    model = antireg.from_networks(networks, "regression", random_state=0)
    return model.fit(*rows(150, 1), reference=rows(200, 2)[0]), rows(50, 3)[0]


def with_noise():
    network = regression_network(0, 2).double()
    model = antireg.from_networks(network, "regression", outputs="mean_log_variance")
    return model.fit(*rows(150, 1)), rows(50, 3)[0]


def classes():
    network = picture_network(0)
    model = antireg.from_networks(network, "classification", classes=["c", "a", "b"])
    X, y = pictures(150, 1)
    return model.fit(X, np.array(["c", "a", "b"])[y]), pictures(50, 3)[0]


@pytest.mark.parametrize("make", [amounts, with_noise, classes])
def test_what_is_loaded_says_the_same_to_the_last_digit(make, tmp_path) -> None:
    model, X = make()
    model.save(tmp_path / "model")
    untrained = make()[0].networks
    untrained = untrained if isinstance(untrained, list) else [untrained]
    for network in untrained:
        for layer in network.modules():
            if hasattr(layer, "reset_parameters"):
                layer.reset_parameters()
    before = [w.clone() for network in untrained for w in network.parameters()]
    loaded = antireg.load(tmp_path / "model", network=untrained)
    for answer in ("predict", "ood_score", "doubt", "is_ood"):
        assert np.array_equal(getattr(loaded, answer)(X), getattr(model, answer)(X))
    if model.kind == "regressor":
        ends = zip(loaded.predict_interval(X), model.predict_interval(X), strict=True)
        assert all(np.array_equal(one, other) for one, other in ends)
    now = [w for network in untrained for w in network.parameters()]
    assert all(torch.equal(*pair) for pair in zip(before, now, strict=True))
    loaded.save(tmp_path / "again")
    names = [{path.name for path in (tmp_path / n).iterdir()} for n in FOLDERS]
    assert names[0] == names[1]  # they hold what is in the files


def test_one_module_will_do_for_several_of_its_class(tmp_path) -> None:
    model, X = amounts()
    model.save(tmp_path / "model")
    loaded = antireg.load(tmp_path / "model", network=regression_network(9))
    assert np.array_equal(loaded.predict(X), model.predict(X))


def test_the_code_must_be_given_and_fit(tmp_path) -> None:
    model, _ = amounts()
    path = tmp_path / "model"
    model.save(path)
    with pytest.raises(ValueError, match=r"^network must be given to load trained net"):
        antireg.load(path)
    with pytest.raises(
        ValueError, match=r"^network must have the tensors of the stored"
    ):
        antireg.load(path, network=nn.Linear(2, 1))
    with pytest.raises(ValueError, match=r"^network must be one module or 2, as were"):
        antireg.load(path, network=[regression_network(0)] * 3)
    with pytest.raises(ValueError, match=r"trained networks, which only antireg.load"):
        saving.read(path)


def test_numbers_that_no_file_holds_are_refused(tmp_path) -> None:
    network = regression_network(0)
    network.register_buffer("mask", torch.tensor([-torch.inf]))
    model = antireg.from_networks(network, "regression").fit(*rows(50, 1))
    with pytest.raises(
        ValueError, match=r"must hold finite numbers to be saved.*'mask'"
    ):
        model.save(tmp_path / "model")
    network.mask = torch.tensor([1j])
    with pytest.raises(ValueError, match=r"must hold real numbers to be saved.*'mask'"):
        model.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
