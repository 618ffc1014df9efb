import hashlib
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from antireg.data.files import File
from antireg.data.sources import ByHand, Download

CONTENT = os.urandom(3_000_000)


class Host(BaseHTTPRequestHandler):
    """Serves CONTENT; `cut` ends an answer early, `ranges` honours Range."""

    cut: int | None = None
    ranges = True
    asked: list[str] = []  # noqa: RUF012

    def do_GET(self):
        asked = self.headers["Range"]
        type(self).asked.append(asked)
        start = int(asked[6:-1]) if self.ranges else 0
        self.send_response(206 if self.ranges else 200)
        self.send_header("Content-Length", str(len(CONTENT) - start))
        self.end_headers()
        self.wfile.write(CONTENT[start : self.cut])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def host():
    class Own(Host):
        asked = []  # noqa: RUF012

    with ThreadingHTTPServer(("127.0.0.1", 0), Own) as server:
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
    assert host.asked == ["bytes=0-"]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_cut_download_goes_on(host, tmp_path, ranges):
    host.ranges, host.cut = ranges, 2_000_000
    with pytest.raises(OSError, match="next try goes on"):
        Download().fetch((right(host.url),), tmp_path)
    assert not (tmp_path / "set" / "a.bin").exists()
    host.cut = None
    Download().fetch((right(host.url),), tmp_path)
    assert (tmp_path / "set" / "a.bin").read_bytes() == CONTENT
    assert host.asked == ["bytes=0-", "bytes=2000000-"]


def test_other_bytes_are_refused_and_forgotten(host, tmp_path):
    wrong = File("set/a.bin", "sha256:00", 0, host.url)
    with pytest.raises(OSError, match=r"a\.bin: the host sent other bytes"):
        Download().fetch((wrong,), tmp_path)
    assert [*(tmp_path / "set").iterdir()] == []


def test_a_host_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OSError, match=r"http://127\.0\.0\.1:9/a\.bin: .*refused"):
        Download().fetch((right("http://127.0.0.1:9/a.bin"),), tmp_path)


def test_by_hand_says_what_to_do(tmp_path):
    assert ByHand("ask for it").title == "by hand: ask for it"
    with pytest.raises(FileNotFoundError, match="not done yet"):
        ByHand("ask for it").fetch((), tmp_path)
