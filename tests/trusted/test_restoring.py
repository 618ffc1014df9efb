import json

import numpy as np
import pytest
from safetensors.numpy import load_file

import antireg
from antireg import EnsembleRegressor, TrustedRegressor
from antireg.storage import model_folder
from tests.small_tables import QUICK, table

pytestmark = pytest.mark.filterwarnings("ignore:doubt was not learned")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """What a gate writes: words and arrays."""
    X, y = table(60)
    inner = EnsembleRegressor(**{**QUICK, "method": "deep_ensemble"}).fit(X, y)
    gate = TrustedRegressor(inner, prefit=True, random_state=0).fit(X, y)
    folder = tmp_path_factory.mktemp("gate")
    gate.save(folder)
    (words,), (arrays,) = folder.glob("model-*"), folder.glob("arrays-*")
    return json.loads(words.read_text()), load_file(arrays)


BROKEN = [
    ("gate_input_limit", -1.0, "input_limit must be above 0"),
    ("gate_input_scale", 0.0, "input_scale must be above 0"),
    ("gate_noise_knots_0", 1.0, "noise_knots must ascend"),
    ("gate_noise_heights_0", 1e6, "noise_numbers must be moderate"),
    ("gate_noise_common", -1.0, "noise_common must be moderate"),
    ("gate_interval_factors", -1.0, "interval_factors must be 0 or more"),
    ("gate_signal_scale", 0.0, "signal_scale must be above 0"),
]


@pytest.mark.parametrize(("name", "value", "reason"), BROKEN)
def test_no_number_is_taken_unchecked(tmp_path, written, name, value, reason):
    words, arrays = written
    wrong = {**arrays, name: np.full_like(arrays[name], value)}
    model_folder.write(tmp_path, words, wrong)
    with pytest.raises(ValueError, match=reason):
        antireg.load(tmp_path)


def test_words_are_checked_too(tmp_path, written):
    words, arrays = written
    for change, reason in (
        ({"format": 6}, "gate .* format up to 5, .* got 6"),
        ({"false_alarm_rate": 2}, "false_alarm_rate must be between 0 and 1"),
        ({"signals": ["nearest", "magic"]}, "signals must be some of"),
    ):
        changed = {**words, "gate": {**words["gate"], **change}}
        model_folder.write(tmp_path, changed, arrays)
        with pytest.raises(ValueError, match=reason):
            antireg.load(tmp_path)


def test_noise_of_older_gates_has_no_part_that_all_rows_have(tmp_path, written):
    words, arrays = written
    older = {**words, "gate": {**words["gate"], "format": 3}}
    kept = {name: arrays[name] for name in arrays if name != "gate_noise_common"}
    model_folder.write(tmp_path, older, kept)
    (curve,) = antireg.load(tmp_path).gate_.calibration.curves
    assert curve.common == 0


def test_an_array_too_many_is_an_error(tmp_path, written):
    words, arrays = written
    model_folder.write(tmp_path, words, {**arrays, "gate_more": np.zeros(1)})
    with pytest.raises(ValueError, match="unknown arrays"):
        antireg.load(tmp_path)
