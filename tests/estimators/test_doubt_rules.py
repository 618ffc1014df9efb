import numpy as np
import pytest
import torch

from antireg import EnsembleRegressor
from antireg.estimators.doubt_rules import ValueRules
from antireg.estimators.observed import Observed
from antireg.familiarity.line import Fallback
from antireg.losses import SquaredError
from antireg.rows.data import Batch, Data
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
    rows = Observed(outputs, {}, np.array([[0.5]]), np.ones(1))
    told = rules.evidence(rows, np.array([7.0]))
    assert told.mean.item() == 14.0  # 10 + 2 · 2
    assert told.noise.item() == 8.0  # 4 · (1 + 3) / 2
    assert told.disagreement.item() == 8.0  # 4 · 2
    assert told.y.item() == 11.0
    made = rules.default(np.zeros(5))
    # Weighted mean 1.5 and variance (1.5² + 3 · .5²) / 4 = .75, in units of 2.
    assert made.mean.tolist() == [13.0]
    assert made.variance.tolist() == [3.0]


def test_a_table_has_a_line_in_the_units_of_y_and_features_have_none():
    rules = ValueRules(regressor(), np.ones((3, 1)), np.ones(3))
    x = torch.linspace(-1, 1, 101)[:, None]
    line = rules.line(Batch(x, 3 * x, None))
    assert rules.has_line(Data(x, 3 * x))
    # Targets are 10 + 2 · 3 x; the ridge takes a ten-thousandth of the slope.
    assert line(np.array([[0.5]])).item() == pytest.approx(13.0, rel=1e-4)
    pixels = torch.from_numpy(np.random.default_rng(0).normal(size=(101, 60))).float()
    assert not rules.has_line(Data(pixels, 3 * x))
    assert not rules.has_line(Data(torch.zeros(101, 300), 3 * x))


def test_the_line_of_rows_is_beside_the_constant():
    rules = ValueRules(regressor(), np.array([[0.0], [2.0]]), np.ones(2))
    rows = Observed(np.zeros((2, 1, 1)), {}, np.array([[0.5]]), np.ones(1))
    line = Fallback(np.array([[5.0]]), np.array([[6.0]]))
    with_line, without = (
        rules.evidence(rows._replace(line_said=said), np.array([7.0]))
        for said in (line, None)
    )
    assert (with_line.on_line.item(), with_line.on_line_variance.item()) == (5.0, 6.0)
    assert (without.on_line.item(), without.on_line_variance.item()) == (12.0, 4.0)


def test_rules_of_another_model_keep_the_targets():
    rules = ValueRules(regressor(), np.ones((3, 1)), np.ones(3))
    other = regressor()
    assert rules.of(other).model is other
    assert rules.of(other).targets is rules.targets


def test_rules_of_rows_know_whether_there_is_a_line():
    table = Data(torch.linspace(-1, 1, 101)[:, None], torch.ones(101, 1))
    rules = ValueRules.of_rows(regressor(), table)
    assert rules.lined
    assert rules.of(regressor()).lined
    assert not ValueRules.of_rows(regressor(), Data(torch.zeros(9, 300), table.y)).lined
