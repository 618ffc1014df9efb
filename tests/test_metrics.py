"""Each metric on numbers worked out by hand, then what it must refuse."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

from antireg import metrics


def test_rmse_and_mae_match_hand_values():
    # Errors 3 and −4: √((9 + 16)/2) and (3 + 4)/2.
    assert metrics.rmse([3.0, 0.0], [0.0, 4.0]) == pytest.approx(3.5355339)
    assert metrics.mae([3.0, 0.0], [0.0, 4.0]) == 3.5


def test_gaussian_nll_matches_hand_value():
    # ½((3 − 1)²/4 + log 4) = ½(1 + 1.3862944), and ½ log 2π = 0.9189385 more.
    assert metrics.gaussian_nll([3.0], [1.0], [2.0]) == pytest.approx(1.1931472)
    with_constant = metrics.gaussian_nll([3.0], [1.0], [2.0], constant=True)
    assert with_constant == pytest.approx(2.1120857)


def test_gaussian_nll_is_the_mean_over_rows_and_outputs():
    # Standard errors 0, 1, 2, 3: ½(0 + 1 + 4 + 9)/4.
    y = np.array([[0.0, 1.0], [2.0, 3.0]])
    assert metrics.gaussian_nll(y, np.zeros((2, 2)), np.ones((2, 2))) == 1.75


def test_mixture_nll_matches_hand_value():
    # −log(½ · 0.3989423 (1 + e⁻²)) = −log 0.2264664
    y, means, variances = [0.0], [[0.0], [2.0]], [[1.0], [1.0]]
    assert metrics.mixture_nll(y, means, variances, constant=True) == pytest.approx(
        1.4851577
    )
    without = metrics.mixture_nll(y, means, variances, constant=False)
    assert without == pytest.approx(0.5662192)  # less ½ log 2π


def test_mixture_nll_of_one_member_is_the_gaussian_nll():
    rng = np.random.default_rng(0)
    y, mean, std = rng.normal(size=(20, 2)), rng.normal(size=(20, 2)), np.ones((20, 2))
    mixture = metrics.mixture_nll(y, mean[None], std[None] ** 2, constant=False)
    assert mixture == pytest.approx(metrics.gaussian_nll(y, mean, std))


def test_crps_of_a_gaussian_matches_hand_value():
    # At the centre: σ(2φ(0) − 1/√π) = 2 (0.7978846 − 0.5641896).
    assert metrics.crps_gaussian([1.0], [1.0], [2.0]) == pytest.approx(0.4673900)


def test_crps_of_point_masses_matches_hand_value():
    # Members 0 and 2, target 0: E|X − y| = 1, E|X − X'| = 1, so 1 − ½.
    assert metrics.crps_mixture([0.0], [[0.0], [2.0]], [[0.0], [0.0]]) == 0.5


def test_crps_of_a_mixture_is_the_integral_of_its_definition():
    means, variances, y = np.array([-1.0, 0.5, 3.0]), np.array([0.2, 1.0, 2.5]), 0.7

    def integrand(x):
        cdf = ndtr((x - means) / np.sqrt(variances)).mean()
        return (cdf - (x >= y)) ** 2

    expected = quad(integrand, -15, y)[0] + quad(integrand, y, 20)[0]
    found = metrics.crps_mixture([y], means[:, None], variances[:, None])
    assert found == pytest.approx(expected, rel=1e-7)


def test_crps_of_one_member_is_that_of_its_gaussian():
    rng = np.random.default_rng(0)
    y, mean, std = rng.normal(size=30), rng.normal(size=30), rng.uniform(0.1, 2, 30)
    mixture = metrics.crps_mixture(y, mean[None], std[None] ** 2)
    assert mixture == pytest.approx(metrics.crps_gaussian(y, mean, std))


def test_crps_far_outside_is_the_distance():
    assert metrics.crps_gaussian([1e200], [0.0], [1e-9]) == pytest.approx(1e200)


def test_coverage_counts_both_ends():
    y = [0.0, 1.0, 2.0, 3.0]
    assert metrics.coverage(y, [0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.9, 9.0]) == 0.75


def test_regression_ece_matches_hand_value():
    # Every target at its centre: coverage 1 at each level, so the mean of 1 − k/11
    # over k = 1 … 10, that is 1 − 5.5/11 = 0.5. Far away: the mean of k/11, 0.5 too.
    assert metrics.regression_ece([1.0, 2.0], [1.0, 2.0], [1.0, 1.0]) == pytest.approx(
        0.5
    )
    assert metrics.regression_ece([9.0, -9.0], [0.0, 0.0], [1.0, 1.0]) == pytest.approx(
        0.5
    )


def test_regression_ece_of_the_true_distribution_is_zero():
    # The quantiles 1/22, 3/22, …, 21/22 hold k of 11 in the central interval k/11.
    y = ndtri((2 * np.arange(11) + 1) / 22)
    assert metrics.regression_ece(2 * y + 5, np.full(11, 5.0), np.full(11, 2.0)) < 0.05
    many = ndtri((np.arange(22_000) + 0.5) / 22_000)
    assert metrics.regression_ece(many, np.zeros(22_000), np.ones(22_000)) < 1e-3


def test_regression_ece_intervals_are_central_not_one_sided():
    # All targets one standard deviation above the mean: inside the central interval
    # from level 0.6827 on, that is k = 8, 9, 10 of 11. The gaps, in elevenths, are
    # 1 + … + 7 = 28 and 3 + 2 + 1 = 6, over ten levels.
    y = np.ones(4)
    expected = pytest.approx(34 / 110)
    assert metrics.regression_ece(y, np.zeros(4), np.ones(4)) == expected
    assert metrics.regression_ece(-y, np.zeros(4), np.ones(4)) == expected


def test_auroc_matches_hand_value():
    # Of the 6 pairs, OOD wins 4 and ties 1: (4 + ½)/6.
    assert metrics.auroc([1.0, 2.0, 5.0], [2.0, 6.0]) == pytest.approx(4.5 / 6)
    assert metrics.auroc([1.0, 2.0], [3.0, 4.0]) == 1.0
    assert metrics.auroc([3.0, 4.0], [1.0, 2.0]) == 0.0


def test_aupr_matches_hand_value():
    # From the top: OOD 4 (precision 1/1), in 3, OOD 2 (precision 2/3), in 1.
    assert metrics.aupr([1.0, 3.0], [2.0, 4.0]) == pytest.approx((1 + 2 / 3) / 2)


def test_aupr_of_a_useless_score_is_the_share_of_ood_rows():
    assert metrics.aupr(np.zeros(30), np.zeros(10)) == pytest.approx(0.25)


def test_fpr95_matches_hand_value():
    # 20 OOD rows 1 … 20: catching 19 of them needs a threshold of 2; of the four
    # familiar rows, 2 (a tie) and 7 are at or above it.
    out = np.arange(1.0, 21.0)
    assert metrics.fpr95([0.0, 1.9, 2.0, 7.0], out) == 0.5


def test_fpr95_rounds_the_caught_rows_up():
    # 95 % of 10 is 9.5, so all 10 must be caught: threshold 1.
    assert metrics.fpr95([0.5, 1.0, 1.5, 2.5], np.arange(1.0, 11.0)) == 0.75


@pytest.mark.parametrize("metric", [metrics.auroc, metrics.aupr])
def test_better_detection_is_higher(metric):
    assert metric([0.0, 1.0, 2.0], [3.0, 4.0]) > metric([0.0, 1.0, 3.5], [3.0, 4.0])


def test_scores_at_the_end_of_the_float_range_are_ranked():
    largest = np.finfo(np.float64).max
    assert metrics.auroc([0.0, 1.0], [largest, largest]) == 1.0
    assert metrics.aupr([0.0, 1.0], [largest, largest]) == 1.0
    assert metrics.fpr95([0.0, largest], [largest, largest]) == 0.5


def test_accuracy_matches_hand_value():
    assert metrics.accuracy([0, 1, 2, 2], [0, 1, 1, 2]) == 0.75
    assert metrics.accuracy(["cat", "dog"], ["cat", "cat"]) == 0.5


def test_accuracy_refuses_the_column_that_would_broadcast():
    labels = np.arange(10)
    with pytest.raises(
        ValueError, match=r"got \(10,\) and \(10, 1\)\. Drop a last axis"
    ):
        metrics.accuracy(labels, labels[:, None])


def test_class_nll_matches_hand_value():
    # −(log 0.5 + log 0.25)/2 = (0.6931472 + 1.3862944)/2
    found = metrics.class_nll([0, 1], [[0.5, 0.5], [0.75, 0.25]])
    assert found == pytest.approx(1.0397208)


def test_a_certain_error_costs_36_nats():
    assert metrics.class_nll([0], [[0.0, 1.0]]) == pytest.approx(36.04365)


def test_brier_matches_hand_value():
    # (0.7 − 1)² + 0.2² + 0.1² = 0.14; the worst is (0 − 1)² + 1² = 2.
    assert metrics.brier([0], [[0.7, 0.2, 0.1]]) == pytest.approx(0.14)
    assert metrics.brier([0], [[0.0, 1.0]]) == 2.0


def test_classification_ece_matches_hand_value():
    # Two rows at confidence 0.8, one right: gap 0.3. Two at 0.6, both right: gap 0.4.
    probabilities = [[0.8, 0.2], [0.2, 0.8], [0.6, 0.4], [0.6, 0.4]]
    found = metrics.classification_ece([0, 0, 0, 0], probabilities)
    assert found == pytest.approx((2 * 0.3 + 2 * 0.4) / 4)


def test_classification_ece_of_one_bin_is_confidence_less_accuracy():
    probabilities = [[0.9, 0.1], [0.7, 0.3]]
    # Mean confidence 0.8, accuracy 0.5.
    found = metrics.classification_ece([0, 1], probabilities, n_bins=1)
    assert found == pytest.approx(0.3)


def test_full_confidence_falls_into_the_last_bin():
    assert metrics.classification_ece([0, 1], [[1.0, 0.0], [0.0, 1.0]]) == 0.0


def test_bins_hold_their_upper_end():
    # With two bins 0.5 belongs to (0, ½], apart from 0.9: gaps 0.5 right and 0.9 wrong
    # stay separate, (|0.5 − 1| + |0.9 − 0|)/2, and do not cancel.
    found = metrics.classification_ece([0, 0], [[0.5, 0.5], [0.1, 0.9]], n_bins=2)
    assert found == pytest.approx(0.7)


COLUMN = np.ones((3, 1))


@pytest.mark.parametrize(
    ("metric", "arguments", "message"),
    [
        (metrics.rmse, (np.ones(3), COLUMN), r"y, mean must .* \(3,\), \(3, 1\)"),
        (metrics.mae, ([], []), "not empty"),
        (metrics.mae, ([np.nan], [1.0]), "with 1 NaN"),
        (metrics.gaussian_nll, (np.ones(3), np.ones(3), COLUMN), "must have one shape"),
        (metrics.gaussian_nll, ([1.0], [1.0], [0.0]), "std must be above 0, got 0.0"),
        (
            metrics.crps_gaussian,
            ([1.0], [1.0], [-1.0]),
            "std must be above 0, got -1.0",
        ),
        (metrics.regression_ece, ([1.0], [1.0], [0.0]), "std must be above 0"),
        (metrics.mixture_nll, (np.ones(3), COLUMN, COLUMN), "means must be members of"),
        (metrics.mixture_nll, ([1.0], [[1.0]], [[0.0]]), "variances must be above 0"),
        (
            metrics.mixture_nll,
            ([1.0], [[1.0]], [1.0]),
            "means, variances must have one",
        ),
        (metrics.crps_mixture, ([np.nan], [[1.0]], [[1.0]]), "with 1 NaN"),
        (
            metrics.crps_mixture,
            ([1.0], [[1.0]], [[-1.0]]),
            "variances must be 0 or more",
        ),
        (metrics.coverage, ([1.0], [2.0], [1.0]), "low must not exceed high, got 1"),
        (metrics.coverage, (np.ones(3), COLUMN, COLUMN), "must have one shape"),
        (metrics.auroc, ([], [1.0]), "scores_in must be"),
        (metrics.aupr, ([1.0], [np.nan]), "scores_out must be"),
        (metrics.fpr95, ([1.0], COLUMN), "scores_out must be"),
        (metrics.accuracy, ([], []), "not empty"),
        (metrics.class_nll, (COLUMN, np.ones((3, 1))), r"labels must be \(rows,\)"),
        (metrics.class_nll, ([2], [[0.5, 0.5]]), r"from 0 to 1, got \[2\]"),
        (metrics.class_nll, ([-1], [[0.5, 0.5]]), "from 0 to 1"),
        (metrics.brier, ([0.0], [[0.5, 0.5]]), "labels must be class indices"),
        (metrics.brier, ([0], [[2.0, -3.0]]), "sum to 1"),
        (metrics.brier, (["a"], [[0.5, 0.5]]), "labels must be class indices"),
        (
            metrics.classification_ece,
            ([0], [[0.5, 0.5]], 0),
            "n_bins must be at least 1",
        ),
    ],
)
def test_unusable_input_is_refused_in_one_sentence(metric, arguments, message):
    with pytest.raises(ValueError, match=message):
        metric(*arguments)


def test_weights_of_a_mixture_are_those_of_its_members():
    y, means = np.array([[0.0, 1.0]]), np.array([[[0.0, 1.0]], [[5.0, 5.0]]])
    variances, weights = np.ones((2, 1, 2)), np.array([1.0, 0.0]).reshape(2, 1, 1)
    # The second member has no weight: −log φ(0) = ½ log 2π, left out.
    nll = metrics.mixture_nll(y, means, variances, weights)
    assert nll == pytest.approx(0.0, abs=1e-12)
    crps = metrics.crps_mixture(y, means, variances, weights)
    assert crps == pytest.approx(metrics.crps_mixture(y, means[:1], variances[:1]))
