import numpy as np
import pytest

import antireg
from tests.small_models import classifier, regressor
from tests.tampering import put, tampered

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NAN = np.float32("nan")
HUGE = 2**39
WORDS = {
    "later format": (put("format", value=10), "Upgrade antireg"),
    "format of a wrong type": (put("format", value=True), "whole number"),
    "kind of code": (put("kind", value="os.system"), "must be one of regressor"),
    "unknown method": (put("method", "name", value="builtins.eval"), "method.name"),
    "setting of a wrong type": (put("settings", "n_members", value="5"), "n_members"),
    "huge layer": (put("network", "sizes", value=[3, HUGE, 2]), "shape"),
    "many layers": (put("network", "sizes", value=[1] * 10**5 + [2]), "up to 1000"),
    "negative layer": (put("network", "sizes", value=[3, -8, 2]), "whole numbers"),
    "no layer": (put("network", "sizes", value=[]), "sizes"),
    "other outputs": (put("network", "sizes", value=[3, 8, 4]), "2 outputs"),
    "path as activation": (put("network", "activation", value="../x"), "activation"),
    "huge targets": (put("targets", "count", value=HUGE), "flat"),
    "names that miss one": (put("features", value=["a", "b"]), "3 columns"),
    "infinite number": (put("training", "seconds", value=float("inf")), "JSON"),
    "list instead of object": (put("settings", value=[1]), "must be an object"),
    "number beyond floats": (put("settings", "lr", value=10**400), "finite"),
}
ARRAYS = {
    "NaN weights": (lambda a: a["weights"].__setitem__((0, 0), NAN), "NaN"),
    "an extra array": (put("extra", value=np.zeros(3)), "unknown arrays"),
    "a missing array": (lambda a: a.pop("weights"), "no 'weights'"),
    "a wrong type": (lambda a: put("weights", value=a["weights"].astype(np.float64))(a),
                     "float32"),
    "a wrong shape": (lambda a: put("weights", value=a["weights"][:, 1:].copy())(a),
                      "shape"),
    "no members": (
        lambda a: put("weights", value=a["weights"][:0].copy())(a), r"\(1 to "),
    "a centre of other weights": (
        lambda a: put("centre_weights", value=a["weights"][:, 1:].copy())(a), "shape"),
    "a centre of one member": (
        lambda a: put("centre_weights", value=a["weights"][:1].copy())(a), "shape"),
    "zero scale": (put("input_scale", value=np.zeros(3)), "above 0"),
    "descending scores": (put("held_out_scores", value=np.array([2.0, 1.0])), "ascend"),
    "no scores": (put("held_out_scores", value=np.zeros(0)), "one or more"),
    "ranks beyond memory": (
        lambda a: a["held_out_ranks"].__setitem__(-1, HUGE), "at most"),
    "ranks that start late": (
        lambda a: a["held_out_ranks"].__setitem__(0, 0), "ascend from 1"),
    "narrowing below nothing": (
        lambda a: a["interval_factors"].__imul__(-1), "0 or more"),
    "coverages out of order": (
        lambda a: a["interval_coverages"].__setitem__(0, 0.95), "must ascend"),
    "an epoch that is not there": (
        put("history_kept", value=np.array([1, 99])), "hold the kept"),
}  # fmt: skip


@pytest.mark.parametrize("case", WORDS)
def test_hostile_words_are_refused(case, folder):
    change, words = WORDS[case]
    tampered(folder, change_words=change)
    with pytest.raises(ValueError, match=words):
        antireg.load(folder)


@pytest.mark.parametrize("case", ARRAYS)
def test_hostile_arrays_are_refused(case, folder):
    change, words = ARRAYS[case]
    tampered(folder, change_arrays=change)
    with pytest.raises(ValueError, match=words):
        antireg.load(folder)


def test_labels_that_would_fill_the_memory_are_refused(tmp_path):
    classifier().save(tmp_path / "model")
    labels = [*(f"{k:06d}" for k in range(20_000)), "z" * 10**6]
    tampered(tmp_path / "model", put("classes", "values", value=labels))
    with pytest.raises(ValueError, match="shorter strings"):
        antireg.load(tmp_path / "model")


def test_settings_of_another_version_are_left_out(folder):
    def change(description):
        description["settings"] |= {"gone": [1], "callbacks": ["x"], "network": "y"}
        description["method"]["settings"]["gone"] = {}

    expected = antireg.load(folder)
    tampered(folder, change_words=change)
    assert antireg.load(folder).get_params() == expected.get_params()


@pytest.mark.parametrize("loss", ["squared_error", "cross_entropy"])
@pytest.mark.parametrize("size", [1e15, 3e38])
def test_weights_that_overflow_give_a_sentence_and_never_nan(loss, size, tmp_path):
    classifier(loss=loss).save(tmp_path / "model")

    def grow(arrays):
        arrays["weights"] = np.sign(arrays["weights"]) * np.float32(size)

    tampered(tmp_path / "model", change_arrays=grow)
    model = antireg.load(tmp_path / "model")
    X = np.array([[0.0, 0.0, 0.0], [1.0, 1e6, 1e-3], [1e300, -1e300, 1e300]])
    for row in X:
        try:
            found = model.predict_proba(row[None])
        except ValueError as error:
            assert "must not hold NaN" in str(error)
        else:
            assert np.isfinite(found).all()


@pytest.mark.parametrize("settings", [{}, {"robust": False}])
def test_what_has_no_use_for_a_centre_refuses_one(settings, tmp_path):
    model = regressor(**settings) if settings else classifier()
    model.save(tmp_path / "model")

    def change(arrays):
        arrays["centre_weights"] = arrays["weights"].copy()

    tampered(tmp_path / "model", change_arrays=change)
    with pytest.raises(ValueError, match="unknown arrays"):
        antireg.load(tmp_path / "model")
