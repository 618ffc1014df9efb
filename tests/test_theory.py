"""Water-filling against hand values, its optimality conditions and a solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

from antireg.theory import (
    feature_surprise,
    layer_surprise,
    linear_filling,
    prediction_variance,
    water_filling,
)


def test_water_filling_matches_hand_value():
    # Floors s²θ² are 1·1 = 1, 4·1 = 4 and 1·9 = 9; budget 5.
    # Level 5 leaves 4 + 1 + 0 = 5, so C = 5/5 and σ² = 4/1, 1/4, 0.
    filled = water_filling([1.0, 4.0, 1.0], [1.0, 1.0, 3.0], 5.0)
    assert filled.constant == pytest.approx(1.0)
    np.testing.assert_allclose(filled.variances, [4.0, 0.25, 0.0])


def test_all_features_fill_evenly_where_the_optimum_is_zero():
    # Each gets budget/p = 2 of the loss: σ² = 2/s², C = 1/p.
    filled = water_filling([1.0, 2.0, 4.0], np.zeros(3), 6.0)
    assert filled.constant == pytest.approx(1 / 3)
    np.testing.assert_allclose(filled.variances, [2.0, 1.0, 0.5])


def test_a_small_budget_fills_one_feature():
    # Floors 1 and 4: a budget of 2 lifts the first to 3, below 4.
    filled = water_filling([1.0, 1.0], [2.0, 1.0], 2.0)
    np.testing.assert_allclose(filled.variances, [0.0, 2.0])
    assert filled.constant == pytest.approx(1.5)


def test_a_single_feature_takes_the_whole_budget():
    filled = water_filling([0.5], [7.0], 3.0)
    np.testing.assert_allclose(filled.variances, [6.0])


@pytest.mark.parametrize("n_features", [1, 2, 17, 1000, 1_000_000])
@pytest.mark.parametrize("budget", [1e-12, 1.0, 1e12])
def test_the_budget_is_spent_to_rounding(n_features, budget):
    rng = np.random.default_rng(n_features)
    moments = 10.0 ** rng.uniform(-12, 12, n_features)
    filled = water_filling(moments, rng.normal(size=n_features), budget)
    assert filled.variances.min() >= 0
    assert (moments * filled.variances).sum() == pytest.approx(budget, rel=1e-13)


def test_a_budget_tiny_beside_the_floors_is_still_spent():
    # Floors of 1e12: the level 1e12 + 1e-9 is no float, the depths are.
    filled = water_filling(np.full(4, 1e12), np.ones(4), 1e-9)
    np.testing.assert_allclose(filled.variances, 2.5e-22, rtol=1e-14)


@pytest.mark.parametrize("budget", [0.01, 0.5, 3.0, 1000.0])
def test_water_filling_meets_its_optimality_conditions(budget):
    rng = np.random.default_rng(0)
    moments, optimum = rng.uniform(0.01, 5, 30), rng.normal(size=30)
    filled = water_filling(moments, optimum, budget)
    # The gain 1/(s²(θ² + σ²)) is α where σ² > 0, no more elsewhere; α = 1/(Cδτ).
    gain = 1 / (moments * (optimum**2 + filled.variances))
    price = 1 / (filled.constant * budget)
    wet = filled.variances > 0
    np.testing.assert_allclose(gain[wet], price, rtol=1e-10)
    assert (gain[~wet] <= price * (1 + 1e-10)).all()
    formula = np.maximum(filled.constant * budget / moments - optimum**2, 0)
    np.testing.assert_allclose(filled.variances, formula, rtol=1e-9, atol=1e-12)


def test_a_general_solver_finds_the_same_variances():
    moments = np.array([0.2, 1.0, 3.0, 0.5])
    optimum = np.array([0.5, 1.5, 0.1, 2.0])
    found = minimize(
        lambda v: -np.log(optimum**2 + v).sum(),
        x0=np.full(4, 0.1),
        bounds=[(0, None)] * 4,
        constraints={"type": "ineq", "fun": lambda v: 1.0 - moments @ v},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    filled = water_filling(moments, optimum, 1.0)
    np.testing.assert_allclose(filled.variances, found.x, atol=1e-5)


def test_a_million_features_use_up_the_budget():
    """A million steps of floor and budget, each rounded: 10⁶ · 2⁻⁵³ of the sum."""
    rng = np.random.default_rng(0)
    moments, optimum = rng.uniform(0.1, 1, 10**6), rng.normal(size=10**6)
    filled = water_filling(moments, optimum, 1.0)
    assert moments @ filled.variances == pytest.approx(1.0, rel=10**6 * 2.0**-53)


def test_without_the_log_one_feature_takes_everything():
    variances = linear_filling([1.0, 0.1, 0.2], 3.0)
    np.testing.assert_allclose(variances, [0.0, 30.0, 0.0])  # 3/0.1
    # A shift of the third, also weak, feature is seen with the log and not without.
    shifted = [[0.0, 0.0, 1.0]]
    filled = water_filling([1.0, 0.1, 0.2], np.zeros(3), 3.0)
    assert prediction_variance(shifted, variances).tolist() == [0.0]
    assert prediction_variance(shifted, filled.variances) == pytest.approx([5.0])


def test_prediction_variance_matches_hand_value():
    x = [[1.0, 2.0], [0.0, -3.0]]
    assert prediction_variance(x, [0.5, 0.25]).tolist() == [1.5, 2.25]


def test_prediction_variance_is_that_of_drawn_networks():
    rng = np.random.default_rng(0)
    filled = water_filling([1.0, 0.01, 0.3], [1.0, 0.0, -0.5], 0.1)
    weights = [1.0, 0.0, -0.5] + np.sqrt(filled.variances) * rng.normal(
        size=(50_000, 3)
    )
    x = np.array([[1.0, 2.0, -1.0], [0.3, 0.0, 5.0]])
    predicted = prediction_variance(x, filled.variances)
    np.testing.assert_allclose((x @ weights.T).var(axis=1), predicted, rtol=0.03)


def test_surprise_matches_hand_values():
    # Mean squares over the reference rows: (1 + 9)/2 = 5 and (0 + 4)/2 = 2.
    reference = [[1.0, 0.0], [3.0, 2.0]]
    np.testing.assert_allclose(feature_surprise([[5.0, 2.0]], reference), [[5.0, 2.0]])
    np.testing.assert_allclose(layer_surprise([[5.0, 2.0]], reference), [7.0])


def test_surprise_of_the_reference_rows_averages_their_number_of_live_features():
    rng = np.random.default_rng(0)
    reference = rng.normal(size=(100, 8)) * 10.0 ** np.arange(-4, 4)[::-1] * 1e-2
    reference[:, 0] = 0
    assert layer_surprise(reference, reference).mean() == pytest.approx(7.0)


def test_a_feature_silent_in_training_is_very_surprising_yet_finite():
    reference = np.array([[2.0, 0.0], [-2.0, 0.0]])
    terms = feature_surprise([[2.0, 0.0], [2.0, 2.0]], reference)
    np.testing.assert_allclose(terms, [[1.0, 0.0], [1.0, 1e12]])


def test_surprise_does_not_depend_on_the_units_of_a_layer():
    rng = np.random.default_rng(0)
    reference, rows = np.maximum(rng.normal(size=(2, 50, 6)), 0)
    reference[:, 0] = 0
    np.testing.assert_allclose(
        layer_surprise(1e-8 * rows, 1e-8 * reference), layer_surprise(rows, reference)
    )


@pytest.mark.parametrize(
    ("moments", "optimum", "budget", "message"),
    [
        ([1.0, 0.0], [1.0, 1.0], 1.0, "second_moments must be .* 1 other values"),
        ([], [], 1.0, "second_moments must be"),
        ([[1.0]], [[1.0]], 1.0, "second_moments must be"),
        ([1.0, np.inf], [1.0, 1.0], 1.0, "second_moments must be"),
        ([1.0, 1.0], [1.0], 1.0, "optimum must hold one finite weight"),
        ([1.0], [np.nan], 1.0, "optimum must hold one finite weight"),
        ([1.0], [1.0], 0.0, "budget must be finite and above 0, got 0.0"),
        ([1.0], [1.0], np.inf, "budget must be finite and above 0, got inf"),
    ],
)
def test_unusable_water_filling_is_refused(moments, optimum, budget, message):
    with pytest.raises(ValueError, match=message):
        water_filling(moments, optimum, budget)


def test_unusable_activations_are_refused():
    with pytest.raises(ValueError, match="of reference_activations, got 2 and 3"):
        layer_surprise(np.ones((1, 2)), np.ones((4, 3)))
    with pytest.raises(ValueError, match="must not all be 0"):
        layer_surprise(np.ones((1, 2)), np.zeros((4, 2)))
    with pytest.raises(ValueError, match=r"activations must be \(rows, features\)"):
        layer_surprise(np.ones(2), np.ones((4, 2)))
    with pytest.raises(ValueError, match="variances must hold one value"):
        prediction_variance(np.ones((1, 2)), [1.0, -1.0])
