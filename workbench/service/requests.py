"""What a server takes of a request, and how it refuses one."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench.database.storage_faults import storage_fault
from workbench.errors import UsageError, WorkbenchError
from workbench.service.access import Tokens, holder_of_session
from workbench.service.answers import refusal

PATIENCE = 30.0
"""Seconds that a call waits for its job before it answers with the job's id."""


class RefusedRequest(Exception):
    """A refusal with its status."""

    def __init__(self, status: int, error: WorkbenchError) -> None:
        self.status, self.error = status, error


@dataclass(frozen=True)
class Guarded:
    """The assistants' door behind an administrator's or a model builder's token."""

    app: ASGIApp
    tokens: Tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            header = Request(scope).headers.get("authorization")
            role = self.tokens.role(header)
            if role not in ("model", "admin"):
                error = UsageError.of(
                    "E0874", "the assistants' door asks for a token of the role model or admin"
                )
                await refused(401 if role is None else 403, error)(scope, receive, send)
                return
            holder_of_session.set(self.tokens.holder(header))
        await self.app(scope, receive, send)


async def handled(request: Request, error: Exception) -> Response:
    """A refusal as it is sent."""
    if isinstance(error, RefusedRequest):
        return refused(error.status, error.error)
    assert isinstance(error, WorkbenchError)
    code = error.diagnostics[0].code
    return refused({"E0871": 429, "E0872": 404, "E0875": 413, "E0221": 507}.get(code, 400), error)


async def not_there(request: Request) -> Response:
    """A refusal of an address, or of a way to ask it, that the server does not have."""
    what = f"there is no {request.method} {request.url.path[:100]}"
    return refused(404, UsageError.of("E0873", what, help="see /openapi.json for what there is"))


async def failed(request: Request, error: Exception) -> Response:
    """A fault of the workbench, or of its disk, as it is sent."""
    told = storage_fault(error) or UsageError.of("E0864", "the workbench failed at this call")
    return refused(507 if told.diagnostics[0].code == "E0221" else 500, told)


def refused(status: int, error: WorkbenchError) -> JSONResponse:
    """What is wrong, under a status."""
    return JSONResponse(refusal(error), status)


def patience(request: Request) -> float:
    """Seconds that the caller waits, at most PATIENCE (E0873 for what is no number)."""
    given = request.query_params.get("wait", "")
    with suppress(ValueError):
        if (seconds := float(given or PATIENCE)) >= 0:
            return min(PATIENCE, seconds)
    raise UsageError.of(
        "E0873", f"wait: {given[:20]} is no number of seconds", help="such as ?wait=5"
    )


async def body_of(request: Request, most: int) -> bytes:
    """The body, of at most so many bytes (E0875): one that says it is longer is not waited for."""
    size = f"{most // 2**20} MiB" if most >= 2**20 else f"{most} bytes"
    refusal = UsageError.of(
        "E0875", f"a body of more than {size} is not taken", help="send it in parts"
    )
    declared, content = request.headers.get("content-length", ""), bytearray()
    if declared.isdecimal() and int(declared) > most:
        raise refusal
    try:
        async for chunk in request.stream():
            content += chunk
            if len(content) > most:
                raise refusal
    except ClientDisconnect:
        raise UsageError.of("E0873", "the caller went away before all was sent") from None
    return bytes(content)
