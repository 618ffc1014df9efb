"""The service: one process that answers rows in JSON (needs the extra `serve`)."""

from __future__ import annotations

import json
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from antireg.serving.graph import ServedGraph
from antireg.serving.openapi import openapi
from antireg.serving.rows import Refused, columns_of, many_rows, one_row, parsed
from antireg.version import __version__

MOST_BYTES = 2**20
MOST_ROWS = 1000
FEW = 16
"""Rows that are answered at once; more go to a thread, so that others need not wait."""


def make_app(
    graph: ServedGraph, *, most_bytes: int = MOST_BYTES, most_rows: int = MOST_ROWS
) -> Starlette:
    """Return the service as an ASGI application.

    Args:
        graph: The model.
        most_bytes: Largest body of a request.
        most_rows: Most rows of a request.
    """
    described = json.dumps(openapi(graph, most_rows)).encode()
    columns = [one.name for one in graph.inputs]

    async def answered(request: Request, many: bool) -> list[dict[str, Any]]:
        found = parsed(await _body(request, most_bytes))
        rows = many_rows(found, most_rows) if many else one_row(found)

        def work() -> list[dict[str, Any]]:
            return graph.answers(columns_of(rows, graph.inputs))

        return work() if len(rows) <= FEW else await to_thread.run_sync(work)

    async def predict(request: Request) -> Response:
        return JSONResponse((await answered(request, many=False))[0])

    async def predict_batch(request: Request) -> Response:
        return JSONResponse({"answers": await answered(request, many=True)})

    async def health(request: Request) -> Response:
        known = {"status": "ok", "antireg": __version__, "columns": columns}
        return JSONResponse(known)

    async def description(request: Request) -> Response:
        return Response(described, media_type="application/json")

    return Starlette(
        routes=[
            Route("/predict", predict, methods=["POST"]),
            Route("/predict/batch", predict_batch, methods=["POST"]),
            Route("/health", health),
            Route("/openapi.json", description),
        ],
        exception_handlers={Refused: _refused, HTTPException: _http_error},
    )


async def _body(request: Request, most: int) -> bytes:
    """Return the body of a request, without reading more than is allowed."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "The body must be application/json.")
    too_large = Refused(413, f"The body must have at most {most} bytes.")
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > most:
        raise too_large
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > most:
                raise too_large
    except ClientDisconnect:  # nobody hears it, and no traceback fills the log
        raise Refused(400, "The body must be sent as a whole.") from None
    return bytes(body)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return JSONResponse({"error": error.reason}, status_code=error.status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = "GET /openapi.json describes what there is."
    return JSONResponse(
        {"error": f"{error.detail}. {known}"},
        status_code=error.status_code,
        headers=error.headers,
    )
