import numpy as np
import pytest

from antireg.familiarity.blame import Blame, _largest_others
from antireg.familiarity.joining import Normalisation, Signalling
from antireg.familiarity.signal import Reference

NORMAL = Normalisation(
    {"nearest": 0.0, "columns": 1.0}, {"nearest": 0.5, "columns": 2.0}
)


def learned(inputs, owners):
    reference = Reference(inputs.astype(np.float32), np.ones(inputs.shape[1]))
    signalling = Signalling.learned(reference, uncertainty=False)
    return Blame.learned(signalling, NORMAL, np.array(owners))


@pytest.fixture(scope="module")
def blame():
    rng = np.random.default_rng(0)
    first = rng.uniform(size=300)
    # The third follows the first; the second is on its own.
    inputs = np.stack([first, rng.uniform(size=300), first], axis=1)
    return learned(inputs, [0, 1, 2])


def test_blame_matches_a_hand_value():
    # References (0, 0), (1, 0), (0, 1), (1, 1); without either column a row lies on
    # some of them, and one apart when nothing is left out.
    corners = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    found = learned(corners, [0, 1])
    assert found.floor == pytest.approx(0.01, rel=1e-6)
    usual = [np.log(0.01), np.log(0.01), np.log(1.01)]
    assert found.usual == pytest.approx(usual, rel=1e-4)
    # (3, 0): d is 2 from (1, 0), 0 without the first column, 2 without the second.
    row = np.array([[3.0, 0.0]], np.float32)
    of_columns, rare = found(row)
    # The first is 2 from its nearest, where the references are 0 from theirs: none of
    # four is so far, and by 2 to 1e-3, the least there is.
    assert rare[0] == pytest.approx([np.log(5 * 2 / 1e-3), 0.0], rel=1e-4)
    # Without the second it is farther than usual by 2.01 to 0.01, cut to that of both.
    whole = np.log(2.01 / 1.01) / 0.5 + (rare[0, 0] - 1) / 2
    assert of_columns[0] == pytest.approx([whole, 0.0], rel=1e-3, abs=1e-9)


def test_the_column_out_of_range_is_to_blame(blame):
    for column in range(3):
        row = np.full((1, 3), 0.5, np.float32)
        row[0, column] = -40
        assert blame(row)[0][0].argmax() == column


def test_a_pair_that_never_was_is_to_blame_and_not_the_third(blame):
    found, rare = blame(np.array([[0.2, 0.5, 0.9]], np.float32))
    assert found[0].argmax() in (0, 2)
    assert found[0].max() > 1
    assert found[0, 1] <= 0
    assert rare.max() < np.log(100)


def test_features_of_one_column_are_left_out_together():
    rng = np.random.default_rng(0)
    words = np.eye(3)[rng.integers(3, size=300)]
    inputs = np.concatenate([rng.uniform(size=(300, 1)), words], axis=1)
    inputs = np.concatenate([inputs, np.zeros((300, 1))], axis=1)  # for unseen words
    found, _ = learned(inputs, [0, 1, 1, 1, 1])(
        np.array([[0.5, 0, 0, 0, 1]], np.float32)
    )
    assert found.shape == (1, 2)
    assert found[0, 1] > found[0, 0]


def test_other_columns_without_the_largest():
    values = np.array([[1.0, 3.0, 2.0]])
    assert _largest_others(values).tolist() == [[3.0, 2.0, 3.0, 3.0]]
    assert _largest_others(np.array([[2.0]])).tolist() == [[0.0, 2.0]]


def test_one_reference_is_enough_to_answer():
    found, _ = learned(np.zeros((1, 2)), [0, 1])(np.ones((2, 2), np.float32))
    assert np.isfinite(found).all()
