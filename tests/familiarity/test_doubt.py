"""Doubt, on numbers worked out by hand, and the bounds it keeps."""

from dataclasses import replace

import numpy as np
import pytest

from antireg.familiarity.doubt import ClassDoubt, Curve, Doubt
from antireg.familiarity.joining import Signalling, fit_normalisation
from antireg.familiarity.line import Line
from antireg.familiarity.signal import Reference, Seen
from antireg.predictive import ClassProbabilities, GaussianMixture

CURVE = Curve(a=0.0, b=0.0, start=1.0, end=3.0)


def test_weight_matches_hand_values():
    # Below the start none. At 2: ½ (1 − e⁻¹). At 5, one stretch beyond the end:
    # 1 − (1 − ½ (1 − e⁻²)) e^−½.
    found = CURVE.weight(np.array([0.0, 1.0, 2.0, 5.0]))
    assert found[:2].tolist() == [0.0, 0.0]
    assert found[2:] == pytest.approx([0.3160603, 0.6556922])


def test_the_share_of_a_line_matches_hand_values():
    # Half up to the end; at 5, one stretch beyond it, e^−½ of that; never quite none.
    found = CURVE.line_share(np.array([0.0, 3.0, 5.0, 1e9]))
    assert found == pytest.approx([0.5, 0.5, 0.3032653, 5e-13])


def test_weight_grows_up_to_one():
    rng = np.random.default_rng(0)
    unfamiliar = np.sort(np.concatenate([rng.exponential(3, 500), [1e9]]))
    for _ in range(50):
        curve = Curve(*rng.normal(0, 3, 2), *rng.normal(1, 2, 2))
        w = curve.weight(unfamiliar)
        assert np.all(np.diff(w) >= -1e-15)
        assert w.min() >= 0
        assert w[-1] == 1


def doubt(noise=0.0, growth=0.0, width=0.0, curve=CURVE):
    return Doubt(curve, noise, growth, width, np.array([10.0]), np.array([4.0]))


def test_mixture_matches_hand_values():
    members = GaussianMixture(np.array([[[1.0]], [[3.0]]]), np.ones((2, 1, 1)))
    found = doubt(noise=np.log(2), width=np.log(3))(members, np.array([2.0]))
    # Unbiased var μ = 2, r = 1: each member is √(2 · 2 · e) from the mean, noise 2.
    away = (4 * np.e) ** 0.5
    assert found.means.ravel() == pytest.approx([2 - away, 2 + away, 10])
    assert found.variances.ravel() == pytest.approx([2, 2, 12])
    w = 0.3160603
    assert found.weights.ravel() == pytest.approx([(1 - w) / 2, (1 - w) / 2, w])
    # e^c (σ² + var μ · e) = 2 (1 + 2 e) is the variance of the members' part.
    told = np.full((1, 1), 2.0), np.ones((1, 1)), np.full((1, 1), 2.0)
    mean, variance = doubt(noise=np.log(2)).pooled(*told, np.array([2.0]))
    assert mean.item() == 2
    assert variance.item() == pytest.approx(2 * (1 + 2 * np.e))
    inside = found.weights[:2, 0, 0] / (1 - w)
    spread = np.square(found.means[:2, 0, 0] - 2) + found.variances[:2, 0, 0]
    assert inside @ spread == pytest.approx(variance.item(), rel=1e-6)


def test_wild_members_go_no_further_than_the_constant_allows():
    """At u = 5, w is .6556922, so that is 6 · 2 / w, and twice that where e^f is 4."""
    unfamiliar, limit = np.array([0.0, 5.0]), 18.3012692
    wild = np.full((1, 2, 1), -1e6), np.full((1, 2, 1), 1e9)
    found = doubt()(GaussianMixture(*wild), unfamiliar)
    assert found.means[0].ravel() == pytest.approx([-1e6, 10 - limit])
    assert found.variances[0].ravel() == pytest.approx([1e9, limit**2])
    wide = doubt(width=np.log(4))(GaussianMixture(*wild), unfamiliar)
    assert wide.means[0, 1].item() == pytest.approx(10 - 2 * limit)
    mean, variance = doubt().pooled(wild[0][0], *wild[1], wild[1][0], unfamiliar)
    assert mean.ravel() == pytest.approx([-1e6, 10 - limit])
    assert variance.ravel() == pytest.approx([2e9, 2 * limit**2])


def test_a_line_has_half_of_what_is_doubted():
    line = Line(*(np.full(shape, 9.0) for shape in ((1, 1), 1, 1, 1, 1)))
    members = GaussianMixture(np.array([[[1.0]]]), np.ones((1, 1, 1)))
    made = replace(doubt(width=np.log(3)), line=line)
    found = made(members, np.array([2.0]), np.array([[7.0]]))
    assert found.means.ravel() == pytest.approx([1, 10, 7])
    assert found.variances.ravel() == pytest.approx([1, 12, 27])
    w = 0.3160603
    assert found.weights.ravel() == pytest.approx([1 - w, w / 2, w / 2])


