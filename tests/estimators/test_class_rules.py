import numpy as np
import pytest
import torch

from antireg import EnsembleClassifier
from antireg.estimators.class_rules import ClassRules
from antireg.estimators.observed import Observed
from antireg.losses import CrossEntropy


def test_classes_match_hand_values():
    model = EnsembleClassifier()
    model.loss_, model.probability_map_ = CrossEntropy(), None
    rules = ClassRules(
        model, np.array([[0.0], [1.0], [1.0]]), np.array([1.0, 1.0, 2.0])
    )
    outputs = np.full((2, 1, 1), np.log(3.0))  # the second class has 3/4
    rows = Observed(outputs, {}, np.array([[0.0]]), np.ones(1))
    told = rules.evidence(rows, np.array([7.0]))
    assert told.probability == pytest.approx([0.25])
    assert told.frequency == pytest.approx([0.25])
    entropy = -0.75 * np.log(0.75) - 0.25 * np.log(0.25)
    assert rules.uncertainty(outputs) == pytest.approx([entropy + 1e-6])
    said = rules.answers(torch.from_numpy(outputs))
    assert said.flatten().tolist() == pytest.approx([9 / 16, 9 / 16])
    assert rules.default(np.zeros(5)).frequencies.tolist() == [0.25, 0.75]
