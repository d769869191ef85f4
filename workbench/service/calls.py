"""The typed calls of a server, from the toolbox's signatures: checks and OpenAPI description."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from workbench import __version__
from workbench.service.answer_shapes import ANSWERS, described_shapes
from workbench.service.toolbox import TOOLS, Toolbox
from workbench.service.wrong_arguments import wrong_arguments

_NEEDED = {
    **dict.fromkeys(
        ("schema", "check", "preview", "explain", "compare", "query", "runs", "profile"), "read"
    ),
    **dict.fromkeys(("update", "what_if", "review", "answer", "undo_answer"), "label"),
    **dict.fromkeys(("review_pairs", "answer_pair"), "label"),
    "delete_run": "admin",
}
_QUICK = frozenset(("schema", "check", "compare", "query", "runs", "review_pairs"))
"""They only read, and answer beside a job that writes."""
_IN_PLACE = frozenset(
    "load update what_if link_more delete_run answer undo_answer answer_pair".split()
)
"""They change the workspace itself, or ask the answer that it holds, one at a time; all others work
on a copy, in a process of their own.
"""


@dataclass(frozen=True)
class ToolCall:
    """One tool as a call.

    Attributes
    ----------
    role : str
        Who may make it.
    quick, in_place : bool
        It is no job; it is one on the workspace itself.
    arguments : type
        Their model.
    """

    name: str
    about: str
    role: str
    quick: bool
    in_place: bool
    arguments: type[BaseModel]

    def read(self, body: bytes) -> dict[str, Any]:
        """Arguments from JSON.

        Raises E0873 for each that the tool does not have, lacks, or cannot read.
        """
        known = self.arguments.model_fields
        try:
            model = self.arguments.model_validate_json(body)
        except ValidationError as error:
            raise wrong_arguments(self.name, known, error) from None
        return {name: getattr(model, name) for name in type(model).model_fields}


def calls_of(toolbox: Toolbox) -> dict[str, ToolCall]:
    """The toolbox's tools by name."""
    found = {}
    for name in TOOLS:
        function = getattr(toolbox, name)
        fields: dict[str, Any] = {
            one.name: (
                one.annotation,
                ... if one.default is inspect.Parameter.empty else one.default,
            )
            for one in inspect.signature(function, eval_str=True).parameters.values()
        }
        arguments = create_model(
            f"{name}_arguments", __config__=ConfigDict(extra="forbid"), **fields
        )
        about = inspect.getdoc(function) or ""
        found[name] = ToolCall(
            name, about, _NEEDED.get(name, "model"), name in _QUICK, name in _IN_PLACE, arguments
        )
    return found


def openapi(calls: Mapping[str, ToolCall]) -> dict[str, Any]:
    """The server's OpenAPI 3.1 description: `openapi.json`, with the tools and all shapes."""
    described: dict[str, Any] = json.loads(
        (Path(__file__).parent / "openapi.json").read_text(encoding="utf-8")
    )
    described["info"]["version"] = __version__
    described["components"]["schemas"] = described_shapes()
    for call in calls.values():
        body = {
            "required": True,
            "content": {"application/json": {"schema": call.arguments.model_json_schema()}},
        }
        shape = {"$ref": f"#/components/schemas/{ANSWERS[call.name].__name__}"}
        ends: dict[str, Any] = {
            "200": {"description": "The answer", "content": {"application/json": {"schema": shape}}}
        }
        refused = {"400": "refused", "422": "refused"}
        for code, name in (refused if call.quick else refused | {"202": "waiting"}).items():
            ends[code] = {"$ref": f"#/components/responses/{name}"}
        described["paths"][f"/api/tools/{call.name}"] = {
            "post": {
                "operationId": call.name,
                "requestBody": body,
                "summary": f"{' '.join(call.about.split())} (role: {call.role})",
                "responses": ends,
            }
        }
    return described
