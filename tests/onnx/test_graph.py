import json

import numpy as np
import pytest

from antireg import EnsembleClassifier, EnsembleRegressor
from antireg.familiarity.detection import Detector
from antireg.networks import ACTIVATIONS as KNOWN
from antireg.onnx.graph import ACTIVATIONS, PREDICTIONS, ensemble_graph
from antireg.tables import Column, Encoding
from tests.onnx.running import run_model
from tests.small_models import classifier, regressor, rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

X = rows()[0].astype(np.float32)


def test_every_kind_and_activation_has_its_nodes():
    assert set(PREDICTIONS) == {EnsembleRegressor.kind, EnsembleClassifier.kind}
    assert set(ACTIVATIONS) == set(KNOWN)


def test_inputs_and_outputs_are_those_promised():
    graph = ensemble_graph(regressor(), 0.9, 1.0).graph
    assert [value.name for value in graph.input] == ["X"]
    expected = ["mean", "std", "low", "high", "ood_score", "flag"]
    assert [value.name for value in graph.output] == expected
    graph = ensemble_graph(classifier(), 0.9, 1.0).graph
    expected = ["probabilities", "label", "ood_score", "flag"]
    assert [value.name for value in graph.output] == expected


@pytest.mark.parametrize("model", [regressor, classifier])
def test_the_graph_decides_the_flag_as_the_detector_does(model):
    model = model()
    scores = run_model(ensemble_graph(model, 0.9, 0.0), X=X)["ood_score"]
    middle = float(np.sort(scores)[len(scores) // 2])
    # A score that is the threshold to the last digit is not above it.
    for threshold in (middle, np.nextafter(middle, 0)):
        found = run_model(ensemble_graph(model, 0.9, threshold), X=X)
        np.testing.assert_array_equal(found["ood_score"], scores)
        expected = Detector(threshold).flag(scores)
        np.testing.assert_array_equal(found["flag"], expected)
        assert found["flag"][scores == middle].all() == (threshold < middle)


def test_a_row_that_is_strange_is_flagged_whatever_its_score():
    columns = [Column(name, "numeric", fill=0.0) for name in "abc"]
    encoding = Encoding(tuple(columns), "y", "numeric")
    graph = ensemble_graph(regressor(), 0.9, np.inf, encoding)
    values = np.float32([[0.0], [np.nan]])
    zeros = np.zeros_like(values)
    found = run_model(graph, a=values, b=zeros, c=zeros)
    assert found["flag"].tolist() == [False, True]


def test_columns_named_like_an_output_are_refused():
    columns = [Column(name, "numeric") for name in ("a", "mean", "flag")]
    encoding = Encoding(tuple(columns), "y", "numeric")
    with pytest.raises(ValueError, match=r"named like an output .* \['mean', 'flag'\]"):
        ensemble_graph(regressor(), 0.9, 1.0, encoding)


def test_the_graph_says_what_it_was_made_with():
    model = regressor()
    model.feature_names_in_ = np.array(["a", "b", "c"], dtype=object)
    made = ensemble_graph(model, 0.8, 1.25)
    facts = {entry.key: entry.value for entry in made.metadata_props}
    assert facts.pop("features") == json.dumps(["a", "b", "c"])
    assert facts == {"coverage": "0.8", "ood_threshold": "1.25"}
    assert made.producer_name == "antireg"
