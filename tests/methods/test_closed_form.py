from antireg.methods import METHODS
from antireg.methods.closed_form import closed_form


def test_these_methods_know_their_gradient() -> None:
    known = {name for name, make in METHODS.items() if closed_form(make())}
    assert known == {
        "dare",
        "deep_ensemble",
        "anchor_net",
        "repulsive",
        "water_filling",
    }
