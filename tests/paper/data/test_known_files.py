import re

import pytest

from antireg.paper.data import known_files
from antireg.paper.data.files import File

FILES = [
    file
    for group in vars(known_files).values()
    if isinstance(group, tuple)
    for file in group
    if isinstance(file, File)
]
LENGTHS = {"md5": 32, "sha256": 64}


WITHOUT_SHA256 = {"resnet50/resnet50_weights_tf_dim_ordering_tf_kernels_notop.h5"}
"""Nobody publishes it, and no package here has the file."""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_checksums_are_whole_and_addresses_end_in_the_name(file):
    for digest in filter(None, (file.digest, file.payload, file.sha256)):
        algorithm, _, value = digest.partition(":")
        assert len(value) == LENGTHS[algorithm]
        assert re.fullmatch("[0-9a-f]+", value)
    if file.url:
        assert file.url.rpartition("/")[2] == file.name.rpartition("/")[2]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_is_downloaded_is_known_by_size_and_sha256_and_comes_by_https(file):
    if not file.url:
        return
    assert file.size > 0
    assert file.url.startswith("https://")
    assert "/raw/master/" not in file.url  # a branch may move
    strong = (file.digest + file.sha256).count("sha256:") == 1
    assert strong == (file.name not in WITHOUT_SHA256)
