import copy
import json

import numpy as np
import pytest
from safetensors.numpy import load_file

import antireg
from antireg.storage import model_folder
from tests.trained_networks import (
    picture_network,
    pictures,
    regression_network,
    rows,
)

NETWORKS = {"regression": regression_network(0), "classification": picture_network(0)}
ROWS = {"regression": rows, "classification": pictures}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """What networks of both tasks write: words and arrays."""
    found = {}
    for task, network in NETWORKS.items():
        folder = tmp_path_factory.mktemp("networks")
        model = antireg.from_networks(network, task, random_state=0)
        model.fit(*ROWS[task](80, 1)).save(folder)
        (words,), (arrays,) = folder.glob("model-*"), folder.glob("arrays-*")
        found[task] = json.loads(words.read_text()), load_file(arrays)
    return found


def refused(folder, task, words, arrays) -> str:
    model_folder.write(folder, words, arrays)
    with pytest.raises(ValueError, match=r"damaged|format up to") as error:
        antireg.load(folder, network=NETWORKS[task])
    return str(error.value)


OF_BOTH = [
    ("input_limit", -1.0, "input_limit must be above 0"),
    ("input_scale", 0.0, "input_scale must be above 0"),
    ("signal_scale", 0.0, "signal_scale must be above 0"),
    ("network_0_0", np.nan, "holds NaN"),
    ("reference_hidden", np.inf, "holds NaN or infinite"),
]
OF_AMOUNTS = [
    ("target_scale", 0.0, "target_scale must be above 0"),
    ("interval_factors", -1.0, "interval_factors must be 0 or more"),
    ("noise", -1.0, "noise must be 0 or more"),
]
OF_CLASSES = [("places", 7, "places must hold the place of every class")]
BROKEN = [
    *(("regression", *broken) for broken in OF_BOTH + OF_AMOUNTS),
    *(("classification", *broken) for broken in OF_BOTH + OF_CLASSES),
]


@pytest.mark.parametrize(("task", "name", "value", "reason"), BROKEN)
def test_no_number_is_taken_unchecked(
    tmp_path, written, task, name, value, reason
) -> None:
    words, arrays = written[task]
    wrong = {**arrays, name: np.full_like(arrays[name], value)}
    assert reason in refused(tmp_path, task, words, wrong)


def test_the_ends_of_a_range_are_in_order(tmp_path, written) -> None:
    words, arrays = written["regression"]
    wrong = {**arrays, "target_range": -arrays["target_range"]}
    assert "lower ends first" in refused(tmp_path, "regression", words, wrong)


WORDS = [
    ("format", 2, "format up to 1"),
    ("kind", "ranker", "kind must be one of"),
    ("meaning", "spam", "meaning must be one of"),
    ("shape", [], "shape must have 1 to"),
    ("shape", [2**20, 2**20], "shape must have 1 to"),
    ("shape", [2**39] * 100_000, "shape must have at most 64 axes"),
    ("states", [], "states must be a list of one or more"),
    ("false_alarm_rate", 2, "false_alarm_rate must be between 0 and 1"),
    ("features", ["a", "b", "c"], "features must name"),
    ("signals", ["nearest", "magic"], "signals must be some of"),
]


@pytest.mark.parametrize("task", NETWORKS)
@pytest.mark.parametrize(("name", "value", "reason"), WORDS)
def test_words_are_checked_too(tmp_path, written, task, name, value, reason) -> None:
    words, arrays = written[task]
    changed = copy.deepcopy(words)
    changed["networks"][name] = value
    assert reason in refused(tmp_path, task, changed, arrays)


@pytest.mark.parametrize("task", NETWORKS)
def test_arrays_are_all_there_and_no_others(tmp_path, written, task) -> None:
    words, arrays = written[task]
    more = {**arrays, "more": np.zeros(1)}
    assert "unknown arrays" in refused(tmp_path, task, words, more)
    fewer = {name: arrays[name] for name in arrays if name != "network_0_1"}
    assert "no 'network_0_1'" in refused(tmp_path, task, words, fewer)


def test_a_map_of_probabilities_is_moderate(tmp_path, written) -> None:
    words, arrays = written["classification"]
    changed = copy.deepcopy(words)
    changed["networks"]["probability_map"]["power"] = 0.0
    assert "probability_map" in refused(tmp_path, "classification", changed, arrays)
