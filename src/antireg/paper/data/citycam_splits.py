"""CityCam: count the vehicles in a traffic camera's frame, under three shifts.

Reads feature files: `citycam/<name>.npz` with one row of `features` per line of
`citycam/<name>.csv`, whose columns are those of `Frames`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np

from antireg.paper.data.split import Array, Rows, Split, cut
from antireg.paper.data.where import need

TEST_SHARE = 0.1
VALIDATION_SHARE = 0.05
HOURS_TEST_SHARE = 0.2
CAMERAS = ("253", "398", "403", "410", "495", "511", "551", "691", "846", "928")
SAME_CAMERAS = ("253", "398", "511", "691", "846")
"""The five known cameras when they are not drawn."""
BIGBUS_CAMERAS = ("398", "403", "410", "495")
BIGBUS_FOLDERS = (
    "398-big_bus-mask1",
    "398-big_bus-mask2",
    "410-big_bus",
    "bigbus-403",
    "bigbus-495",
)


def citycam(task: str, seed: int = 0) -> Split:
    """Return one of the tasks: 2048 features, target the number of vehicles.

    Args:
        task: "weather" (known before 14:00, shifted after), "cameras" (five known,
            five others; drawn anew for each seed), "same-cameras" (always the same
            five) or "bigbus" (four cameras, then a bus in front of them).
        seed: Fixes the test and validation rows, and which cameras are known.
    """
    known, _, ood, rng = _task(task, seed)
    test, validation, train = cut(len(known), [TEST_SHARE, VALIDATION_SHARE], rng)
    return Split(f"citycam_{task}", known[train], known[validation], known[test], ood)


def citycam_hours(task: str, seed: int = 0) -> Split:
    """Return a task as `citycam` does, tested on hours that were not trained on.

    Neighbouring frames are nearly the same, so random frames of an hour say little of
    the next. A fifth of the folders, each an hour of one camera, is the test set; `fit`
    holds out its own of the others, by their groups.

    Args:
        task: As in `citycam`.
        seed: Fixes the hours, and which cameras are known.
    """
    known, hours, ood, rng = _task(task, seed)
    names = np.unique(hours)
    n_test = max(1, round(HOURS_TEST_SHARE * len(names)))
    is_test = np.isin(hours, rng.permutation(names)[:n_test])
    train, none = known[~is_test], known[:0]
    title = f"citycam_hours_{task}"
    return Split(title, train, none, known[is_test], ood, hours[~is_test])


def _task(
    task: str, seed: int
) -> tuple[Rows, Array, dict[str, Rows], np.random.Generator]:
    """Return known rows, their hours, shifted rows, and what draws the rest."""
    if task not in _TASKS:
        raise ValueError(f"task must be one of {', '.join(_TASKS)}, got {task!r}.")
    rng = np.random.default_rng(seed)
    return *_TASKS[task](rng), rng


@dataclass(frozen=True, eq=False)
class Frames:
    """The frames of one feature file, row by row.

    Args:
        features: Pooled network features, (rows, 2048).
        camera, folder, time: Where and when, as text, (rows,) each.
        count: Number of vehicles, (rows,).
    """

    features: Array
    camera: Array
    folder: Array
    time: Array
    count: Array

    def known(self, chosen: Array) -> tuple[Rows, Array]:
        """Return the frames where `chosen` is true, and the hour of each, (rows,)."""
        return self.rows(chosen), self.folder[chosen]

    def rows(self, chosen: Array) -> Rows:
        """Return the frames where `chosen` is true, ready to learn from."""
        return Rows(
            self.features[chosen].astype(np.float32),
            self.count[chosen].astype(np.float32),
        )


def frames(name: str) -> Frames:
    """Return the frames of the feature file `name`: cameras, weather or bigbus."""
    with need(f"citycam/{name}.csv", _WAY_OUT).open(newline="") as file:
        lines = list(csv.DictReader(file))
    with np.load(need(f"citycam/{name}.npz", _WAY_OUT)) as arrays:
        features = arrays["features"]
    if len(features) != len(lines):
        raise ValueError(
            f"citycam/{name}.npz must have one row per line of its csv, got "
            f"{len(features)} rows and {len(lines)} lines. Extract both again."
        )
    columns = ("camera", "dir", "time")
    camera, folder, time = (np.array([line[c] for line in lines]) for c in columns)
    count = np.array([int(line["count"]) for line in lines])
    return Frames(features, camera, folder, time, count)


_Task = tuple[Rows, Array, dict[str, Rows]]


def _weather(rng: np.random.Generator) -> _Task:
    all_frames = frames("weather")
    late = all_frames.time >= "2016/02/23 14:00:00"
    return *all_frames.known(~late), {"after_14h": all_frames.rows(late)}


def _cameras(rng: np.random.Generator) -> _Task:
    return _five(rng.choice(CAMERAS, 5, replace=False))


def _same_cameras(rng: np.random.Generator) -> _Task:
    return _five(np.array(SAME_CAMERAS))


def _five(cameras: Array) -> _Task:
    all_frames = frames("cameras")
    known = np.isin(all_frames.camera, cameras)
    return *all_frames.known(known), {"other_cameras": all_frames.rows(~known)}


def _bigbus(rng: np.random.Generator) -> _Task:
    clear, hidden = frames("cameras"), frames("bigbus")
    known = np.isin(clear.camera, BIGBUS_CAMERAS)
    behind = np.isin(hidden.folder, BIGBUS_FOLDERS)
    return *clear.known(known), {"bigbus": hidden.rows(behind)}


_TASKS = {
    "weather": _weather,
    "cameras": _cameras,
    "same-cameras": _same_cameras,
    "bigbus": _bigbus,
}
_WAY_OUT = (
    "Ask for CityCam on its site, unpack it, and run "
    "antireg.paper.data.citycam_raw.extract(folder) once; or name a folder with the "
    "feature files in ANTIREG_DATA."
)
