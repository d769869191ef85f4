"""The server: one process that holds a workspace, for many people and programs.

Every tool of the assistants' toolbox is a typed call, `POST /api/tools/NAME`; what may take long is
a job, with progress as server-sent events. The same tools are at `/mcp` by the Model Context
Protocol, and the web page at `/`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import anyio.to_thread
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from workbench import __version__
from workbench.database.storage_faults import storage_fault
from workbench.errors import InputError, UsageError, WorkbenchError
from workbench.service.access import ROLES, Audit, Tokens, signed
from workbench.service.answers import CANCELLED
from workbench.service.assistants import assistants_server
from workbench.service.calls import ToolCall, calls_of, openapi
from workbench.service.folders import FORMS, may_be_uploaded
from workbench.service.held import ServedWorkspace, holding
from workbench.service.jobs import Job, Jobs
from workbench.service.page import Page
from workbench.service.requests import (
    Guarded,
    RefusedRequest,
    body_of,
    failed,
    handled,
    not_there,
    patience,
    refused,
)
from workbench.service.toolbox import Toolbox
from workbench.service.work import ToolWork

MOST_UPLOAD = 200 * 2**20
MOST_BODY = 4 * 2**20
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]
LOCAL = ["localhost", "127.0.0.1", "[::1]"]


@dataclass(frozen=True)
class _Service:
    """The handlers of the server's addresses."""

    toolbox: Toolbox
    tokens: Tokens
    audit: Audit
    jobs: Jobs
    work: ToolWork
    uploads: Path
    calls: Mapping[str, ToolCall]

    async def health(self, request: Request) -> Response:
        waiting = sum(not job.ended for job in self.jobs.all())
        record = {"status": "ok", "version": __version__, "jobs": waiting}
        return JSONResponse(record | ({"audit": self.audit.fault} if self.audit.fault else {}))

    async def openapi(self, request: Request) -> Response:
        return JSONResponse(openapi(self.calls))

    async def tool(self, request: Request) -> Response:
        """One call: at once where it only reads, else as a job that is waited for a while."""
        name = request.path_params["name"]
        call = self.calls.get(name)
        if call is None:
            return refused(
                404,
                UsageError.of("E0873", f"there is no tool {name[:100]}", help="see /openapi.json"),
            )
        who = self._who(request, call.role)
        if "application/json" not in request.headers.get("content-type", ""):
            return refused(
                415,
                UsageError.of(
                    "E0873",
                    "arguments are sent as application/json",
                    help="send the header Content-Type: application/json",
                ),
            )
        try:
            sent = call.read(await body_of(request, MOST_BODY) or b"{}")
        except UsageError as error:
            return refused(422, error)
        arguments = signed(sent, sent, self.tokens.holder(request.headers.get("authorization")))
        seconds = patience(request)
        if call.quick:
            answer = await anyio.to_thread.run_sync(lambda: self.work.read(call, arguments))
            self.audit.note(who, name, bool(answer["ok"]))
            return JSONResponse(answer, 200 if answer["ok"] else 400)
        job = self.jobs.submit(
            name, who, lambda progress: self.work.done(who, call, arguments, progress)
        )
        await anyio.to_thread.run_sync(lambda: self._wait(job, seconds), abandon_on_cancel=True)
        if not job.ended:
            return JSONResponse(job.as_record(), 202)
        answer = dict(job.answer or CANCELLED)
        return JSONResponse(answer, 200 if answer["ok"] else 400)

    async def list_jobs(self, request: Request) -> Response:
        self._who(request, "read")
        return JSONResponse(
            {"jobs": [job.as_record() | {"answer": None} for job in self.jobs.all()]}
        )

    async def job(self, request: Request) -> Response:
        self._who(request, "read")
        return JSONResponse(self.jobs.get(request.path_params["number"]).as_record())

    async def cancel(self, request: Request) -> Response:
        who = self._who(request, "label")
        job = self.jobs.get(request.path_params["number"])
        if job.owner != who:
            self._who(request, "model")
        self.jobs.cancel(job)
        self.audit.note(who, f"cancel job {job.id}", True)
        return JSONResponse(job.as_record())

    async def events(self, request: Request) -> Response:
        """A job's progress as server-sent events, until it has ended."""
        self._who(request, "read")
        job = self.jobs.get(request.path_params["number"])

        async def stream() -> AsyncIterator[str]:
            seen = -1
            while True:
                version, record = job.version, job.as_record()
                if version != seen:
                    yield f"event: {job.status}\ndata: {json.dumps(record)}\n\n"
                if record["status"] in ("done", "failed", "cancelled"):
                    return
                seen = version
                watch = partial(self.jobs.wait, job, version, 10.0)
                changed = await anyio.to_thread.run_sync(watch, abandon_on_cancel=True)
                if not changed:
                    yield ": still at it\n\n"

        return StreamingResponse(
            stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )

    async def upload(self, request: Request) -> Response:
        """Put a file into the server's folder of uploads, to be loaded by its name."""
        who, name = self._who(request, "model"), request.path_params["name"]
        if not may_be_uploaded(name):
            return refused(
                400,
                UsageError.of(
                    "E0860",
                    f"{name[:100]} is no name for a file of facts",
                    help=f"it ends in {', '.join(FORMS[:7])}",
                ),
            )
        content = await body_of(request, MOST_UPLOAD)
        whole, part = (
            anyio.Path(self.uploads / name),
            anyio.Path(self.uploads / f".{name}.{secrets.token_hex(8)}"),
        )
        try:
            await part.write_bytes(content)
            await part.replace(whole)
        except OSError as error:
            await part.unlink(missing_ok=True)
            raise storage_fault(error) or InputError.of(
                "E0802", f"{name} cannot be kept: {error.strerror}"
            ) from None
        self.audit.note(who, f"upload {name}", True)
        return JSONResponse({"ok": True, "file": name, "bytes": len(content)}, 201)

    async def workspace(self, request: Request) -> Response:
        """A copy of what is committed, as a workspace file."""
        who = self._who(request, "read")
        folder = TemporaryDirectory(prefix="workbench-copy-")
        path = Path(folder.name, "copy.duckdb")
        try:
            await anyio.to_thread.run_sync(self.toolbox.workspace.save_as, path)
        except BaseException:
            folder.cleanup()
            raise
        self.audit.note(who, "copy the workspace", True)
        return FileResponse(
            path, media_type="application/octet-stream", background=BackgroundTask(folder.cleanup)
        )

    async def take_runs(self, request: Request) -> Response:
        """Take over the runs of a workspace file that was made from a copy."""
        who = self._who(request, "model")
        content = await body_of(request, MOST_UPLOAD)
        job = self.jobs.submit("runs", who, partial(self.work.received, content))
        await anyio.to_thread.run_sync(
            lambda: self._wait(job, float("inf")), abandon_on_cancel=True
        )
        answer = dict(job.answer or CANCELLED)
        self.audit.note(who, f"hand back {len(answer.get('runs', ()))} runs", bool(answer["ok"]))
        return JSONResponse(answer, 200 if answer["ok"] else 400)

    async def audited(self, request: Request) -> Response:
        self._who(request, "admin")
        return JSONResponse({"calls": list(self.audit.last)[-200:]})

    def _wait(self, job: Job, seconds: float) -> None:
        deadline = monotonic() + seconds
        while not job.ended and monotonic() < deadline:
            self.jobs.wait(job, job.version, min(1.0, max(0.0, deadline - monotonic())))

    def _who(self, request: Request, needed: str) -> str:
        """Whose call it is, where their role allows it."""
        role = self.tokens.role(request.headers.get("authorization"))
        if role is None:
            sent = "authorization" in request.headers
            error = UsageError.of(
                "E0874",
                "this server knows no such token" if sent else "this server asks for a token",
                help="the command line reads it from WORKBENCH_TOKEN, Python takes "
                "connect(..., token=...), other programs send Authorization: Bearer TOKEN",
            )
            raise RefusedRequest(401, error)
        if ROLES.index(role) < ROLES.index(needed):
            raise RefusedRequest(
                403,
                UsageError.of(
                    "E0874",
                    f"the role {role} may not do this; it takes the role {needed}",
                    help=f"who runs the server gives tokens: --token {needed}:SECRET",
                ),
            )
        client = request.client.host if request.client else "?"
        return f"{self.tokens.who(request.headers.get('authorization'))}@{client}"


