import csv

import numpy as np
import pytest
import torch
from PIL import Image

from antireg.paper.data import citycam_raw
from antireg.paper.data.citycam_raw import extract, read_frames
from antireg.paper.data.citycam_splits import frames as load_frames
from antireg.paper.data.resnet import ResNet50

XML = """<?xml version="1.0"?>
<annotation><time>{time}</time><weather>1</weather><flow>2</flow>
{vehicles}</annotation>
"""
RNG = np.random.default_rng(0)


def add(folder, n_frames, count=1, time="2016/02/23 09:00:00"):
    folder.mkdir(parents=True)
    for number in range(1, n_frames + 1):
        pixels = RNG.integers(0, 256, (24, 35, 3), np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:06}.jpg")
        vehicles = "<vehicle><type>1</type></vehicle>" * count
        text = XML.format(time=time, vehicles=vehicles)
        (folder / f"{number:06}.xml").write_text(text)


@pytest.fixture
def raw(tmp_path, monkeypatch):
    """CityCam as its site ships it, but little."""
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path / "cache"))
    raw = tmp_path / "CityCam"
    add(raw / "398" / "398-20160429-07", 3, count=7)
    add(raw / "398" / "398-big_bus-mask1", 1)
    add(raw / "253" / "253-20160421-15", 2, count=0)
    add(raw / "164" / "164-20160223-09", 2)
    add(raw / "164" / "164-20160224-09", 1)
    add(raw / "bigbus" / "bigbus-403", 2)
    (raw / "398" / "398-20160429-07" / "000004.xml").write_text("stray")
    return raw


def shrunk(x):
    """Stand in for the network: the mean colour, told apart by its digits."""
    return x.mean((2, 3))


def never(x):
    raise AssertionError("nothing was left to extract")


def folders(frames):
    return [f"{frame.camera}/{frame.dir}/{frame.file[:6]}" for frame in frames]


def test_cameras_leave_out_buses_and_stray_files(raw):
    frames = read_frames(raw, "cameras")
    assert folders(frames) == [
        "253/253-20160421-15/000001",
        "253/253-20160421-15/000002",
        "398/398-20160429-07/000001",
        "398/398-20160429-07/000002",
        "398/398-20160429-07/000003",
    ]
    assert [frame.count for frame in frames] == [0, 0, 7, 7, 7]
    assert (frames[0].time, frames[0].weather, frames[0].flow) == (
        "2016/02/23 09:00:00",
        "1",
        "2",
    )


def test_weather_is_one_day_and_bigbus_every_bus(raw):
    assert {f.dir for f in read_frames(raw, "weather")} == {"164-20160223-09"}
    assert folders(read_frames(raw, "bigbus")) == [
        "398/398-big_bus-mask1/000001",
        "bigbus/bigbus-403/000001",
        "bigbus/bigbus-403/000002",
    ]


def test_extracted_files_load_as_the_published_ones(raw, tmp_path):
    extract(raw, shrunk)
    frames = load_frames("cameras")
    assert frames.features.shape == (5, 3) and frames.features.dtype == np.float16
    assert frames.camera.tolist() == ["253", "253", "398", "398", "398"]
    assert frames.count.tolist() == [0, 0, 7, 7, 7]
    home = tmp_path / "cache" / "citycam"
    names = {f"{n}.{end}" for n in ("cameras", "weather", "bigbus")
             for end in ("csv", "npz")}  # fmt: skip
    assert {path.name for path in home.iterdir()} == names
    with (home / "bigbus.csv").open() as file:
        columns = ["camera", "dir", "file", "count", "time", "weather", "flow"]
        assert next(csv.reader(file)) == columns


def test_an_interrupted_run_goes_on_where_it_was(raw, monkeypatch):
    monkeypatch.setattr(citycam_raw, "N_ROWS_PER_PART", 2)
    seen = []

    def failing(x):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(len(x))
        return shrunk(x)

    with pytest.raises(KeyboardInterrupt):
        extract(raw, failing)
    assert seen == [2, 2]
    again = []
    extract(raw, lambda x: (again.append(len(x)), shrunk(x))[1])
    assert again == [1, 2, 2, 1]  # the last of five, then weather, then buses
    resumed = load_frames("cameras").features
    monkeypatch.setenv("ANTIREG_DATA", str(raw.parent / "other"))
    extract(raw, shrunk)
    assert (resumed == load_frames("cameras").features).all()
    extract(raw, never)


def test_frames_that_changed_are_extracted_again(raw):
    extract(raw, shrunk)
    add(raw / "253" / "253-20160504-18", 1)
    extract(raw, shrunk)
    assert len(load_frames("cameras").features) == 6


def test_resnet50_gives_2048_features_a_frame(raw):
    torch.manual_seed(0)
    extract(raw, ResNet50().eval())
    assert load_frames("weather").features.shape == (2, 2048)


def test_another_folder_is_refused_with_a_way_out(raw, tmp_path):
    with pytest.raises(FileNotFoundError, match="the folder that 164/ is in"):
        extract(tmp_path, shrunk)


def test_broken_xml_is_named(raw):
    (raw / "253" / "253-20160421-15" / "000001.xml").write_text("<time>")
    with pytest.raises(ValueError, match=r"000001\.xml must be XML"):
        read_frames(raw, "cameras")
