import numpy as np
import pytest

from antireg.paper.data.split import Rows, Split
from antireg.paper.experiments.detectors import NAMES, caught, detections


def test_caught_are_those_above_what_so_many_of_the_test_rows_exceed():
    familiar = np.arange(101.0)  # the quantile at .95 is 95
    assert caught(familiar, np.array([94.0, 95.0, 95.5, 200.0])) == 0.5
    assert caught(familiar, np.array([94.0, 95.0, 95.5, 200.0]), rate=0.5) == 1.0


def test_all_of_them_find_what_is_far_away_in_any_unit():
    rng = np.random.default_rng(0)
    units = np.array([1.0, 1000.0])

    def rows(centre, n_rows):
        return Rows((rng.normal(size=(n_rows, 2)) + centre) * units)

    split = Split("far", rows(0, 300), rows(0, 0), rows(0, 100), {"far": rows(9, 50)})
    found = {value.metric: value.value for value in detections(split, seed=0)}
    assert set(found) == {f"far_{n}_{m}" for n in NAMES for m in ("auroc", "caught")}
    assert found["far_svm_auroc"] > 0.9  # it says the same of all that is far away
    others = [v for k, v in found.items() if "svm" not in k and k.endswith("auroc")]
    assert others == pytest.approx([1.0] * 4, abs=0.02)