def application(
    toolbox: Toolbox, *, tokens: Tokens, audit: Audit, jobs: Jobs, memory: int, uploads: Path
) -> Starlette:
    """The server as an ASGI application over a toolbox; a job's process may use so many bytes of
    memory.

    Without tokens it answers only callers that ask for this machine by its own name, so that no
    page of another site reaches it through a browser.
    """
    service = _Service(
        toolbox, tokens, audit, jobs, ToolWork(toolbox, audit, memory), uploads, calls_of(toolbox)
    )
    held = ServedWorkspace(toolbox.workspace, jobs, memory, tokens, audit, toolbox.folders)
    assistants = assistants_server(toolbox)
    door = assistants.streamable_http_app(host="127.0.0.1" if not tokens.roles else "0.0.0.0")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with assistants.session_manager.run():
            with holding(held):
                try:
                    yield
                finally:
                    await anyio.to_thread.run_sync(jobs.close)

    return Starlette(
        routes=[
            Route("/health", service.health),
            Route("/openapi.json", service.openapi),
            Route("/api/tools/{name}", service.tool, methods=["POST"]),
            Route("/api/jobs", service.list_jobs),
            Route("/api/jobs/{number:int}", service.job, methods=["GET"]),
            Route("/api/jobs/{number:int}", service.cancel, methods=["DELETE"]),
            Route("/api/jobs/{number:int}/events", service.events),
            Route("/api/files/{name}", service.upload, methods=["PUT"]),
            Route("/api/workspace", service.workspace),
            Route("/api/runs", service.take_runs, methods=["POST"]),
            Route("/api/audit", service.audited),
            *(
                Route(f"/{room}/{{rest:path}}", not_there, methods=METHODS)
                for room in ("api", "mcp")
            ),
            Route("/mcp", Guarded(door, tokens)),
            Mount("/", Page(held)),
        ],
        middleware=[]
        if tokens.roles
        else [Middleware(TrustedHostMiddleware, allowed_hosts=[*LOCAL, "testserver"])],
        exception_handlers={RefusedRequest: handled, WorkbenchError: handled, Exception: failed},
        lifespan=lifespan,
    )
