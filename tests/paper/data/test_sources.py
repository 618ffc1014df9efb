import gc
import hashlib
import os
import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from antireg.paper.data.files import File
from antireg.paper.data.sources import ByHand, Download

CONTENT = os.urandom(3_000_000)


class Host(BaseHTTPRequestHandler):
    """Serves CONTENT, and misbehaves as it is told."""

    cut: int | None = None
    """Where an answer ends early."""
    ranges = True
    """Whether Range is honoured."""
    says_length = True
    says_start: int | None = None
    """Where it says that its answer starts, if not where it does."""
    more = b""
    """Sent after the content, without a word."""
    moved_to = ""
    missing = False
    asked: list[str | None] = []  # noqa: RUF012

    def do_GET(self):
        asked = self.headers["Range"]
        type(self).asked.append(asked)
        if self.moved_to:
            self.send_response(302)
            self.send_header("Location", self.moved_to)
            self.end_headers()
            return
        if self.missing:
            self.send_error(404)
            return
        start = int(asked[6:-1]) if self.ranges and asked else 0
        if start >= len(CONTENT):
            self.send_error(416)
            return
        self.send_response(206 if self.ranges and asked else 200)
        if self.ranges and asked:
            said = start if self.says_start is None else self.says_start
            size = len(CONTENT)
            self.send_header("Content-Range", f"bytes {said}-{size - 1}/{size}")
        if self.says_length:
            self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(CONTENT[start : self.cut] + self.more)

    def log_message(self, *arguments):
        pass


class Server(ThreadingHTTPServer):
    """Waits for its answers to end, so that none is left open after a test."""

    daemon_threads = False

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):  # who asked hung up
            super().handle_error(request, client_address)


@pytest.fixture
def host():
    class Own(Host):
        asked = []  # noqa: RUF012

    with Server(("127.0.0.1", 0), Own) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        Own.url = f"http://127.0.0.1:{server.server_port}/a.bin"
        yield Own
        server.shutdown()


def right(url):
    digest = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
    return File("set/a.bin", digest, len(CONTENT), url)


def test_download_writes_the_file_once(host, tmp_path):
    files = (right(host.url),)
    Download().fetch(files, tmp_path)
    Download().fetch(files, tmp_path)
    assert (tmp_path / "set" / "a.bin").read_bytes() == CONTENT
    assert [p.name for p in (tmp_path / "set").iterdir()] == ["a.bin"]
    assert host.asked == [None]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_cut_download_goes_on(host, tmp_path, ranges):
    host.ranges, host.cut = ranges, 2_000_000
    with pytest.raises(OSError, match="next try resumes"):
        Download().fetch((right(host.url),), tmp_path)
    assert not (tmp_path / "set" / "a.bin").exists()
    host.cut = None
    Download().fetch((right(host.url),), tmp_path)
    assert (tmp_path / "set" / "a.bin").read_bytes() == CONTENT
    assert host.asked == [None, "bytes=2000000-"]


def test_other_bytes_are_refused_and_forgotten(host, tmp_path):
    wrong = File("set/a.bin", "sha256:00", 0, host.url)
    with pytest.raises(OSError, match=r"a\.bin: the host sent other bytes"):
        Download().fetch((wrong,), tmp_path)
    assert [*(tmp_path / "set").iterdir()] == []


@pytest.fixture
def part(tmp_path):
    """What an earlier download left."""
    (tmp_path / "set").mkdir()
    return tmp_path / "set" / "a.bin.part"


def only_the_file(folder):
    assert (folder / "set" / "a.bin").read_bytes() == CONTENT
    return [path.name for path in (folder / "set").iterdir()] == ["a.bin"]


def test_a_complete_part_is_taken_without_asking(host, tmp_path, part):
    part.write_bytes(CONTENT)
    Download().fetch((right(host.url),), tmp_path)
    assert only_the_file(tmp_path)
    assert host.asked == []


@pytest.mark.parametrize("wrong", [b"?" * len(CONTENT), CONTENT + b"more"])
def test_a_wrong_part_is_forgotten(host, tmp_path, part, wrong):
    part.write_bytes(wrong)
    Download().fetch((right(host.url),), tmp_path)
    assert only_the_file(tmp_path)


def test_a_part_that_the_host_does_not_reach_starts_anew(host, tmp_path, part):
    part.write_bytes(CONTENT)  # for a file that is larger, as far as we know
    digest = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
    larger = File("set/a.bin", digest, len(CONTENT) + 1, host.url)
    with pytest.raises(OSError, match="the host has 3000000 bytes of 3000001"):
        Download().fetch((larger,), tmp_path)
    assert host.asked == ["bytes=3000000-", None]


@pytest.mark.parametrize("start", [0, 1_000_000])
def test_a_host_need_not_say_how_much_comes(host, tmp_path, part, start):
    host.says_length = False
    part.write_bytes(CONTENT[:start])
    Download().fetch((right(host.url),), tmp_path)
    assert only_the_file(tmp_path)


def test_a_cut_is_noticed_without_a_length(host, tmp_path):
    host.says_length, host.cut = False, 2_000_000
    with pytest.raises(OSError, match="next try resumes"):
        Download().fetch((right(host.url),), tmp_path)


def test_no_more_bytes_are_written_than_the_file_has(host, tmp_path, part):
    host.says_length, host.more = False, b"x" * 5_000_000
    with pytest.raises(OSError, match="sent more than 3000000 bytes"):
        Download().fetch((right(host.url),), tmp_path)
    assert [*(tmp_path / "set").iterdir()] == []


def test_an_answer_from_elsewhere_is_taken_from_the_start(host, tmp_path, part):
    part.write_bytes(CONTENT[:1_000_000])
    host.says_start = 7
    with pytest.raises(OSError, match="the host has 2000000 bytes of 3000000"):
        Download().fetch((right(host.url),), tmp_path)


def test_only_https_is_read_from_afar(host, tmp_path):
    with pytest.raises(OSError, match=r"only https .* http://example\.org/a\.bin"):
        Download().fetch((right("http://example.org/a.bin"),), tmp_path)
    host.moved_to = "http://example.org/other.bin"
    with pytest.raises(OSError, match=r"only https .* http://example\.org/other\.bin"):
        Download().fetch((right(host.url),), tmp_path)


def test_an_answer_that_makes_no_sense_is_an_error_of_the_host(host, tmp_path):
    host.moved_to = "http://127.0.0.1:not-a-port/"
    with pytest.raises(OSError, match=r"a\.bin: "):
        Download().fetch((right(host.url),), tmp_path)


@pytest.mark.parametrize("trouble", ["elsewhere", "too_short", "missing"])
def test_no_connection_stays_open_after_a_failure(host, tmp_path, part, trouble):
    url, size = host.url, len(CONTENT)
    if trouble == "elsewhere":
        host.moved_to = "http://example.org/other.bin"
    elif trouble == "too_short":
        part.write_bytes(CONTENT)
        size += 1
    else:
        host.missing = True
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(OSError, match=r"a\.bin: "):
            Download().fetch((File("set/a.bin", "sha256:00", size, url),), tmp_path)
        gc.collect()
    assert [str(w.message) for w in caught if w.category is ResourceWarning] == []


def test_a_host_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OSError, match=r"http://127\.0\.0\.1:9/a\.bin: .*refused"):
        Download().fetch((right("http://127.0.0.1:9/a.bin"),), tmp_path)


def test_by_hand_says_what_to_do(tmp_path):
    assert ByHand("ask for it").title == "by hand: ask for it"
    with pytest.raises(FileNotFoundError, match="not done yet"):
        ByHand("ask for it").fetch((), tmp_path)
