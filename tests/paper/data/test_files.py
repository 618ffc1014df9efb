import gzip
import hashlib
import os

import numpy as np
import pytest

from antireg.paper.data.files import File, npz, open_payload

CONTENT = b"the same bytes" * 100


def digest(content, algorithm="sha256"):
    return f"{algorithm}:{hashlib.new(algorithm, content).hexdigest()}"


@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_only_the_right_bytes_are_found(folder, algorithm):
    file = File("a.bin", digest(CONTENT, algorithm), len(CONTENT))
    assert file.find() is None
    (folder / "a.bin").write_bytes(CONTENT)
    assert file.find() == folder / "a.bin"


def test_a_file_that_changed_is_read_again(folder):
    path, file = folder / "a.bin", File("a.bin", digest(CONTENT), len(CONTENT))
    path.write_bytes(CONTENT)
    assert file.matches(path)
    path.write_bytes(CONTENT[:-1])
    os.utime(path, ns=(0, 1))
    assert not file.matches(path)


def test_a_wrong_copy_does_not_hide_a_right_one(tmp_path, monkeypatch):
    for name, content in (("wrong", b"?"), ("right", CONTENT)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.bin").write_bytes(content)
    both = os.pathsep.join([str(tmp_path / "wrong"), str(tmp_path / "right")])
    monkeypatch.setenv("ANTIREG_DATA", both)
    found = File("a.bin", digest(CONTENT), 0).find()
    assert found == tmp_path / "right" / "a.bin"


def test_the_same_payload_in_another_wrapping_is_right(folder):
    canonical = gzip.compress(CONTENT, mtime=1)
    file = File("a.gz", digest(canonical, "md5"), 0, payload=digest(CONTENT))
    (folder / "a.gz").write_bytes(gzip.compress(CONTENT, mtime=2))
    assert file.find() == folder / "a.gz"
    (folder / "a.gz").write_bytes(canonical[:-20])
    os.utime(folder / "a.gz", ns=(0, 1))
    assert file.find() is None
    (folder / "a").write_bytes(CONTENT)
    assert file.find() == folder / "a"


def test_a_part_of_a_checksum_is_not_enough(folder):
    (folder / "a").write_bytes(CONTENT)
    assert File("a", digest(CONTENT)[:15], 0).find() is None


def test_both_checksums_must_be_right(folder):
    (folder / "a").write_bytes(CONTENT)
    md5, sha256 = digest(CONTENT, "md5"), digest(CONTENT)
    assert File("a", md5, 0, sha256=sha256).find() == folder / "a"
    assert File("a", md5, 0, sha256=digest(b"other")).find() is None
    assert File("a", digest(b"other", "md5"), 0, sha256=sha256).find() is None


def test_payload_is_opened_packed_or_not(folder):
    (folder / "plain").write_bytes(CONTENT)
    (folder / "packed").write_bytes(gzip.compress(CONTENT))
    for name in ("plain", "packed"):
        with open_payload(folder / name) as stream:
            assert stream.read() == CONTENT


def test_npz_content_loads_again(folder):
    (folder / "a.npz").write_bytes(npz(x=np.arange(3)))
    with np.load(folder / "a.npz") as file:
        assert file["x"].tolist() == [0, 1, 2]
