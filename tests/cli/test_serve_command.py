import json
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("uvicorn", reason="needs the extra `serve`")

from antireg.cli import main
from tests.made_tables import houses, written
from tests.quick_options import LEARNS


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    train = written(houses(200), folder / "train.csv")
    fit = ["fit", train, "--target", "price", "--drop", "dear", "--out"]
    assert main([*fit, str(folder / "model"), *LEARNS, "--quiet"]) == 0
    return folder / "model"


def answer(port, method, path, body=None):
    """Return the status and the JSON, once the service answers at all."""
    for _ in range(1200):
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            headers = {"Content-Type": "application/json"}
            connection.request(method, path, json.dumps(body), headers)
            found = connection.getresponse()
            return found.status, json.loads(found.read())
        except ConnectionRefusedError:
            time.sleep(0.1)
        finally:
            connection.close()
    raise AssertionError("it does not answer")


def test_a_folder_is_served_until_it_is_stopped(model):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "antireg.cli", "serve", str(model), "--quiet"]
    server = subprocess.Popen([*command, "--port", str(port)])
    try:
        row = {"size": 0.1, "income": 5000, "colour": "red", "new": True}
        status, found = answer(port, "POST", "/predict", {"row": row})
        assert (status, found["flag"]) == (200, False)
        odd = row | {"colour": "purple"}
        _, found = answer(port, "POST", "/predict/batch", {"rows": [row, odd]})
        assert [one["flag"] for one in found["answers"]] == [False, True]
        status, found = answer(port, "POST", "/predict", {"row": {"size": 1}})
        assert status == 422
        assert "must have the column 'income'" in found["error"]
    finally:
        server.terminate()
        server.wait()


def test_what_cannot_be_served_is_said_in_one_sentence(tmp_path, capsys):
    assert main(["serve", str(tmp_path)]) == 1
    assert "There is no model in" in capsys.readouterr().err
    (tmp_path / "model.onnx").write_bytes(b"nothing")
    assert main(["serve", str(tmp_path / "model.onnx")]) == 1
    assert "must be an ONNX graph" in capsys.readouterr().err
    assert main(["serve", str(tmp_path / "missing.onnx")]) == 1
    assert "missing.onnx" in capsys.readouterr().err
