"""CityCam from the folder its site ships: frames and XML in, feature files out.

The folder holds `<camera>/<camera>-<yyyymmdd>-<hh>/000001.jpg` with an `.xml` beside
each frame. Folders where a bus hides the street have "bus" in their name; they are a
task of their own and never count as frames of their camera.
"""

from __future__ import annotations

import csv
import io
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import torch
from tqdm import tqdm

from antireg.disk.atomic import write_whole
from antireg.paper.data.citycam_splits import CAMERAS
from antireg.paper.data.files import npz
from antireg.paper.data.formats import pillow
from antireg.paper.data.keras_weights import pretrained
from antireg.paper.data.resnet import SIDE, prepare
from antireg.paper.data.split import Array
from antireg.paper.data.where import cache

WEATHER_FOLDERS = tuple(f"{camera}/{camera}-20160223-*" for camera in (164, 166, 572))
PATTERNS = {
    "cameras": tuple(f"{camera}/{camera}-*" for camera in CAMERAS),
    "weather": WEATHER_FOLDERS,
    "bigbus": ("*/*-big_bus*", "bigbus/bigbus-*"),
}
N_ROWS_PER_PART = 256
N_ROWS_PER_BATCH = 32


@dataclass(frozen=True)
class Frame:
    """One frame and what its XML says: a line of the csv file."""

    camera: str
    dir: str
    file: str
    count: int
    time: str
    weather: str
    flow: str


def extract(
    folder: str | Path, network: Callable[[torch.Tensor], torch.Tensor] | None = None
) -> None:
    """Write the feature files of the three tasks into the cache.

    If stopped, it resumes where it was; memory grows with the number of frames only by
    the features themselves, 4 KB a frame.

    Args:
        folder: CityCam, unpacked.
        network: From prepared pictures to features; None for ResNet50 with ImageNet
            weights.
    """
    home = Path(folder)
    found = {name: read_frames(home, name) for name in PATTERNS}
    network = network or pretrained()
    for name, frames in found.items():
        _extract(home, name, frames, network)


def read_frames(folder: Path, name: str) -> list[Frame]:
    """Return the frames of one feature file, in order, without XMLs that lack a jpg.

    Args:
        folder: CityCam, unpacked.
        name: "cameras", "weather" or "bigbus".
    """
    folders = {path for pattern in PATTERNS[name] for path in folder.glob(pattern)}
    if name != "bigbus":
        folders = {path for path in folders if "bus" not in path.name}
    pictures = [p for path in sorted(folders) for p in sorted(path.glob("*.jpg"))]
    frames = [_read(p) for p in pictures if p.with_suffix(".xml").exists()]
    if not frames:
        raise FileNotFoundError(
            f"folder must hold CityCam's camera folders, got {folder}, where no frame "
            f"matches {' or '.join(PATTERNS[name])}. Unpack CityCam.tar.gz and give "
            "the folder that 164/ is in."
        )
    return frames


def _read(picture: Path) -> Frame:
    path = picture.with_suffix(".xml")
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise ValueError(f"{path} must be XML: {error}. Unpack it again.") from error
    time, weather, flow = (
        (root.findtext(f".//{tag}") or "").strip()
        for tag in ("time", "weather", "flow")
    )
    count = sum(1 for _ in root.iter("vehicle"))
    home = picture.parent
    return Frame(home.parent.name, home.name, picture.name, count, time, weather, flow)


def _extract(
    folder: Path,
    name: str,
    frames: list[Frame],
    network: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    home = cache() / "citycam"
    parts = home / f".{name}.parts"
    table = _table(frames)
    if (home / f"{name}.npz").exists() and _same(home / f"{name}.csv", table):
        return
    if not _same(parts / "frames.csv", table):
        shutil.rmtree(parts, ignore_errors=True)
        parts.mkdir(parents=True)
        write_whole(parts / "frames.csv", table)
    done = []
    with tqdm(desc=name, total=len(frames), unit="frame", disable=None) as bar:
        for start in range(0, len(frames), N_ROWS_PER_PART):
            chosen = frames[start : start + N_ROWS_PER_PART]
            part = parts / f"{start:06}.npz"
            if not part.exists():
                features = _features(folder, chosen, network)
                write_whole(part, npz(features=features))
            done.append(part)
            bar.update(len(chosen))
    features = np.concatenate([np.load(part)["features"] for part in done])
    write_whole(home / f"{name}.csv", table)
    write_whole(home / f"{name}.npz", npz(features=features))
    shutil.rmtree(parts)


def _features(
    folder: Path,
    frames: list[Frame],
    network: Callable[[torch.Tensor], torch.Tensor],
) -> Array:
    image = pillow()
    features = []
    for start in range(0, len(frames), N_ROWS_PER_BATCH):
        pictures = []
        for frame in frames[start : start + N_ROWS_PER_BATCH]:
            with image.open(folder / frame.camera / frame.dir / frame.file) as picture:
                small = picture.convert("RGB").resize((SIDE, SIDE), image.LANCZOS)
            pictures.append(np.asarray(small))
        with torch.inference_mode():
            features.append(network(prepare(np.stack(pictures))).numpy())
    return np.concatenate(features).astype(np.float16)


def _table(frames: list[Frame]) -> bytes:
    stream = io.StringIO()
    names = [field.name for field in fields(Frame)]
    writer = csv.DictWriter(stream, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(frame) for frame in frames)
    return stream.getvalue().encode()


def _same(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() == content
