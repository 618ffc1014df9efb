import csv

import numpy as np
import pytest

from antireg.paper.data.citycam_splits import CAMERAS, citycam, citycam_hours


def write(folder, name, lines):
    """Write a feature file whose first feature is the line number."""
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="") as file:
        columns = ["camera", "dir", "file", "count", "time", "weather", "flow"]
        writer = csv.DictWriter(file, columns, restval=1)
        writer.writeheader()
        writer.writerows(lines)
    features = np.zeros((len(lines), 4), np.float16)
    features[:, 0] = range(len(lines))
    np.savez(folder / f"{name}.npz", features=features)


@pytest.fixture
def little(tmp_path, monkeypatch):
    """Feature files of a few frames per camera; count = camera number."""
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    folder = tmp_path / "citycam"
    hours = [9] * 30 + [13] * 10 + [14] * 5 + [15] * 5
    times = [{"camera": 164, "count": 1, "time": f"2016/02/23 {h:02}:00:00"}
             for h in hours]  # fmt: skip
    write(folder, "weather", times)
    write(folder, "cameras", [{"camera": c, "count": c} for c in CAMERAS * 20])
    buses = ["398-big_bus-mask1", "398-big_bus-mask2", "410-big_bus", "551-big_bus"]
    buses += ["bigbus-403", "bigbus-495", "bigbus-511"]
    write(folder, "bigbus", [{"dir": b, "count": 0} for b in buses])
    return folder


def test_weather_cuts_at_two_o_clock(little):
    split = citycam("weather")
    assert sorted(split.ood["after_14h"].x[:, 0]) == list(range(40, 50))
    pieces = [split.train, split.validation, split.test]
    assert [len(p) for p in pieces] == [34, 2, 4]
    known = np.concatenate([p.x[:, 0] for p in pieces])
    assert sorted(known) == list(range(40))
    assert split.train.x.dtype == split.train.y.dtype == np.float32


def test_cameras_takes_five_at_random_by_seed(little):
    def known(seed):
        split = citycam("cameras", seed)
        inside = set(np.concatenate([split.train.y, split.validation.y, split.test.y]))
        outside = set(split.ood["other_cameras"].y)
        assert (len(inside), len(outside), inside & outside) == (5, 5, set())
        return inside

    assert known(0) == known(0)
    assert len({frozenset(known(seed)) for seed in range(5)}) > 1


def test_same_cameras_are_the_same_for_every_seed(little):
    for seed in range(3):
        split = citycam("same-cameras", seed)
        inside = {*split.train.y, *split.validation.y, *split.test.y}
        assert inside == {253, 398, 511, 691, 846}


def test_bigbus_takes_the_four_cameras_and_their_buses(little):
    split = citycam("bigbus")
    assert set(split.train.y) == {398, 403, 410, 495}
    assert split.ood["bigbus"].x[:, 0].tolist() == [0, 1, 2, 4, 5]


def test_unknown_task_is_named(little):
    with pytest.raises(ValueError, match="cameras, bigbus, got 'night'"):
        citycam("night")


def test_files_that_do_not_belong_together_are_refused(little):
    np.savez(little / "weather.npz", features=np.zeros((3, 4)))
    with pytest.raises(ValueError, match="got 3 rows and 50 lines"):
        citycam("weather")


def test_missing_features_say_how_to_get_them(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"citycam/weather\.csv is not in"):
        citycam("weather")


def test_whole_hours_are_tested_on_and_the_others_are_groups(little):
    hours = [
        f"{camera}-20160223-{hour:02}" for camera in (164, 166) for hour in range(5)
    ]
    lines = [{"dir": hour, "time": "2016/02/23 09:00:00"} for hour in hours * 3]
    late = {"dir": "164-20160223-15", "time": "2016/02/23 15:00:00"}
    write(little, "weather", [*lines, late])
    split = citycam_hours("weather", seed=1)
    tested = {hours[int(line) % 10] for line in split.test.x[:, 0]}
    assert len(split.validation) == 0
    assert len(tested) == 2
    assert len(split.test) == 6
    assert split.groups.tolist() == [hours[int(x) % 10] for x in split.train.x[:, 0]]
    assert set(split.groups) == set(hours) - tested
    assert len(split.ood["after_14h"]) == 1
