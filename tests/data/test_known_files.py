import re

import pytest

from antireg.data import known_files
from antireg.data.files import File

FILES = [
    file
    for group in vars(known_files).values()
    if isinstance(group, tuple)
    for file in group
    if isinstance(file, File)
]
LENGTHS = {"md5": 32, "sha256": 64}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_checksums_are_whole_and_addresses_end_in_the_name(file):
    for digest in filter(None, (file.digest, file.payload)):
        algorithm, _, value = digest.partition(":")
        # A shortened checksum is one that the file's own name carries.
        assert len(value) == LENGTHS[algorithm] or value in file.name
        assert re.fullmatch("[0-9a-f]+", value)
    if file.url:
        assert file.url.rpartition("/")[2] == file.name.rpartition("/")[2]
