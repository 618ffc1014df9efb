import numpy as np
import pytest

from antireg.predictive.probability_map import ProbabilityMap
from antireg.trusted.answers import Answer
from antireg.trusted.noise import Curve, Noise
from antireg.trusted.rules import ClassRules, ValueRules

UNIT = Noise((Curve(np.zeros(1), np.zeros(1)),))


def test_moments_of_targets_are_weighted():
    # Weights 1 and 3 on 0 and 4: mean 3, variance (9 + 3 · 1) / 4 = 3.
    rules = ValueRules.of(np.array([0.0, 4.0]), np.array([1.0, 3.0]))
    assert rules.mean.tolist() == [3.0]
    assert rules.variance.tolist() == [3.0]


def test_targets_that_never_change_have_a_variance_all_the_same():
    assert (ValueRules.of(np.full(5, 7.0), np.ones(5)).variance > 0).all()
    assert (ValueRules.of(np.zeros(5), np.ones(5)).variance > 0).all()


def test_uncertainty_is_in_units_of_the_targets():
    rules = ValueRules(np.zeros(2), np.array([4.0, 9.0]))
    said = Answer(np.zeros((1, 2)), np.array([[2.0, 3.0]]))  # one deviation of each
    assert rules.uncertainty(said) == pytest.approx(np.sqrt(2), rel=1e-6)
    assert rules.uncertainty(Answer(np.zeros((1, 2)))) is None


def test_doubt_leaves_the_noise_as_it_is():
    rng = np.random.default_rng(0)
    rules = ValueRules(np.zeros(1), np.ones(1))

    def evidence(n_rows, unfamiliar, size):
        said = Answer(np.zeros((n_rows, 1)))
        y = size * rng.normal(size=n_rows)
        return rules.evidence(
            said, UNIT, y, np.full(n_rows, unfamiliar), np.ones(n_rows)
        )

    known = [evidence(200, 0.1, 2.0)]  # twice the noise that is said of them
    found = rules.learned(known, known, [evidence(200, 3.0, 2.0)])
    assert found.noise == 0
    assert rules.default(np.linspace(0, 1, 50)).noise == 0


def test_what_was_said_of_classes_is_the_probability_of_the_true_one():
    rules = ClassRules.of(
        np.array(["a", "b", "b"]), np.ones(3), np.array(["a", "b", "c"])
    )
    assert rules.frequencies.tolist() == pytest.approx([1 / 3, 2 / 3, 0])
    said = Answer(np.array([[0.2, 0.7, 0.1], [0.5, 0.5, 0.0]]))
    plain = ProbabilityMap(1.0, 1e-12)
    told = rules.evidence(said, plain, np.array(["b", "a"]), np.zeros(2), np.ones(2))
    assert told.probability == pytest.approx([0.7, 0.5])
    assert told.frequency == pytest.approx([2 / 3, 1 / 3])


def test_probabilities_are_softened_where_they_were_wrong():
    rng = np.random.default_rng(0)
    sure = np.array([[1.0, 0.0], [0.0, 1.0]])[rng.integers(2, size=500)]
    wrong = rng.random(500) < 0.2
    y = np.where(wrong, 1 - sure[:, 1], sure[:, 1]).astype(int)
    rules = ClassRules.of(y, np.ones(500), np.array([0, 1]))
    calibration = rules.calibration(Answer(sure), y, np.ones(500))
    said = rules.probabilities(Answer(sure), calibration)
    assert said.max(axis=1) == pytest.approx(1 - wrong.mean(), abs=0.01)
