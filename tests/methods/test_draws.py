import math

import pytest

from antireg.methods import MaxWEnt, WaterFilling
from antireg.methods.draws import largest_scale


def test_the_largest_scale_matches_hand_values() -> None:
    assert largest_scale(lambda c: c * c, 9.0) == pytest.approx(3, rel=0.003)
    assert largest_scale(lambda c: c * c, 1e-6) == pytest.approx(1e-3, rel=0.003)
    assert largest_scale(lambda c: 0.0, 1.0) == 1024
    assert largest_scale(lambda c: 1.0, 0.5) == 0
    assert largest_scale(lambda c: math.nan if c > 5 else 0.0, 1.0) == pytest.approx(
        5, rel=0.003
    )


@pytest.mark.parametrize("kind", [WaterFilling, MaxWEnt])
@pytest.mark.parametrize(
    ("name", "value"),
    [("draws", 0), ("draws", 2.5), ("scale", -1.0), ("scale", 1e9), ("delta", -1)],
)
def test_settings_that_cannot_be_are_named(kind, name, value) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        kind(**{name: value}).check()


def test_words_that_are_not_known_are_named() -> None:
    with pytest.raises(
        ValueError, match='layers must be "auto" or "first" or "all", got'
    ):
        WaterFilling(layers="last").check()
    with pytest.raises(ValueError, match='reward must be "log" or "mean", got'):
        MaxWEnt(reward="sum").check()


def test_the_threshold_is_shown_once_it_is_known() -> None:
    assert WaterFilling().shown() == ()
    (shown,) = WaterFilling(threshold=0.5).shown()
    assert shown.value == 0.5
