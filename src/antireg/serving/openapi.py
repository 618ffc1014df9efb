"""The service's description of itself, by the columns of its graph (OpenAPI 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from antireg.serving.graph import Input, ServedGraph
from antireg.version import __version__

MEANINGS = {
    "mean": "Expected value of the target.",
    "std": "Standard deviation.",
    "low": "Lower end of the interval.",
    "high": "Upper end of the interval.",
    "label": "The most probable class.",
    "probabilities": "Of each class.",
    "ood_score": "How unfamiliar the row is; higher is less familiar.",
    "flag": "Whether the row is unlike the training data.",
    "reason_column": "The column that tells most of a flagged row.",
    "doubt": "How much of the answer is 'I do not know', from 0 to 1.",
}
TYPES: dict[str, Any] = {
    "flag": "boolean",
    "reason_column": ["string", "null"],
    "label": ["string", "number", "boolean"],
}
ERRORS = {
    "400": "The body is not JSON.",
    "413": "The body or the number of rows is too large.",
    "415": "The body is not application/json.",
    "422": "A row lacks a column, or has a value of another kind.",
}


def openapi(graph: ServedGraph, most_rows: int) -> dict[str, Any]:
    """Return the description."""
    row, answer = _row(graph), _answer(graph)
    schemas = {"Row": row, "Answer": answer, "Error": _object({"error": _text()})}
    one = _call("Answer one row.", {"row": _of("Row")}, _of("Answer"))
    rows = {"type": "array", "items": _of("Row"), "minItems": 1, "maxItems": most_rows}
    answers = _object({"answers": {"type": "array", "items": _of("Answer")}})
    many = _call("Answer many rows, in their order.", {"rows": rows}, answers)
    health = _object({"status": _text(), "antireg": _text(), "columns": _text_list()})
    paths: dict[str, Any] = {
        "/predict": {"post": one},
        "/predict/batch": {"post": many},
        "/health": {
            "get": {"summary": "Whether it answers.", "responses": _ok(health)}
        },
    }
    about = {"title": "antireg", "version": __version__}
    return {
        "openapi": "3.1.0",
        "info": about,
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _row(graph: ServedGraph) -> dict[str, Any]:
    """Return what a row is: every column, null where its value is not known."""
    kinds = {
        one.name: {"type": [_json_type(one), *["null"] * one.has_gaps]}
        for one in graph.inputs
    }
    return _object(kinds)


def _json_type(one: Input) -> str:
    return "string" if one.is_text or one.is_date else "number"


def _answer(graph: ServedGraph) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name in graph.outputs:
        values[name] = {"type": TYPES.get(name, ["number", "null"])}
        if name == "probabilities":
            shares = {str(label): {"type": "number"} for label in graph.classes}
            values[name] = _object(shares) if shares else {"type": "array"}
        values[name]["description"] = MEANINGS.get(name, name)
    return _object(values)


def _call(words: str, wanted: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": _object(wanted)}}
    errors = {
        status: {
            "description": meaning,
            "content": {"application/json": {"schema": _of("Error")}},
        }
        for status, meaning in ERRORS.items()
    }
    return {
        "summary": words,
        "requestBody": {"required": True, "content": content},
        "responses": _ok(answer) | errors,
    }


def _ok(schema: dict[str, Any]) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    return {"200": {"description": "Done.", "content": content}}


def _object(fields: dict[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(required) or list(fields),
    }


def _of(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def _text() -> dict[str, Any]:
    return {"type": "string"}


def _text_list() -> dict[str, Any]:
    return {"type": "array", "items": _text()}
