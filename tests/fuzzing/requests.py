"""Bodies of requests, spoiled; the service answers, or says in a sentence why not."""

import asyncio
import json

import numpy as np

from antireg.onnx.export import to_onnx
from antireg.serving.app import make_app
from antireg.serving.graph import load_graph
from tests.fuzzing.mutations import spoiled_bytes, spoiled_json
from tests.fuzzing.unsound import Unsound

REFUSED = (400, 404, 405, 413, 415, 422)
KINDS = [
    "application/json",
    "application/json; charset=utf-8",
    "text/plain",
    "",
    "\xff",
]
TEXTS = [b'"\\ud800"', b'"\\u0000"', b"1e999", b"-0", b"9" * 5000, b"null", b"NaN",
         b'"' + b"x" * 30_000 + b'"', b"[" * 3000, b"true", b"1.5"]  # fmt: skip
LENGTHS = ["0", "7", "-1", "1e3", "99999999", "²", ""]


class Requests:
    """Rows of numbers and text in JSON, as the service of a stored model takes them."""

    def __init__(self, graph, row):
        self.app = make_app(graph, most_bytes=100_000, most_rows=50)
        rows = [row, list(row.values()), {**row, "more": [1, {"a": None}]}]
        self.good = {
            "/predict": json.dumps({"row": row}).encode(),
            "/predict/batch": json.dumps({"rows": rows * 10}).encode(),
        }
        for path, body in self.good.items():
            status, _ = asked(self.app, path, body)  # imports what is imported late
            if status != 200:
                raise RuntimeError("the service must answer what is not spoiled")

    def spoil(self, rng):
        self.path = list(self.good)[rng.integers(2)]
        change = [spoiled_bytes, spoiled_json, spoiled_json, _odd_text][rng.integers(4)]
        self.body = change(self.good[self.path], rng)
        self.headers = {"content-type": KINDS[0]}
        if rng.random() < 0.1:
            self.headers["content-type"] = KINDS[rng.integers(len(KINDS))]
        if rng.random() < 0.1:
            self.headers["content-length"] = LENGTHS[rng.integers(len(LENGTHS))]

    def use(self):
        status, answer = asked(self.app, self.path, self.body, self.headers)
        if status in REFUSED:
            raise ValueError(answer["error"])
        if status != 200:
            raise RuntimeError(f"status {status}")
        for row in answer.get("answers", [answer]):
            _check(row)


def _check(row):
    words = ("label", "probabilities", "reason_column")
    numbers = [value for name, value in row.items() if name not in words]
    if any(value is None or not np.isfinite(value) for value in numbers):
        raise Unsound(f"an answer is not finite: {row}")
    if not 0 <= row.get("doubt", 0) <= 1 or type(row["flag"]) is not bool:
        raise Unsound(f"doubt is no share, or flag no flag: {row}")


def _odd_text(content, rng):
    """Return the body with a value replaced, as raw bytes of JSON."""
    value = TEXTS[rng.integers(len(TEXTS))]
    places = [k for k in range(len(content)) if content[k : k + 2] == b": "]
    place = places[rng.integers(len(places))] + 2
    ends = [k for k in range(place, len(content)) if content[k : k + 1] in b",}]"]
    return content[:place] + value + content[ends[0] :]


def asked(app, path, body, headers=None):
    """Return status and JSON; the body comes in pieces of 1,000 bytes."""
    pieces = [body[k : k + 1000] for k in range(0, len(body), 1000)] or [b""]
    headers = headers or {"content-type": KINDS[0]}
    sent = []

    async def receive():
        piece = pieces.pop(0)
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1",
        "method": "POST", "path": path, "raw_path": path.encode(),
        "query_string": b"", "root_path": "", "scheme": "http",
        "headers": [(k.encode(), v.encode("utf-8")) for k, v in headers.items()],
        "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 1), "state": {},
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], json.loads(content)


def of_arrays(work, model):
    """Return the requests for a model of plain numbers."""
    to_onnx(model, work / "array.onnx")
    graph = load_graph(work / "array.onnx")
    return Requests(graph, {one.name: 0.5 for one in graph.inputs})


def of_tables(work, table):
    """Return the requests for the model of a table, with words in it."""
    to_onnx(table.stored.model, work / "table.onnx", encoding=table.encoding)
    row = {"size": 0.1, "income": 5000, "colour": "red", "new": True}
    return Requests(load_graph(work / "table.onnx"), row)
