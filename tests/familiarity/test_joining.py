import numpy as np
import pytest

from antireg.familiarity import SIGNALS
from antireg.familiarity.joining import (
    LARGEST,
    Normalisation,
    Signalling,
    agreement,
    fit_normalisation,
    joined_rows,
)
from antireg.familiarity.signal import Reference, Seen


def test_scale_matches_hand_values():
    # 0 … 40: median 20, 90 % quantile 36, 97.5 % quantile 39; 19 / 1.861 is less.
    plain = fit_normalisation({"nearest": np.arange(41.0)})
    assert plain.middle == {"nearest": 20.0}
    assert plain.scale == {"nearest": 16.0}
    # A tail of 1000: 980 / (log 20 / log 5) = 526.5.
    heavy = np.arange(41.0)
    heavy[39:] = 1000.0
    found = fit_normalisation({"nearest": heavy}).scale["nearest"]
    assert found == pytest.approx(980 * np.log(5) / np.log(20))


def test_scale_has_a_floor_of_its_own():
    same = fit_normalisation({"nearest": np.ones(9), "columns": np.ones(9)})
    assert same.scale == {"nearest": 0.05, "columns": 0.5}


def test_distances_that_agree_with_the_entropy_count_more():
    rising = np.arange(9.0)
    signals = {
        "nearest": rising**2,  # ρ = 1
        "columns": -rising,  # ρ = −1
        "direction": np.ones(9),  # no ρ, so 0
        "sensitive": rising,  # doubt uses it: always 1
        "entropy": rising,
    }
    weights = np.exp([4.0, -4.0, 0.0])
    expected = 3 * weights / weights.sum()
    assert agreement(signals) == pytest.approx(
        dict(zip(("nearest", "columns", "direction"), expected, strict=True))
    )
    plain = fit_normalisation({k: v for k, v in signals.items() if k != "entropy"})
    weighted = fit_normalisation(signals)
    for name, weight in zip(("nearest", "columns"), expected, strict=False):
        assert weighted.scale[name] == pytest.approx(plain.scale[name] / weight)
    assert weighted.scale["sensitive"] == plain.scale["sensitive"]


@pytest.mark.parametrize("missing", ["direction", "entropy"])
def test_agreement_counts_only_for_classifiers_of_pixels_and_features(missing):
    rising = np.arange(9.0)
    names = {"nearest", "direction", "entropy"} - {missing}
    assert agreement(dict.fromkeys(names, rising)) == {}


def test_what_counts_by_agreement_is_not_for_doubt():
    counted = {name for name, signal in SIGNALS.items() if signal.by_agreement}
    assert counted == {"nearest", "columns", "direction"}
    assert not any(SIGNALS[name].for_doubt for name in counted)


def test_the_flag_adds_and_doubt_averages_what_is_above_the_median():
    unit = dict.fromkeys(
        ("nearest", "density", "columns", "sensitive", "hidden", "spread")
    )
    normal = Normalisation(dict.fromkeys(unit, 1.0), dict.fromkeys(unit, 2.0))
    signals = {name: np.array([1.0 + 2 * k, -5.0]) for k, name in enumerate(unit)}
    # z = 0 … 5 in the order of names; hidden (4) is not of the flag.
    assert normal.flag(signals).tolist() == [0 + 1 + 2 + 3 + 5, 0]
    assert normal.unfamiliar(signals).tolist() == [(1 + 3 + 4 + 5) / 4, 0]


def test_joined_scores_are_finite():
    normal = Normalisation({"spread": 0.0}, {"spread": 0.05})
    odd = np.array([1e300, np.inf, np.nan])
    assert normal.flag({"spread": odd}).tolist() == [LARGEST] * 3


def test_a_network_without_hidden_layers_does_without_that_signal():
    inputs = np.random.default_rng(0).normal(size=(30, 2))
    signalling = Signalling.learned(Reference(inputs, np.ones(2)))
    assert "hidden" not in signalling.memories
    signals = signalling(Seen(inputs, np.ones(30)))
    assert set(signals) == {"nearest", "density", "columns", "sensitive", "spread"}
    assert fit_normalisation(signals).doubt_names() == [
        "density",
        "sensitive",
        "spread",
    ]


def test_a_single_model_that_reports_no_uncertainty_does_without_that_signal():
    inputs = np.random.default_rng(0).normal(size=(30, 2))
    reference = Reference(inputs, np.ones(2))
    signals = Signalling.learned(reference, uncertainty=False)(Seen(inputs, None))
    assert set(signals) == {"nearest", "density", "columns", "sensitive"}
    with pytest.raises(ValueError, match="uncertainty must be given"):
        Signalling.learned(reference)(Seen(inputs, None))


def test_rows_are_joined_signal_by_signal():
    parts = [{"a": np.array([1.0]), "b": np.array([2.0])}] * 2
    joined = joined_rows(parts)
    assert {name: values.tolist() for name, values in joined.items()} == {
        "a": [1.0, 1.0],
        "b": [2.0, 2.0],
    }


def test_what_is_below_medians_or_below_a_sum_is_all_that_may_differ():
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(900, 60)).astype(np.float32)
    reference = Reference(inputs, rng.uniform(size=60), np.abs(inputs[:, :20]))
    signalling = Signalling.learned(reference)
    assert "direction" in signalling.memories

    def seen(scale):
        rows = (rng.normal(size=(400, 60)) * scale).astype(np.float32)
        return Seen(rows, rng.uniform(0.5, 2, size=400), np.abs(rows[:, :20]))

    normal = fit_normalisation(signalling(seen(1)))
    rows = seen(rng.uniform(0.8, 1.5, size=(400, 1)))
    exact = signalling(rows)
    for names in (normal.flag_names(), normal.doubt_names(), list(normal.middle)):
        whole = normal.summed(exact, names)
        for limit in (0.0, float(np.quantile(whole, 0.7))):
            found = signalling.above(rows, normal, names, limit)
            assert set(found) == set(names)
            total, counts = normal.summed(found, names), whole > limit
            np.testing.assert_allclose(total[counts], whole[counts], rtol=1e-6)
            assert (total[~counts] <= limit + 1e-6).all()
