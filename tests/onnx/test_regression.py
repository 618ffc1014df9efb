import numpy as np
import pytest

from antireg.estimators.doubting import Said
from antireg.onnx.builder import Graph
from antireg.onnx.regression import add_regression
from antireg.predictive.intervals import IntervalFactors
from antireg.rows.scaling import Scaling
from onnx import TensorProto
from tests.onnx.running import run
from tests.small_models import regressor

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def said(model, outputs, coverage=0.9):
    """Return what the graph makes of outputs, (members, rows, outputs)."""
    graph = Graph()
    shape = [len(outputs), "rows", outputs.shape[2]]
    given = graph.input("given", TensorProto.DOUBLE, shape)
    score = add_regression(graph, model, given, coverage)
    graph.output("ood_score", score, TensorProto.DOUBLE, ["rows"])
    return run(graph, given=outputs)


@pytest.mark.parametrize("robust", [False, True])
@pytest.mark.parametrize("loss", ["gaussian_nll", "squared_error"])
def test_outputs_mean_what_they_mean_in_python(loss, robust):
    model = regressor(loss=loss, robust=robust)
    n_outputs = 2 if loss == "gaussian_nll" else 1
    # Two members and, if robust, the two of their centre.
    shape = (4 if robust else 2, 50, n_outputs)
    outputs = np.random.default_rng(0).normal(size=shape)
    outputs[:, ::10] *= 100  # far from the data
    found = said(model, outputs, 0.8)
    expected = model.named_values(Said(outputs), 0.8)
    expected["ood_score"] = model.ood_score_of(outputs)
    assert set(found) == set(expected)
    # Quantiles are searched to 2e-5. All else is a few roundings of doubles up to the
    # largest deviation, 1e6: each is 1e-10.
    for name, values in expected.items():
        near = 1e-4 if name in ("low", "high") else 1e-9
        np.testing.assert_allclose(found[name], values, rtol=near, atol=near)


def test_two_members_match_hand_values():
    model = regressor(robust=False, scaling="none")
    model.target_scaling_ = Scaling(np.array([10.0]), np.array([3.0]))
    model.interval_factors_ = IntervalFactors.none(1)
    # Means −1 and 1 of variance 1 = e⁰: the total variance is 1 + 1 = 2.
    found = said(model, np.array([[[-1.0, 0.0]], [[1.0, 0.0]]]))
    assert found["mean"] == pytest.approx([10.0])
    assert found["std"] == pytest.approx([3 * np.sqrt(2)])
    assert found["ood_score"] == pytest.approx([np.sqrt(2)])
    # Both ends are as far from the middle.
    assert found["high"] - 10 == pytest.approx(10 - found["low"], rel=1e-4)


def test_an_interval_is_as_much_wider_as_its_factor_says():
    model, outputs = regressor(robust=False), np.array([[[-1.0, 0.0]], [[1.0, 0.0]]])
    widths = []
    for factor in (1.0, 2.5):
        factors = np.array([[factor], [factor]])
        model.interval_factors_ = IntervalFactors(np.array([0.5, 0.95]), factors)
        found = said(model, outputs)
        widths.append(found["high"] - found["low"])
    assert widths[1] == pytest.approx(2.5 * widths[0], rel=1e-12)


def test_the_mean_is_that_of_the_centre_by_hand():
    model = regressor(scaling="none")
    model.target_scaling_ = Scaling(np.array([10.0]), np.array([3.0]))
    model.target_range_ = np.array([[-9.0], [9.0]])
    # Members −1 and 1, and a centre of 2 and 3: all move by 2.5, which is 7.5 of y.
    members, centre = [[[-1.0, 0.0]], [[1.0, 0.0]]], [[[2.0, 0.0]], [[3.0, 0.0]]]
    found = said(model, np.array(members + centre))
    assert found["mean"] == pytest.approx([10 + 3 * 2.5])
    assert found["std"] == pytest.approx([3 * np.sqrt(2)])
    assert found["ood_score"] == pytest.approx([np.sqrt(2)])
