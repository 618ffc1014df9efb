import math

import numpy as np
import pytest

from antireg.metrics import class_nll, classification_ece
from antireg.predictive.probability_map import (
    ProbabilityMap,
    both_classes,
    fit_probability_map,
    softmax_probabilities,
)


def test_map_matches_hand_value() -> None:
    # K = 2, h/K = (1.5, 0): (1.5 + ½)², (0 + ½)² = 4, ¼; 4 / 4.25
    probability = ProbabilityMap(power=2.0, floor=0.5)(np.array([[3.0, 0.0]]))
    assert probability[0].tolist() == pytest.approx([4 / 4.25, 0.25 / 4.25])
    # Below zero an output counts as zero, to about a thousandth.
    below = ProbabilityMap(power=2.0, floor=0.5)(np.array([[3.0, -1.0]]))
    assert below[0].tolist() == pytest.approx(probability[0].tolist(), abs=1e-4)


def test_probabilities_sum_to_one_and_keep_the_order_of_outputs() -> None:
    outputs = np.random.default_rng(0).normal(2, 3, (100, 5))
    probabilities = ProbabilityMap(3.0, 0.1)(outputs)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (probabilities.argmax(axis=1) == outputs.argmax(axis=1)).all()
    negative = -np.abs(1e6 * outputs)
    assert (
        ProbabilityMap(3.0, 0.1)(negative).argmax(axis=1) == negative.argmax(axis=1)
    ).all()


def sample(n_rows: int, seed: int, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Outputs near K times known probabilities, and labels drawn from those."""
    rng = np.random.default_rng(seed)
    true = rng.dirichlet(np.full(3, 0.3), n_rows)
    labels = np.array([rng.choice(3, p=p) for p in true])
    return 3 * true + noise * rng.normal(size=true.shape), labels


def test_outputs_that_are_probabilities_are_read_as_such() -> None:
    outputs, labels = sample(4000, 0, noise=0.0)
    fitted = fit_probability_map(outputs, labels)
    assert fitted.power == pytest.approx(1.0, abs=0.15)
    assert fitted.floor < 0.05


def test_fitted_map_is_calibrated_on_fresh_rows_where_a_softmax_is_not() -> None:
    fitted = fit_probability_map(*sample(2000, 0, noise=0.3))
    outputs, labels = sample(4000, 1, noise=0.3)
    ours, naive = fitted(outputs), softmax_probabilities(outputs)
    assert classification_ece(labels, ours) < 0.03
    assert class_nll(labels, ours) < class_nll(labels, naive)


def test_a_few_rows_that_are_all_right_do_not_make_it_certain() -> None:
    outputs = np.tile([[2.0, 0.0]], (10, 1))
    fitted = fit_probability_map(outputs, np.zeros(10, dtype=np.intp))
    assert fitted(outputs)[0, 0] < 0.999


def test_one_output_of_two_classes_becomes_two() -> None:
    assert both_classes(np.array([[0.25]])).tolist() == [[1.5, 0.5]]


def test_one_logit_becomes_two_probabilities() -> None:
    probabilities = softmax_probabilities(np.array([[math.log(3)]]))
    assert probabilities[0].tolist() == pytest.approx([0.25, 0.75])


def test_outputs_beyond_every_number_give_probabilities():
    infinite = np.array([[np.inf, -np.inf, 0.0], [np.inf, np.inf, 1.0]])
    for found in (ProbabilityMap(1.0, 0.01)(infinite), softmax_probabilities(infinite)):
        np.testing.assert_allclose(found, [[1, 0, 0], [0.5, 0.5, 0]], atol=1e-9)
