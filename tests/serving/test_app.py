import asyncio
import json

import pytest

pytest.importorskip("onnxruntime")
pytest.importorskip("starlette", reason="needs the extra `serve`")

from antireg.onnx.export import to_onnx
from antireg.serving.app import make_app
from antireg.serving.graph import load_graph
from tests.doubtful_models import regressor

JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    file = tmp_path_factory.mktemp("app") / "model.onnx"
    to_onnx(regressor(), file)
    return make_app(load_graph(file), most_bytes=2000, most_rows=20)


def asked(app, method, path, body=b"", headers=JSON, leaves=False):
    """Call the application as a server would, the body in pieces of 100 bytes.

    Who leaves does so before the end.
    """
    pieces = [body[k : k + 100] for k in range(0, len(body), 100)] or [b""]
    sent = []

    async def receive():
        piece = pieces.pop(0)
        if leaves and not pieces:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1",
        "method": method, "path": path, "raw_path": path.encode(),
        "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "state": {},
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], json.loads(content)


def test_one_row_and_many_rows_have_the_same_answers(app):
    status, one = asked(app, "POST", "/predict", b'{"row": [0, 0, 0]}')
    assert status == 200
    assert {"mean", "std", "low", "high", "ood_score", "flag", "doubt"} <= set(one)
    body = json.dumps({"rows": [{"x0": 0, "x1": 0, "x2": 0}, [1e9, 0, 0]]}).encode()
    status, many = asked(app, "POST", "/predict/batch", body)
    assert status == 200
    assert many["answers"][0]["mean"] == pytest.approx(one["mean"], rel=1e-5)
    assert [row["flag"] for row in many["answers"]] == [False, True]
    rows = json.dumps({"rows": [[0, 0, 0]] * 20}).encode()  # more than are done at once
    assert len(asked(app, "POST", "/predict/batch", rows)[1]["answers"]) == 20


def test_it_says_that_it_answers_and_what(app):
    status, found = asked(app, "GET", "/health")
    assert (status, found["status"]) == (200, "ok")
    assert found["columns"] == ["x0", "x1", "x2"]
    status, found = asked(app, "GET", "/openapi.json")
    assert status == 200
    assert found["openapi"] == "3.1.0"


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "words"),
    [
        ("POST", "/predict", b"{", JSON, 400, "must be JSON"),
        ("POST", "/predict", b'{"row": [1]}', JSON, 422, "must have 3 values, got 1"),
        ("POST", "/predict", b'{"row": ["a", 1, 1]}', JSON, 422, "must be a number"),
        ("POST", "/predict", b'{"row": [null, 1, 1]}', JSON, 422,
         "Column 'x0' of row 1 must be a number, got null."),
        ("POST", "/predict", b'{"row": ["\\ud800", 1, 1]}', JSON, 400, "must be JSON"),
        ("POST", "/predict", b"{}", {}, 415, "application/json"),
        ("POST", "/predict", b" " * 2001, JSON, 413, "at most 2000 bytes"),
        ("POST", "/predict", b"", JSON | {"content-length": "2001"}, 413, "at most"),
        ("POST", "/predict/batch", b'{"rows": 3}', JSON, 422, "a list of rows"),
        ("POST", "/predict/batch", b'{"rows": [%s]}' % b",".join([b"1"] * 21), JSON,
         413, "at most 20 rows, got 21"),
        ("GET", "/predict", b"", {}, 405, "openapi.json"),
        ("GET", "/nothing", b"", {}, 404, "openapi.json"),
    ],
)  # fmt: skip
def test_bad_requests_get_a_sentence(app, method, path, body, headers, status, words):
    found, answer = asked(app, method, path, body, headers)
    assert found == status
    assert words in answer["error"]


def test_a_client_that_leaves_is_no_error_of_ours(app):
    status, said = asked(app, "POST", "/predict", b" " * 150, leaves=True)
    assert (status, said["error"]) == (400, "The body must be sent as a whole.")
