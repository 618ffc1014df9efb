import numpy as np
import pytest

import antireg
from antireg.estimators.stored_doubt import doubt_arrays, restored_doubt
from antireg.familiarity import references
from antireg.familiarity.references import MOST
from antireg.storage.fields import Fields
from tests.doubtful_models import SETTINGS, classifier, curved, regressor
from tests.tampering import put, tampered


class InMemory:
    """Arrays that are taken as those of a file are."""

    def __init__(self, arrays):
        self.left = dict(arrays)

    def has(self, name):
        return name in self.left

    def take(self, name, dtype, shape):
        values = self.left.pop(name)
        assert values.dtype == dtype
        assert len(values.shape) == len(shape)
        for want, have in zip(shape, values.shape, strict=True):
            assert want is None or have in (want if isinstance(want, range) else [want])
        return values


def restored(model, signals=None, **changes):
    arrays = doubt_arrays(model.doubt_) | changes
    names = list(model.doubt_.normalisation.middle) if signals is None else signals
    line = {} if model.doubt_.line is None else {"line": True}
    fields = Fields("model", {"signals": names, **line})
    kept = InMemory(arrays)
    found = restored_doubt(model, fields, kept)
    return found, kept.left


@pytest.mark.parametrize("make", [regressor, classifier])
def test_all_that_is_kept_comes_back(make):
    doubting = make().doubt_
    found, left = restored(make())
    assert left == {}
    assert found.normalisation == doubting.normalisation
    assert found.doubt.curve == doubting.doubt.curve
    for name, memory in doubting.signalling.memories.items():
        for key, values in memory.items():
            np.testing.assert_array_equal(found.signalling.memories[name][key], values)
    np.testing.assert_array_equal(
        found.signalling.reference.hidden, doubting.signalling.reference.hidden
    )
    if doubting.line is None:
        assert found.line is None
        return
    for name, values in vars(doubting.line).items():
        np.testing.assert_array_equal(getattr(found.line, name), values)


def test_a_line_is_checked():
    model = regressor()
    ends = doubt_arrays(model.doubt_)["line_ends"]
    for spoiled in (ends * [[1], [1], [1], [-1]], ends[[0, 2, 1, 3]]):
        with pytest.raises(ValueError, match="line_ends must have low up to high"):
            restored(model, line_ends=spoiled)
    weights = doubt_arrays(model.doubt_)["line_weights"]
    with pytest.raises(ValueError, match="line_weights must be 1e"):
        restored(model, line_weights=1e300 * weights)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"signals": ["nearest", "color"]}, "must be some of"),
        ({"signals": []}, "must be some of"),
        ({"signals": ["spread", "spread"]}, "must be some of"),
        ({"signal_scale": np.zeros(6)}, "must be above 0"),
        ({"signal_nearest_floor": np.array([-1.0])}, "must be above 0"),
        ({"doubt_numbers": np.full(7, 1e6)}, "must be moderate"),
        ({"doubt_variance": np.zeros(1)}, "must be above 0"),
    ],
)
def test_what_cannot_be_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        restored(regressor(), **changes)


def test_shares_that_are_none_are_refused():
    with pytest.raises(ValueError, match="sum to 1"):
        restored(classifier(), doubt_frequencies=np.ones(3))


def test_more_references_than_the_members_may_have_are_refused(tmp_path, monkeypatch):
    regressor().save(tmp_path / "model")
    monkeypatch.setattr(references, "MOST_NUMBERS", 5100)  # of 3 inputs, 3 · 16 units
    with pytest.raises(ValueError, match=r"of shape \(1 to 100, 3\), got .*\(540, 3\)"):
        antireg.load(tmp_path / "model")
    monkeypatch.undo()
    many = np.zeros((MOST + 1, 3), np.float32)
    tampered(tmp_path / "model", change_arrays=put("reference_inputs", value=many))
    with pytest.raises(ValueError, match=r"of shape \(1 to 10000, 3\)"):
        antireg.load(tmp_path / "model")


def test_a_fit_keeps_no_more_references_than_can_be_loaded(tmp_path, monkeypatch):
    monkeypatch.setattr(references, "MOST_NUMBERS", 5100)
    model = antireg.EnsembleRegressor(**SETTINGS | {"epochs": 2}).fit(*curved(200))
    assert len(model.doubt_.signalling.reference.inputs) == 100
    model.save(tmp_path / "model")
    antireg.load(tmp_path / "model")
