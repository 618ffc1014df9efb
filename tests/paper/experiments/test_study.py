"""A job is found by all that sets it apart from others."""

from antireg.methods import DARE, AnchorNet, DeepEnsemble
from antireg.paper.experiments.study import Job, choice
from tests.paper.experiments.small import SMALL


def test_choice_holds_every_setting_to_the_last_bit():
    assert choice(AnchorNet(0.1, 10.0)) == "strength=0.1 scale=10.0"
    assert choice(DARE(1 / 3)) == "threshold=0.3333333333333333 delta=0.25"
    assert choice(DeepEnsemble()) == ""


def test_key_names_the_method_as_the_registry_does():
    key = Job(SMALL, DeepEnsemble(), "gaussian_nll", 2).key
    assert key == ("small", "deep_ensemble", "gaussian_nll", "", 2)
