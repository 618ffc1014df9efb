"""A service that is started as users do, and sent bytes that are no requests."""

import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("uvicorn", reason="needs the extra `serve`")
pytest.importorskip("resource", reason="memory is measured by `resource`")

from antireg.onnx.export import to_onnx
from tests.doubtful_models import regressor
from tests.fuzzing.mutations import spoiled_bytes
from tests.fuzzing.running import MOST_MEGABYTES
from tests.systems import LINUX

BODY = b'{"row": [0, 0, 0]}'
ASK = (
    b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(BODY), BODY)
)
WAITS = 300
"""Seconds after which a service does not answer, however busy the machine."""


@pytest.fixture
def service(tmp_path):
    """The process of a service, and its port."""
    to_onnx(regressor(), tmp_path / "model.onnx")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "antireg.cli", "serve", "--quiet", "--port"]
    with subprocess.Popen([*command, str(port), tmp_path / "model.onnx"]) as process:
        try:
            deadline = time.monotonic() + WAITS
            while True:
                try:
                    answered(port, ASK)
                    break
                except ConnectionRefusedError:
                    assert process.poll() is None
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
            yield process, port
        finally:
            process.terminate()


def answered(port, content):
    """Return all bytes that come back; the connection is then closed on our side."""
    found = b""
    with socket.create_connection(("127.0.0.1", port), timeout=WAITS) as connection:
        try:
            connection.sendall(content)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(2**16):
                found += piece
        except (BrokenPipeError, ConnectionResetError):
            pass  # it has heard enough
    return found


def megabytes(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


@LINUX
def test_bytes_that_are_no_requests_do_not_stop_the_service(service):
    process, port = service
    before, good = megabytes(process), answered(port, ASK)
    assert good.startswith(b"HTTP/1.1 200")
    rng = np.random.default_rng(0)
    spoiled = [spoiled_bytes(ASK, rng) for _ in range(150)]
    large = [b"GET /" + b"a" * 2**20, ASK[:60] + b"X: y\r\n" * 2**17 + b"\r\n",
             ASK.replace(b"%d" % len(BODY), b"9" * 30), b"\x16\x03\x01" * 1000,
             ASK.replace(BODY, b"[" * 2**21), ASK * 50]  # fmt: skip
    for content in [*spoiled, *large]:
        found = answered(port, content)
        assert b"Traceback" not in found
        if found:
            assert re.match(rb"HTTP/1\.1 (200|4\d\d) ", found), found[:200]
    assert process.poll() is None
    _, _, body = answered(port, ASK).partition(b"\r\n\r\n")
    assert json.loads(body) == json.loads(good.partition(b"\r\n\r\n")[2])
    assert megabytes(process) - before < MOST_MEGABYTES
