import hashlib
import io
import json
import os

import numpy as np
import pytest
from safetensors.numpy import save

from antireg.storage import array_file
from antireg.storage.array_file import Arrays

GOOD = {"a": np.arange(6.0).reshape(2, 3), "b": np.zeros(0), "c": np.float32([1, 2])}


def arrays_of(path, content, digest=None):
    path.write_bytes(content)
    digest = digest or hashlib.sha256(content).hexdigest()
    with path.open("rb") as stream:
        yield Arrays(stream, digest, lambda words: ValueError(words))


def file_of(header, data=b""):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(first, last, shape, dtype="F64"):
    return {"dtype": dtype, "shape": shape, "data_offsets": [first, last]}


def test_arrays_are_taken_by_name_type_and_shape_and_can_be_written_to(tmp_path):
    for arrays in arrays_of(tmp_path / "f", save(GOOD)):
        found = arrays.take("a", np.float64, (None, 3))
        np.testing.assert_array_equal(found, GOOD["a"])
        assert found.flags.writeable
        assert arrays.take("b", np.float64, (None,)).shape == (0,)
        with pytest.raises(ValueError, match="unknown arrays, such as 'c'"):
            arrays.finish()
        arrays.take("c", np.float32, (2,))
        arrays.finish()


def test_lengths_may_be_any_of_a_range(tmp_path):
    for arrays in arrays_of(tmp_path / "f", save(GOOD)):
        assert arrays.take("a", np.float64, (range(1, 3), None)).shape == (2, 3)
        with pytest.raises(ValueError, match=r"of shape \(3 to 9\), got .*\(2,\)"):
            arrays.take("c", np.float32, (range(3, 10),))


def test_the_checksum_is_that_of_the_bytes_that_were_read(tmp_path):
    for arrays in arrays_of(tmp_path / "f", save({"a": np.ones(3)}), "0" * 64):
        arrays.take("a", np.float64, (3,))
        with pytest.raises(ValueError, match="not those of the checksum"):
            arrays.finish()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "larger than it may be"),
        (file_of(None), "cannot be read"),
        ((2**60).to_bytes(8, "little"), "larger than it may be"),
        (file_of([1]), "cannot be read"),
        (file_of({"a": 1}), "cannot be read"),
        (file_of({"a": entry(0, 8, [1], "BOOL")}, bytes(8)), "cannot be read"),
        (file_of({"a": entry(0, 8, [2])}, bytes(8)), "does not fit the shape"),
        (file_of({"a": entry(0, 8, [1])}, bytes(9)), "the file has 9"),
        (file_of({"a": entry(0, 8, [True])}, bytes(8)), "whole number"),
        (file_of({"a": entry(8, 16, [1])}, bytes(16)), "gap"),
        (file_of({"a": entry(0, 8, [1]), "b": entry(0, 8, [1])}, bytes(8)), "overlap"),
        (file_of({"a": entry(0, 2**75, [2**36] * 2)}), "in range"),
        (file_of({"a": entry(0, 8, [1] * 9)}, bytes(8)), "has 9 axes, and at most 8"),
    ],
)
def test_headers_that_do_not_fit_the_file_are_refused(tmp_path, content, words):
    with pytest.raises(ValueError, match=words):
        next(arrays_of(tmp_path / "f", content))


def test_a_file_above_the_ceiling_is_refused_before_it_is_read(tmp_path):
    (tmp_path / "f").write_bytes(b"")
    os.truncate(tmp_path / "f", 10 * 2**30)  # sparse
    with (tmp_path / "f").open("rb") as stream:
        with pytest.raises(ValueError, match="at most 1073741824 are read"):
            Arrays(stream, "", lambda words: ValueError(words))
        assert stream.tell() == 0


def test_nothing_is_allocated_for_an_array_that_was_not_expected(tmp_path):
    size = array_file.LARGEST - 2**12
    (tmp_path / "f").write_bytes(file_of({"a": entry(0, size, [size // 8])}))
    os.truncate(tmp_path / "f", os.path.getsize(tmp_path / "f") + size)  # sparse
    with (tmp_path / "f").open("rb") as stream:
        arrays = Arrays(stream, "", lambda words: ValueError(words))
        with pytest.raises(ValueError, match="must be float64 of shape"):
            arrays.take("a", np.float64, (range(1, 4),))
        assert stream.seek(0, io.SEEK_CUR) < 2**12
