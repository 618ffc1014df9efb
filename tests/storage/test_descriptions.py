"""Settings, methods and labels come back from JSON as they went in, or are refused."""

import json
import math

import numpy as np
import pytest

from antireg import DARE, METHODS, EnsembleRegressor, Method
from antireg.storage.descriptions import (
    described_labels,
    described_method,
    described_settings,
    labels_from,
    method_from,
    settings_from,
)
from antireg.storage.fields import Fields


def through_json(description: object) -> Fields:
    return Fields("model", json.loads(json.dumps(description, allow_nan=False)))


@pytest.mark.parametrize("name", METHODS)
def test_a_method_comes_back(name: str) -> None:
    method = METHODS[name]()
    back = method_from(through_json(described_method(method)))
    assert type(back) is type(method)
    assert back.get_params() == method.get_params()


def test_infinite_settings_come_back() -> None:
    back = method_from(through_json(described_method(DARE(threshold=-math.inf))))
    assert back.get_params()["threshold"] == -math.inf


def test_a_method_of_ones_own_is_refused() -> None:
    class Own(Method):
        def penalty(self, step, memory):
            return step.outputs

    with pytest.raises(ValueError, match=r"method must be one of .* got a Own"):
        described_method(Own())


def test_a_method_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="name must be one of"):
        method_from(Fields("model", {"name": "os.system", "settings": {}}))


def test_a_setting_of_a_method_must_be_a_number() -> None:
    with pytest.raises(ValueError, match=r"settings\.delta must be a finite number"):
        method_from(Fields("model", {"name": "dare", "settings": {"delta": "ls"}}))


def test_settings_come_back_and_those_of_other_versions_are_left_out() -> None:
    model = EnsembleRegressor(
        DARE(delta=0.5), hidden=(3, 4), random_state=7, epochs=2, doubt=None
    )
    described = described_settings(model) | {"of_a_later_version": 1}
    back = EnsembleRegressor(**settings_from(through_json(described), type(model)))
    assert back.get_params() == model.get_params()


@pytest.mark.parametrize("patience", [None, 7, "auto"])
def test_a_setting_may_be_none_where_the_default_is_a_word(patience) -> None:
    model = EnsembleRegressor(patience=patience)
    described = through_json(described_settings(model))
    assert settings_from(described, type(model))["patience"] == patience


def test_the_state_of_a_generator_is_no_setting() -> None:
    model = EnsembleRegressor(random_state=np.random.RandomState(0), doubt=None)
    assert described_settings(model)["random_state"] is None


@pytest.mark.parametrize(
    "labels",
    [
        np.array([False, True]),
        np.array([-1, 5], dtype=np.int8),
        np.array([0.5, 1.5], dtype=np.float32),
        np.array(["a", "bc"]),
        np.array(["a", "bc"], dtype=object),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_come_back_with_their_type(labels: np.ndarray) -> None:
    back = labels_from(through_json(described_labels(labels)))
    assert back.dtype == labels.dtype
    assert back.tolist() == labels.tolist()


def test_labels_of_mixed_types_cannot_be_described() -> None:
    with pytest.raises(ValueError, match="y must hold numbers, strings or booleans"):
        described_labels(np.array([1, "a"], dtype=object))


@pytest.mark.parametrize(
    ("dtype", "values", "message"),
    [
        ("complex64", [1, 2], "dtype must be one of"),
        ("int64", [1.0, 2.0], "values must be a list of int"),
        ("int64", [1], "values must be two or more, ascending"),
        ("int64", [2, 1], "values must be two or more, ascending"),
        ("int8", [1, 1000], "values must be of type int8"),
        ("str", ["a", "b" * (2**23 + 1)], "values must be shorter strings"),
    ],
)
def test_labels_of_a_spoilt_file_are_refused(dtype, values, message) -> None:
    with pytest.raises(ValueError, match=message):
        labels_from(Fields("model", {"dtype": dtype, "values": values}))
