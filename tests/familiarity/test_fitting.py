import numpy as np
import pytest

from antireg.familiarity.doubt import START, Curve, Doubt
from antireg.familiarity.fitting import (
    BOUNDS,
    ClassEvidence,
    ValueEvidence,
    default_class_doubt,
    default_doubt,
    doubted_answers,
    fit_class_doubt,
    fit_doubt,
    negative_log_likelihood,
)

ZERO, ONE = np.zeros(1), np.ones(1)


def told(unfamiliar, error, seed, n_rows=150):
    """Rows of targets from N(0, 1), guessed with so much error, told as if with .1."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=(n_rows, 1))
    mean = y + error * rng.normal(size=(n_rows, 1))
    noise = np.full((n_rows, 1), 0.01)
    unfamiliar = rng.uniform(*unfamiliar, n_rows)
    members = mean, noise, 0.1 * noise
    constant = np.zeros((n_rows, 1)), np.ones((n_rows, 1))
    return ValueEvidence(unfamiliar, np.ones(n_rows), *members, y, *constant)


def test_loss_matches_hand_value():
    made = Doubt(Curve(0.0, 0.0, 1.0, 3.0), 0.0, 0.0, 0.0, ZERO, 4 * ONE)
    row = ValueEvidence(
        np.array([2.0]), ONE, *(np.array([[v]]) for v in (1.0, 1.0, 0.0, 3.0, 2.0, 1.0))
    )
    # w = .3160603 and v = ½; N(3; 1, 1) = e⁻², N(3; 0, 4) = e^(−9/8) / 2 and, by the
    # line, N(3; 2, 1) = e^(−½), all times √2π.
    far = (np.exp(-1.125) / 2 + np.exp(-0.5)) / 2
    expected = -np.log(0.6839397 * np.exp(-2) + 0.3160603 * far)
    assert negative_log_likelihood(made, row) == pytest.approx([expected])


def test_doubt_is_learned_where_members_fail_and_not_where_they_carry_over():
    known = [told((0, 1), 0.1, seed) for seed in range(3)]
    failed = [told((2, 5), 2.0, seed) for seed in range(3, 6)]
    fine = [told((2, 5), 0.1, seed) for seed in range(3, 6)]
    bad = fit_doubt(known[:1], known[1:], failed, ZERO, ONE)
    good = fit_doubt(known[:1], known[1:], fine, ZERO, ONE)
    assert bad.curve.weight(np.array([4.0])).item() > 0.8
    assert good.curve.weight(np.array([4.0])).item() < 0.3
    assert bad.curve.weight(np.array([0.9])).item() == 0


def test_doubt_begins_and_ends_at_the_quantiles_of_rows():
    known, failed = [told((0, 1), 0.1, k) for k in (0, 1)], [told((2, 5), 2.0, 2)]
    found = fit_doubt(known[:1], known[1:], failed, ZERO, ONE).curve
    both = np.concatenate([part.unfamiliar for part in known])
    assert found.start == np.quantile(both, 0.95)
    assert found.end == np.quantile(failed[0].unfamiliar, 0.95)


def test_fitted_numbers_are_better_than_where_they_start_and_within_bounds():
    known, failed = [told((0, 1), 0.1, k) for k in (0, 1)], [told((2, 5), 2.0, 2)]
    found = fit_doubt(known[:1], known[1:], failed, ZERO, ONE)
    curve = found.curve
    first = Doubt(
        Curve(START[0], START[1], curve.start, curve.end), *START[2:], ZERO, ONE
    )

    def mean(doubt):
        losses = [negative_log_likelihood(doubt, part).mean() for part in known]
        return (
            0.5 * np.mean(losses)
            + 0.5 * negative_log_likelihood(doubt, failed[0]).mean()
        )

    assert mean(found) < mean(first)
    numbers = [curve.a, curve.b, found.noise, found.growth, found.width]
    for number, (low, high) in zip(numbers, BOUNDS, strict=True):
        assert low <= number <= high


def test_sets_count_the_same_however_many_rows_they_have():
    known = [told((0, 1), 0.1, k) for k in (0, 1)]
    few, many = told((2, 5), 2.0, 2, n_rows=50), told((2, 5), 0.1, 3, n_rows=200)
    both = fit_doubt(known[:1], known[1:], [few, many], ZERO, ONE)
    twice = ValueEvidence(
        *(np.concatenate([getattr(few, n)] * 2) for n in few.__dataclass_fields__)
    )
    again = fit_doubt(known[:1], known[1:], [twice, many], ZERO, ONE)
    # Twice the same rows move only the quantile where rehearsal ends.
    assert again.width == pytest.approx(both.width, abs=0.1)


def classes(unfamiliar, probability, seed):
    rng = np.random.default_rng(seed)
    return ClassEvidence(
        rng.uniform(*unfamiliar, 100),
        np.ones(100),
        np.full(100, probability),
        np.full(100, 0.5),
    )


def test_doubt_of_classes_is_learned_where_members_are_surely_wrong():
    known = [classes((0, 1), 0.95, seed) for seed in (0, 1)]
    bad = fit_class_doubt(
        known[:1], known[1:], [classes((2, 5), 1e-3, 2)], np.ones(2) / 2
    )
    good = fit_class_doubt(
        known[:1], known[1:], [classes((2, 5), 0.9, 2)], np.ones(2) / 2
    )
    assert bad.curve.weight(np.array([4.0])).item() > 0.8
    assert good.curve.weight(np.array([4.0])).item() < 0.3


def test_without_rehearsal_the_numbers_are_those_of_the_start():
    unfamiliar = np.linspace(0, 1, 101)
    found = default_doubt(unfamiliar, ZERO, ONE)
    assert (found.curve.start, found.curve.end) == pytest.approx((0.95, 2.95))
    numbers = [found.curve.a, found.curve.b, found.noise, found.growth, found.width]
    assert numbers == START.tolist()
    same = default_class_doubt(unfamiliar, np.array([0.5, 0.5])).curve
    assert same == found.curve


def test_answers_to_doubted_rows_are_those_of_the_mixture():
    doubt = Doubt(Curve(0.0, 50.0, 1.0, 9.0), 0.0, -20.0, 0.0, np.ones(1), np.ones(1))
    one = np.ones((3, 1))
    said = np.ones(3), 5 * one, 4 * one, 0 * one, 7 * one, 6 * one, 2 * one
    rows = ValueEvidence(np.array([0.5, 3.0, 4.0]), *said)
    near = ValueEvidence(np.zeros(3), *said)
    # The first row is not doubted; of the others, w = sigmoid(0) = ½ at once, and half
    # of that has the line, which says 6.
    ((mixture, y),) = doubted_answers(doubt, [near, rows])
    assert y.tolist() == [[7.0], [7.0]]
    assert mixture.means[:, :, 0].tolist() == [[5, 5], [1, 1], [6, 6]]
    assert mixture.variances[:, 0, 0].tolist() == pytest.approx([4.0, 1.0, 2.0])
    assert mixture.weights[:, 0, 0].tolist() == pytest.approx([0.5, 0.25, 0.25])
