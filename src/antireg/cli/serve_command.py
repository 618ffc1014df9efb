"""The command that answers requests; it never imports PyTorch."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn

from antireg.disk.scratch import scratch
from antireg.serving.app import make_app
from antireg.serving.graph import ServedGraph, load_graph

WAITING = 5
"""Seconds that an idle connection stays open."""

MOST_CONNECTIONS = 256


def serve(args: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    """Answer requests until interrupted."""
    graph = open_graph(args.model)
    app = make_app(graph, most_bytes=args.most_bytes, most_rows=args.most_rows)
    config = uvicorn.Config(
        app,
        host=args.host,
        port=args.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=WAITING,
    )
    say(f"Answers at http://{args.host}:{args.port}, as /openapi.json describes.")
    uvicorn.Server(config).run()
    return {"served": str(args.model)}


def open_graph(path: Path) -> ServedGraph:
    """Return the graph of an ONNX file, or of the folder of a model.

    A folder is exported by another process, which needs PyTorch for some seconds; this
    one does not.
    """
    if not path.is_dir():
        return load_graph(path)
    with scratch() as folder:
        file = folder / "model.onnx"
        command = [sys.executable, "-m", "antireg.cli", "export", str(path)]
        done = subprocess.run(
            [*command, "--onnx", str(file), "--quiet"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said = done.stderr.strip().removeprefix("Error: ")
            raise ValueError(said or f"{str(path)!r} must be a model that exports.")
        return load_graph(file)
