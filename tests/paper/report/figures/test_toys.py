import numpy as np
import pytest

from antireg.paper.report.figures.toys import layers
from antireg.paper.report.writing import FIGURES

METHODS = ("de-nll", "de-mse", "dare")
NAMES = {
    "uncertainty_maps": [f"two-moons-uncertainty-{m}" for m in METHODS],
    "ood_maps": [f"two-moons-ood-{m}" for m in METHODS],
    "line_bands": [f"one-dimensional-{m}" for m in METHODS],
    "inside_members": [
        f"inside-{m}-layer-{n}" for m in ("dare", "de-mse") for n in (1, 2, 3)
    ],
    "water": ["still-water-filling", "water-filling"],
}


@pytest.mark.parametrize("name", NAMES)
def test_every_picture_is_there_or_said_to_be_missing(name, full, empty):
    shown = FIGURES[name](full)
    assert list(shown.pictures) == NAMES[name]
    assert not shown.missing
    assert FIGURES[name](empty).missing == NAMES[name]
    assert not FIGURES[name](empty).pictures


def test_layers_are_taken_apart_in_the_order_of_the_rows(full):
    found = layers(full.record("two-moons", "DARE"))
    assert list(found) == [1, 2, 3]
    assert np.allclose(found[2]["stranger"], np.linspace(1, 0, 30)[10:20])
