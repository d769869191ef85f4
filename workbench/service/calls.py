"""The typed calls of a server, from the toolbox's signatures: arguments checked, and their OpenAPI description."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from workbench import __version__
from workbench.service.toolbox import TOOLS, Toolbox

__all__ = ["ROLES", "Call", "calls_of", "openapi"]

ROLES = ("read", "label", "model", "admin")
"""Each may do what those before it may."""
_NEEDED = {
    **dict.fromkeys(("schema", "check", "preview", "explain", "compare", "query", "runs", "profile"), "read"),
    **dict.fromkeys(("update", "what_if"), "label"),
    "delete_run": "admin",
}
_QUICK = frozenset(("schema", "check", "compare", "query", "runs"))
"""They only read, and answer beside a job that writes."""
_WRITING = frozenset(("load", "update", "delete_run"))
"""They change the workspace itself, one at a time; all others work on a copy, in a process of their own."""


@dataclass(frozen=True)
class Call:
    """One tool as a call.

    Attributes
    ----------
    name, about : str
    role : str
        Who may make it.
    quick, writing : bool
        It is no job; it is one that changes the workspace itself.
    arguments : type
        Their model.
    """

    name: str
    about: str
    role: str
    quick: bool
    writing: bool
    arguments: type[BaseModel]

    def read(self, body: bytes) -> dict[str, Any]:
        """Arguments from JSON; pydantic's ValidationError says what is wrong with them."""
        model = self.arguments.model_validate_json(body)
        return {name: getattr(model, name) for name in type(model).model_fields}


def calls_of(toolbox: Toolbox) -> dict[str, Call]:
    """The toolbox's tools by name."""
    found = {}
    for name in TOOLS:
        function = getattr(toolbox, name)
        fields: dict[str, Any] = {
            one.name: (one.annotation, ... if one.default is inspect.Parameter.empty else one.default)
            for one in inspect.signature(function, eval_str=True).parameters.values()
        }
        arguments = create_model(f"{name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
        about = inspect.getdoc(function) or ""
        found[name] = Call(name, about, _NEEDED.get(name, "model"), name in _QUICK, name in _WRITING, arguments)
    return found


def openapi(calls: Mapping[str, Call]) -> dict[str, Any]:
    """The server's OpenAPI 3.1 description."""
    answer = {"description": "The answer", "content": {"application/json": {"schema": {"type": "object"}}}}
    refused = {"description": "Refused: diagnostics with code, line and column", "content": answer["content"]}
    waiting = {"description": "A job that takes longer; follow it at /api/jobs/{number}", "content": answer["content"]}
    paths: dict[str, Any] = {
        "/health": {"get": _operation("Whether the server is up", {"200": answer})},
        "/api/jobs": {"get": _operation("The jobs, newest first", {"200": answer})},
        "/api/jobs/{number}": {
            "parameters": [{"name": "number", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": _operation("A job with its answer", {"200": answer, "404": refused}),
            "delete": _operation("Cancel a job", {"200": answer, "404": refused}),
        },
        "/api/jobs/{number}/events": {
            "parameters": [{"name": "number", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": _operation("Progress as server-sent events", {"200": {"description": "text/event-stream"}}),
        },
        "/api/files/{name}": {
            "parameters": [{"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}],
            "put": _operation("Upload a file of facts or a table", {"201": answer, "413": refused}),
        },
        "/api/workspace": {"get": _operation("A copy of the workspace, as a file", {"200": answer})},
        "/api/runs": {"post": _operation("Take over a copy's runs (role: model)", {"200": answer, "413": refused})},
        "/api/audit": {"get": _operation("Who did what, for administrators", {"200": answer})},
    }
    for call in calls.values():
        body = {"required": True, "content": {"application/json": {"schema": call.arguments.model_json_schema()}}}
        answers = {"200": answer, "400": refused, "422": refused, **({} if call.quick else {"202": waiting})}
        operation = _operation(f"{call.about} (role: {call.role})", answers)
        paths[f"/api/tools/{call.name}"] = {"post": {"operationId": call.name, "requestBody": body, **operation}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Relational workbench", "version": __version__},
        "paths": paths,
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}, {}],
    }


def _operation(summary: str, responses: Mapping[str, Any]) -> dict[str, Any]:
    return {"summary": " ".join(summary.split()), "responses": dict(responses)}
