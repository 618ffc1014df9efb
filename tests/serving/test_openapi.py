import pytest

pytest.importorskip("onnxruntime")

from antireg.onnx.export import to_onnx
from antireg.serving.graph import load_graph
from antireg.serving.openapi import openapi
from tests.doubtful_models import classifier, regressor


def described(model, folder):
    to_onnx(model, folder / "model.onnx")
    return openapi(load_graph(folder / "model.onnx"), 7)


def references(part):
    if isinstance(part, dict):
        yield from [part["$ref"]] if "$ref" in part else []
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from references(inner)


def test_it_describes_the_columns_and_the_answers(tmp_path):
    found = described(regressor(), tmp_path)
    schemas = found["components"]["schemas"]
    assert set(found["paths"]) == {"/predict", "/predict/batch", "/health"}
    assert schemas["Row"]["properties"]["x0"] == {"type": ["number"]}
    assert schemas["Row"]["required"] == ["x0", "x1", "x2"]
    assert schemas["Answer"]["properties"]["flag"]["type"] == "boolean"
    assert {ref.rpartition("/")[2] for ref in references(found)} == set(schemas)
    batch = found["paths"]["/predict/batch"]["post"]["requestBody"]["content"]
    rows = batch["application/json"]["schema"]["properties"]["rows"]
    assert rows["maxItems"] == 7


def test_classes_have_probabilities_by_name(tmp_path):
    answer = described(classifier(), tmp_path)["components"]["schemas"]["Answer"]
    named = answer["properties"]["probabilities"]["properties"]
    assert set(named) == {"low", "middle", "high"}
