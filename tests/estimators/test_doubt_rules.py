import numpy as np
import pytest
import torch

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.estimators.doubt_rules import ClassRules, ValueRules
from antireg.losses import CrossEntropy, SquaredError
from antireg.rows.scaling import Scaling


def regressor():
    model = EnsembleRegressor()
    model.robust_, model.scaled_by_ = False, "standard"
    model.loss_, model.noise_ = SquaredError(), np.array([1.0, 3.0]).reshape(2, 1, 1)
    model.target_scaling_ = Scaling(np.array([10.0]), np.array([2.0]))
    return model


def test_values_match_hand_values():
    rules = ValueRules(regressor(), np.array([[0.0], [2.0]]), np.array([1.0, 3.0]))
    outputs = np.array([[[1.0]], [[3.0]]])
    assert rules.uncertainty(outputs) == pytest.approx([2**0.5])  # unbiased, scaled
    told = rules.evidence(outputs, np.array([[0.5]]), np.array([7.0]), np.ones(1))
    assert told.mean.item() == 14.0  # 10 + 2 · 2
    assert told.noise.item() == 8.0  # 4 · (1 + 3) / 2
    assert told.disagreement.item() == 8.0  # 4 · 2
    assert told.y.item() == 11.0
    made = rules.default(np.zeros(5))
    # Weighted mean 1.5 and variance (1.5² + 3 · .5²) / 4 = .75, in units of 2.
    assert made.mean.tolist() == [13.0]
    assert made.variance.tolist() == [3.0]


def test_classes_match_hand_values():
    model = EnsembleClassifier()
    model.loss_, model.probability_map_ = CrossEntropy(), None
    rules = ClassRules(
        model, np.array([[0.0], [1.0], [1.0]]), np.array([1.0, 1.0, 2.0])
    )
    outputs = np.full((2, 1, 1), np.log(3.0))  # the second class has 3/4
    told = rules.evidence(outputs, np.array([[0.0]]), np.array([7.0]), np.ones(1))
    assert told.probability == pytest.approx([0.25])
    assert told.frequency == pytest.approx([0.25])
    entropy = -0.75 * np.log(0.75) - 0.25 * np.log(0.25)
    assert rules.uncertainty(outputs) == pytest.approx([entropy + 1e-6])
    said = rules.answers(torch.from_numpy(outputs))
    assert said.flatten().tolist() == pytest.approx([9 / 16, 9 / 16])
    assert rules.default(np.zeros(5)).frequencies.tolist() == [0.25, 0.75]


def test_rules_of_another_model_keep_the_targets():
    rules = ValueRules(regressor(), np.ones((3, 1)), np.ones(3))
    other = regressor()
    assert rules.of(other).model is other
    assert rules.of(other).targets is rules.targets
