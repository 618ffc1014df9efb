import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from antireg.disk import atomic
from antireg.disk.atomic import check_writable, whole_file, write_whole
from tests.systems import KILLS, POSIX


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_whole_and_alone(tmp_path):
    write_whole(tmp_path / "new" / "a", b"first")
    write_whole(tmp_path / "new" / "a", b"second")
    assert (tmp_path / "new" / "a").read_bytes() == b"second"
    assert names(tmp_path / "new") == ["a"]


def test_a_failure_keeps_the_older_file_and_leaves_nothing(tmp_path):
    write_whole(tmp_path / "a", b"old")

    def fail(file):
        file.write(b"half")
        assert len(names(tmp_path)) == 2
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError), whole_file(tmp_path / "a") as file:
        fail(file)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


@POSIX
def test_what_is_not_finished_is_private_and_its_name_is_random(tmp_path):
    found = set()
    for _ in range(2):
        with whole_file(tmp_path / "a") as file:
            found.add(file.name)
            assert stat.S_IMODE(os.stat(file.name).st_mode) == 0o600
    assert len(found) == 2


@POSIX
def test_permissions_are_those_of_the_older_file_or_of_any_new_one(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    write_whole(tmp_path / "a", b"")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode
    (tmp_path / "a").chmod(0o640)
    write_whole(tmp_path / "a", b"again")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


@POSIX
def test_what_a_symbolic_link_points_to_is_left_alone(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / "a").symlink_to(victim)
    write_whole(tmp_path / "a", b"new")
    assert victim.read_bytes() == b"precious"
    assert (tmp_path / "a").read_bytes() == b"new"
    # Even if the random name were guessed, a link planted there is not followed.
    monkeypatch.setattr(atomic.secrets, "token_hex", lambda _: "0" * 16)
    planted = tmp_path / f".a.{'0' * 16}.part"
    planted.symlink_to(victim)
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "a", b"newer")
    assert victim.read_bytes() == b"precious"
    assert planted.is_symlink()


KILLED = """
import sys, time
from antireg.disk.atomic import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("ready", flush=True)
    time.sleep(60)
"""


@KILLS
def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(
    tmp_path,
):
    write_whole(tmp_path / "a", b"old")
    living = whole_file(tmp_path / "a")
    mine = living.__enter__()
    command = [sys.executable, "-c", KILLED, str(tmp_path / "a")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        assert len(names(tmp_path)) == 3
        process.send_signal(signal.SIGKILL)
    assert (tmp_path / "a").read_bytes() == b"old"
    write_whole(tmp_path / "a", b"new")
    assert set(names(tmp_path)) == {"a", Path(mine.name).name}
    mine.write(b"last")
    living.__exit__(None, None, None)
    assert (tmp_path / "a").read_bytes() == b"last"
    assert names(tmp_path) == ["a"]


def test_many_writers_of_one_file_leave_the_whole_of_one(tmp_path):
    contents = [bytes([65 + number]) * 100_000 for number in range(4)]

    def write(content):
        for _ in range(25):
            write_whole(tmp_path / "a", content)

    threads = [threading.Thread(target=write, args=(c,)) for c in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "a").read_bytes() in contents
    assert names(tmp_path) == ["a"]


@POSIX
def test_who_cleans_up_is_waited_for(tmp_path, monkeypatch):
    created = atomic._new

    def create_and_meet_a_cleaner(name, flags):
        monkeypatch.setattr(atomic, "_new", created)
        ours = created(name, flags)
        # Between the opening and the lock: a cleaner has the lock and removes the file.
        cleaner = os.open(name, os.O_RDONLY)
        assert atomic.lock(cleaner)
        os.unlink(name)
        threading.Timer(0.01, os.close, [cleaner]).start()
        return ours

    monkeypatch.setattr(atomic, "_new", create_and_meet_a_cleaner)
    write_whole(tmp_path / "a", b"whole")
    assert (tmp_path / "a").read_bytes() == b"whole"
    assert names(tmp_path) == ["a"]


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from antireg.disk.atomic import check_writable, write_whole
try:
    write_whole(sys.argv[1], bytes(2000))
except OSError as error:
    print(type(error).__name__)
try:
    check_writable(sys.argv[1], "--out")
except ValueError as error:
    print(error)
"""


@POSIX
def test_a_disk_without_room_keeps_the_older_file_and_is_found_beforehand(tmp_path):
    write_whole(tmp_path / "a", b"old")
    command = [sys.executable, "-c", FULL, str(tmp_path / "a")]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("OSError\n--out must be a file that can be written, got")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


@POSIX
def test_a_place_that_cannot_be_written_is_named_beforehand(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "file" / "a", Path("/proc/a"), tmp_path / "folder"):
        with pytest.raises(ValueError, match="--out must be a file that can be writ"):
            check_writable(place, "--out")
    check_writable(tmp_path / "new" / "a", "--out")
    assert names(tmp_path / "new") == []


def test_a_long_name_is_no_obstacle(tmp_path):
    write_whole(tmp_path / ("ä" * 120), b"x")
    assert names(tmp_path) == ["ä" * 120]


@POSIX
def test_what_a_killed_probe_left_is_removed_by_the_next(tmp_path):
    (tmp_path / ".probe.0123456789abcdef.part").write_bytes(b"left")
    atomic.check_writable(tmp_path / "file", "--out")
    assert list(tmp_path.iterdir()) == []
