import numpy as np
import pytest

from antireg.familiarity import SIGNALS, Reference, Seen


def test_score_matches_hand_value():
    known = Reference(np.arange(11.0)[:, None], np.ones(1))
    signal = SIGNALS["density"]
    memory = signal.init(known)
    # Fifth neighbours are mostly at 3: φ = .03. The tenth of 0 … 10 is the far end.
    far_end = np.array([10, 9, 8, 7, 6, 5, 6, 7, 8, 9, 10])
    assert memory["own"] == pytest.approx(np.log(far_end + 0.03))
    # The ten nearest of 20 are 10 … 1, the last of them at 19.
    score = signal.score(Seen(np.array([[20.0]]), np.ones(1)), known, memory)
    expected = np.log(19.03) - np.log(far_end[1:] + 0.03).mean()
    assert score == pytest.approx([expected])


def test_a_row_between_clusters_is_in_thin_company():
    rng = np.random.default_rng(0)
    clusters = np.concatenate(
        [rng.normal(-5, 0.3, (200, 2)), rng.normal(5, 0.3, (200, 2))]
    )
    known = Reference(clusters, np.ones(2))
    signal = SIGNALS["density"]
    rows = Seen(np.array([[0.0, 0.0], [5.0, 5.0]]), np.ones(2))
    between, inside = signal.score(rows, known, signal.init(known))
    assert between > 2
    assert abs(inside) < 0.5
