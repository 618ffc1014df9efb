"""The parts of a model come back from a file as they went in, or are refused."""

import hashlib
import json
import math
from contextlib import ExitStack

import numpy as np
import pytest
from safetensors.numpy import save

from antireg import DARE, METHODS, EnsembleRegressor, Method
from antireg.storage.array_file import Arrays
from antireg.storage.descriptions import (
    described_labels,
    described_method,
    described_settings,
    interval_factors_from,
    is_ascending,
    labels_from,
    method_from,
    probability_map_from,
    scaling_from,
    settings_from,
)
from antireg.storage.fields import Fields


@pytest.fixture
def stored(tmp_path):
    """Make arrays as a file holds them."""
    with ExitStack() as stack:

        def made(**values: list) -> Arrays:
            content = save({name: np.array(value) for name, value in values.items()})
            path = tmp_path / hashlib.sha256(content).hexdigest()
            path.write_bytes(content)
            return Arrays(stack.enter_context(path.open("rb")), path.name, ValueError)

        yield made


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
    model = EnsembleRegressor(DARE(delta=0.5), hidden=(3, 4), random_state=7, epochs=2)
    described = described_settings(model) | {"of_a_later_version": 1}
    back = EnsembleRegressor(**settings_from(through_json(described), type(model)))
    assert back.get_params() == model.get_params()


def test_the_state_of_a_generator_is_no_setting() -> None:
    model = EnsembleRegressor(random_state=np.random.RandomState(0))
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


def test_a_scaling_comes_back_and_must_not_divide_by_zero(stored) -> None:
    fields = Fields("model", {})
    arrays = stored(input_shift=[1.0, 2.0], input_scale=[3.0, 4.0])
    back = scaling_from(fields, arrays, "input", 2)
    assert (back.shift.tolist(), back.scale.tolist()) == ([1.0, 2.0], [3.0, 4.0])
    arrays = stored(target_shift=[1.0], target_scale=[0.0])
    with pytest.raises(ValueError, match="target_scale must be above 0"):
        scaling_from(fields, arrays, "target", 1)


def test_interval_factors_come_back_and_format_1_had_none(stored) -> None:
    arrays = stored(interval_coverages=[0.5, 0.9], interval_factors=[[1.5], [2.0]])
    back = interval_factors_from(Fields("model", {"format": 2}), arrays, 1)
    assert back.at(0.9).tolist() == [2.0]
    none = interval_factors_from(Fields("model", {"format": 1}), stored(a=[1.0]), 1)
    assert none.at(0.9).tolist() == [1.0]


@pytest.mark.parametrize(
    ("coverages", "factors", "words"),
    [
        ([0.9, 0.5], [[1.0], [1.0]], "interval_coverages must ascend"),
        ([0.5, 1.0], [[1.0], [1.0]], "interval_coverages must ascend"),
        ([0.5, 0.9], [[1.0], [-1.0]], "interval_factors must be 0 or more"),
        ([0.5, 0.9], [[1.0]], "interval_factors.* shape"),
    ],
)
def test_spoilt_interval_factors_are_refused(coverages, factors, words, stored) -> None:
    arrays = stored(interval_coverages=coverages, interval_factors=factors)
    with pytest.raises(ValueError, match=words):
        interval_factors_from(Fields("model", {"format": 2}), arrays, 1)


def test_a_probability_map_comes_back_and_must_be_moderate() -> None:
    parts = {"power": 2.0, "floor": 0.1}
    back = probability_map_from(Fields("model", {"probability_map": parts}))
    assert (back.power, back.floor) == (2.0, 0.1)
    for name, value in (("power", 0), ("power", 1e6), ("floor", -1.0)):
        fields = Fields("model", {"probability_map": parts | {name: value}})
        with pytest.raises(ValueError, match="moderate positive numbers"):
            probability_map_from(fields)


def test_nothing_and_equal_values_do_not_ascend() -> None:
    found = [is_ascending(np.array(values)) for values in ([], [1], [1, 2], [1, 1])]
    assert found == [False, True, True, False]
