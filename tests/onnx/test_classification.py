import numpy as np
import pytest

from antireg.estimators.doubting import Said
from antireg.onnx.builder import Graph
from antireg.onnx.classification import add_classification
from onnx import TensorProto
from tests.onnx.running import run
from tests.small_models import classifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KINDS = {
    "two": {},
    "three": {"labels": ("a", "b", "c")},
    "plain": {"labels": ("a", "b", "c"), "robust": False},
    "one-hot": {"loss": "one_hot_squared_error"},
    "entropy": {"loss": "cross_entropy"},
    "entropy-three": {"loss": "cross_entropy", "labels": ("a", "b", "c")},
}


def said(model, outputs):
    """Return what the graph makes of outputs, (members, rows, outputs)."""
    graph = Graph()
    shape = [len(outputs), "rows", outputs.shape[2]]
    given = graph.input("given", TensorProto.DOUBLE, shape)
    score = add_classification(graph, model, given, coverage=0.9)
    graph.output("ood_score", score, TensorProto.DOUBLE, ["rows"])
    return run(graph, given=outputs)


@pytest.mark.parametrize("kind", KINDS)
def test_outputs_mean_what_they_mean_in_python(kind):
    model = classifier(**KINDS[kind])
    n_outputs = model.outputs(np.zeros((1, 3))).shape[2]
    outputs = 3 * np.random.default_rng(0).normal(size=(2, 200, n_outputs))
    found, predictive = said(model, outputs), model.predictive_of(Said(outputs))
    # Powers of shares raise roundings of a double to some 1e-13.
    near = {"rtol": 1e-10, "atol": 1e-12}
    np.testing.assert_allclose(found["probabilities"], predictive.mean, **near)
    np.testing.assert_allclose(found["ood_score"], model.ood_score_of(outputs), **near)
    expected = model.classes_[predictive.label]
    np.testing.assert_array_equal(found["label"], expected)


def test_squared_error_scores_match_hand_values():
    model = classifier(("a", "b", "c"))
    # On a label; at 0, 3² from it; on two labels: a variance of 2 · 1.5² in all.
    members = [[[3.0, 0, 0], [0, 0, 0], [3, 0, 0]], [[3, 0, 0], [0, 0, 0], [0, 3, 0]]]
    found = said(model, np.array(members))
    assert found["ood_score"] == pytest.approx([0.0, 9.0, 4.5], abs=1e-12)


def test_one_output_scores_match_hand_values():
    # The label is 0 or 1: ½ is ¼ from both; on each once is ¼ of variance.
    found = said(classifier(), np.array([[[1.0], [0.5], [0.0]], [[1.0], [0.5], [1.0]]]))
    assert found["ood_score"] == pytest.approx([0.0, 0.25, 0.25], abs=1e-12)


def test_equal_logits_are_a_coin_toss():
    found = said(classifier(loss="cross_entropy"), np.zeros((2, 1, 1)))
    assert found["probabilities"].tolist() == [[0.5, 0.5]]
    assert found["ood_score"] == pytest.approx([np.log(2)], rel=1e-12)


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ((3, 5), np.int64),
        ((False, True), np.bool_),
        ((1.0, 2.0), np.float64),
        (("no", "yes"), np.object_),
    ],
)
def test_labels_keep_their_type(labels, dtype):
    found = said(classifier(labels), np.array([[[-1.0], [2.0]]] * 2))["label"]
    assert found.dtype == dtype
    assert tuple(found) == labels
