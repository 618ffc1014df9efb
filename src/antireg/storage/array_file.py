"""Arrays in an untrusted safetensors file, read one by one as they are expected.

Nothing is allocated until the file's header, its size and the model's description
agree. Each byte is read once, and the checksum is that of the bytes actually read.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable
from io import BufferedReader
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from antireg.storage import bounded_json

LARGEST = 2**30
"""Bytes of a file at most: 268 million weights."""

LARGEST_HEADER = 2**20
MOST_AXES = 8
"""Of an array: a product of very many numbers takes seconds."""

DTYPES: dict[str, type[np.generic]] = {
    "F32": np.float32,
    "F64": np.float64,
    "I64": np.int64,
}


class Place(NamedTuple):
    """Where an array is in the file, and what it is."""

    first: int
    last: int
    dtype: type[np.generic]
    shape: tuple[int, ...]


class Taking(Protocol):
    """What arrays are taken from."""

    def take(
        self, name: str, dtype: type[np.generic], shape: tuple[int | range | None, ...]
    ) -> NDArray[Any]:
        """Return one array of finite numbers."""


class Arrays:
    """The arrays of a file, each taken once, by name, type and shape.

    Args:
        stream: The file, at its beginning.
        expected: SHA-256 of the file, in hexadecimal.
        wrong: Makes the error from a reason.
    """

    def __init__(
        self, stream: BufferedReader, expected: str, wrong: Callable[[str], ValueError]
    ) -> None:
        """Read the header, and compare it with the size of the file."""
        self.stream, self.expected, self.wrong = stream, expected, wrong
        size = os.fstat(stream.fileno()).st_size
        if size > LARGEST:
            raise wrong(f"the arrays take {size} bytes, and at most {LARGEST} are read")
        length = int.from_bytes(stream.read(8), "little")
        if length > min(LARGEST_HEADER, size - 8):
            raise wrong("the header of the arrays is larger than it may be")
        self.header = stream.read(length)
        try:
            self.left = _places(bounded_json.parse(self.header), size - 8 - length)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise wrong(f"the arrays cannot be read ({error})") from None
        self.read: dict[tuple[int, int], NDArray[Any]] = {}

    def has(self, name: str) -> bool:
        """Return whether an array of this name is left."""
        return name in self.left

    def take(
        self, name: str, dtype: type[np.generic], shape: tuple[int | range | None, ...]
    ) -> NDArray[Any]:
        """Return one array of finite numbers.

        Args:
            name: In the file.
            dtype: What it must hold.
            shape: What it must have; a range of lengths, or None for any.
        """
        if name not in self.left:
            raise self.wrong(f"the arrays have no {name!r}")
        place = self.left.pop(name)
        fits = len(place.shape) == len(shape) and all(
            have in want if isinstance(want, range) else want in (None, have)
            for want, have in zip(shape, place.shape, strict=True)
        )
        if not fits or place.dtype is not dtype:
            raise self.wrong(
                f"{name!r} must be {np.dtype(dtype)} of shape {_told(shape)}, got "
                f"{np.dtype(place.dtype)} of shape {place.shape}"
            )
        values: NDArray[Any] = np.empty(place.shape, np.dtype(dtype).newbyteorder("<"))
        self.stream.seek(8 + len(self.header) + place.first)
        content = values.reshape(-1).view(np.uint8).data
        if self.stream.readinto(content) != values.nbytes:
            raise self.wrong(f"{name!r} ends early")
        if not np.isfinite(values).all():
            raise self.wrong(f"{name!r} holds NaN or infinite numbers")
        self.read[place.first, place.last] = values
        return values.astype(dtype, copy=False)

    def prefixed(self, prefix: str) -> Taking:
        """Return the arrays whose names begin so, by what follows."""
        return Prefixed(self, prefix)

    def finish(self) -> None:
        """Raise if an array was not taken, or if the checksum does not match."""
        if self.left:
            raise self.wrong(f"there are unknown arrays, such as {min(self.left)!r}")
        digest = hashlib.sha256(len(self.header).to_bytes(8, "little") + self.header)
        for ends in sorted(self.read):
            digest.update(self.read[ends].reshape(-1).view(np.uint8).data)
        if digest.hexdigest() != self.expected:
            raise self.wrong("the arrays are not those of the checksum")


class Prefixed(NamedTuple):
    """Arrays of a file whose names begin alike."""

    arrays: Arrays
    prefix: str

    def take(
        self, name: str, dtype: type[np.generic], shape: tuple[int | range | None, ...]
    ) -> NDArray[Any]:
        """Return one array of finite numbers."""
        return self.arrays.take(self.prefix + name, dtype, shape)


def _told(shape: tuple[int | range | None, ...]) -> str:
    """Return a shape in words, such as (1 to 10, any, 3)."""
    words = [
        f"{want[0]} to {want[-1]}" if isinstance(want, range) else str(want)
        for want in shape
    ]
    return f"({', '.join(words)})".replace("None", "any")


def _places(header: dict[str, Any], n_bytes: int) -> dict[str, Place]:
    """Return where each array is; raise unless they fill the bytes without a gap."""
    header.pop("__metadata__", None)
    places = {name: _place(entry) for name, entry in header.items()}
    end = 0
    for first, last in sorted((place.first, place.last) for place in places.values()):
        if first != end:
            raise ValueError("they overlap or leave a gap")
        end = last
    if end != n_bytes:
        raise ValueError(f"they take {end} bytes, and the file has {n_bytes}")
    return places


def _place(entry: dict[str, Any]) -> Place:
    dtype, shape = DTYPES[entry["dtype"]], entry["shape"]
    first, last = entry["data_offsets"]
    if len(shape) > MOST_AXES:
        raise ValueError(f"a shape has {len(shape)} axes, and at most {MOST_AXES} may")
    numbers = [first, last, *shape]
    if any(type(number) is not int or not 0 <= number <= LARGEST for number in numbers):
        raise ValueError("a size is not a whole number in range")
    if last - first != math.prod(shape) * np.dtype(dtype).itemsize:
        raise ValueError("a size does not fit the shape")
    return Place(first, last, dtype, tuple(shape))
