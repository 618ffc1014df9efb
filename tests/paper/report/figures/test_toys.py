import numpy as np
import pytest

from antireg.paper.report.figures.toys import (
    inside_members,
    layers,
    line_bands,
    ood_maps,
    uncertainty_maps,
    water,
)

METHODS = ("de-nll", "de-mse", "dare")
NAMES = {
    uncertainty_maps: [f"two-moons-uncertainty-{m}" for m in METHODS],
    ood_maps: [f"two-moons-ood-{m}" for m in METHODS],
    line_bands: [f"one-dimensional-{m}" for m in METHODS],
    inside_members: [
        f"inside-{m}-layer-{n}" for m in ("dare", "de-mse") for n in (1, 2, 3)
    ],
    water: ["still-water-filling", "water-filling"],
}


@pytest.mark.parametrize("draw", NAMES)
def test_every_drawing_is_there_or_said_to_be_missing(draw, full, empty):
    shown = draw(full)
    assert list(shown.pictures) == NAMES[draw]
    assert not shown.missing
    assert draw(empty).missing == NAMES[draw]
    assert not draw(empty).pictures


def test_layers_are_taken_apart_in_the_order_of_the_rows(full):
    found = layers(full.record("two-moons", "DARE"))
    assert list(found) == [1, 2, 3]
    assert np.allclose(found[2]["stranger"], np.linspace(1, 0, 30)[10:20])