def test_members_are_as_they_were_where_there_is_no_doubt_but_for_their_noise():
    rng = np.random.default_rng(1)
    members = GaussianMixture(rng.normal(size=(4, 6, 1)), rng.uniform(1, 2, (4, 6, 1)))
    found = doubt()(members, np.zeros(6))
    np.testing.assert_allclose(found.mean, members.mean)
    # n / (n − 1) of the biased variance
    expected = members.aleatoric + members.epistemic * 4 / 3
    np.testing.assert_allclose(found.variance, expected)


def test_one_member_is_enough():
    alone = GaussianMixture(np.ones((1, 2, 1)), np.ones((1, 2, 1)))
    found = doubt()(alone, np.array([0.0, 2.0]))
    assert found.mean.ravel() == pytest.approx([1.0, 1 + 9 * 0.3160603])


def test_the_loss_is_bounded_by_those_of_both_parts():
    rng = np.random.default_rng(2)
    for _ in range(200):
        numbers = rng.uniform([-3, -5, -1, -6, -0.5], [9, 2, 1.5, 1, 2.5])
        a, b, c, d, f = numbers
        curve = Curve(a, b, rng.uniform(0, 2), rng.uniform(0, 6))
        line = Line(*rng.uniform(0.1, 5, (5, 2)))
        told = rng.normal(size=2), rng.uniform(0.1, 5, 2)
        made = Doubt(curve, c, d, f, *told, line if rng.random() < 0.5 else None)
        shape = (rng.integers(1, 6), 20, 2)
        members = GaussianMixture(rng.normal(0, 3, shape), rng.uniform(1e-3, 2, shape))
        y, unfamiliar = rng.normal(0, 10, (20, 2)), rng.exponential(2, 20)
        on_line = None if made.line is None else rng.normal(0, 5, (20, 2))
        answer = made(members, unfamiliar, on_line)
        loss, n = -answer.log_density(y), len(members.means)
        constant = GaussianMixture(answer.means[n : n + 1], answer.variances[n : n + 1])
        ensemble = GaussianMixture(answer.means[:n], answer.variances[:n])
        w, v = (of(unfamiliar)[:, None] for of in (curve.weight, curve.line_share))
        with np.errstate(divide="ignore"):
            own = w if made.line is None else w * (1 - v)
            by_constant = -constant.log_density(y) - np.log(own)
            by_ensemble = -ensemble.log_density(y) - np.log(1 - w)
        assert np.all(loss <= by_constant + 1e-9 * np.abs(by_constant))
        assert np.all(loss <= by_ensemble + 1e-9 * np.abs(by_ensemble))


def test_classes_far_away_have_their_frequencies():
    made = ClassDoubt(CURVE, np.array([0.7, 0.2, 0.1]))
    certain = np.array([[[0.0, 0.0, 1.0]] * 3])
    found = made(ClassProbabilities(certain), np.array([0.0, 2.0, 1e9]))
    w = 0.3160603
    expected = [[0, 0, 1], [0.7 * w, 0.2 * w, 1 - 0.9 * w], [0.7, 0.2, 0.1]]
    np.testing.assert_allclose(found.mean, expected, atol=1e-7)
    pooled = made(ClassProbabilities(certain, certain[0]), np.array([0.0, 2.0, 1e9]))
    np.testing.assert_allclose(pooled.mean, expected, atol=1e-7)


@pytest.mark.parametrize("direction", [[1, 0, 0], [0, -1, 0], [1, 1, -1]])
def test_doubt_grows_along_a_ray_that_leaves_the_data(direction):
    rng = np.random.default_rng(3)
    turn = rng.normal(size=(3, 10))

    def seen(inputs):
        spread = 0.1 + 0.1 * np.linalg.norm(inputs, axis=1)
        return Seen(inputs, spread, np.maximum(inputs @ turn, 0))

    inputs = rng.normal(size=(500, 3))
    signalling = Signalling.learned(Reference(inputs, np.ones(3), seen(inputs).hidden))
    held_out = signalling(seen(rng.normal(size=(300, 3))))
    normal = fit_normalisation(held_out)
    start = float(np.quantile(normal.unfamiliar(held_out), 0.95))
    steps = 2.0 ** np.arange(2, 12)
    ray = steps[:, None] * np.array(direction, float) / np.linalg.norm(direction)
    unfamiliar = normal.unfamiliar(signalling(seen(ray)))
    assert np.all(np.diff(unfamiliar) > 0)
    w = Curve(3.0, -2.0, start, start + 2).weight(unfamiliar)
    assert np.all(np.diff(w) > 0)
    assert w[0] > 0
    assert w[-1] > 0.9
