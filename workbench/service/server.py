"""The server: one process that holds a workspace, for many people and programs.

Every tool of the assistants' toolbox is a typed call, `POST /api/tools/NAME`; what may take long is a job, with
progress as server-sent events. The same tools are at `/mcp` by the Model Context Protocol.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import anyio.to_thread
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from workbench import __version__
from workbench.database.storage_faults import storage_fault
from workbench.errors import Cancelled, Diagnostic, InputError, UsageError, WorkbenchError
from workbench.progress import Progress
from workbench.service.access import ROLES, Audit, Tokens
from workbench.service.answers import CANCELLED, call_tool, refusal, renumbered
from workbench.service.apart import answered_apart, why_it_failed
from workbench.service.assistants import assistants_server
from workbench.service.calls import Call, calls_of, openapi
from workbench.service.folders import FORMS
from workbench.service.jobs import Job, Jobs
from workbench.service.toolbox import Toolbox

__all__ = ["application"]

MOST_UPLOAD = 200 * 2**20
MOST_BODY = 4 * 2**20
PATIENCE = 30.0
"""Seconds that a call waits for its job before it answers with the job's id."""
LOCAL = ["localhost", "127.0.0.1", "[::1]"]


@dataclass(frozen=True)
class _Service:
    """The handlers of the server's addresses."""

    toolbox: Toolbox
    tokens: Tokens
    audit: Audit
    jobs: Jobs
    memory: int
    uploads: Path
    calls: Mapping[str, Call]

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
            return _refused(404, UsageError.of("E0873", f"there is no tool {name[:100]}", help="see /openapi.json"))
        who = self._who(request, call.role)
        if "application/json" not in request.headers.get("content-type", ""):
            return _refused(415, UsageError.of("E0873", "arguments are sent as application/json"))
        try:
            arguments = call.read(await _body(request, MOST_BODY) or b"{}")
        except ValidationError as error:
            return _refused(422, _wrong_arguments(error))
        patience = _patience(request)
        if call.quick:
            answer = await anyio.to_thread.run_sync(lambda: self._read(call, arguments))
            self.audit.note(who, name, bool(answer["ok"]))
            return JSONResponse(answer, 200 if answer["ok"] else 400)
        job = self.jobs.submit(name, who, lambda progress: self._job(who, call, arguments, progress))
        await anyio.to_thread.run_sync(lambda: self._wait(job, patience), abandon_on_cancel=True)
        if not job.ended:
            return JSONResponse(job.as_record(), 202)
        answer = dict(job.answer or CANCELLED)
        return JSONResponse(answer, 200 if answer["ok"] else 400)

    async def list_jobs(self, request: Request) -> Response:
        self._who(request, "read")
        return JSONResponse({"jobs": [job.as_record() | {"answer": None} for job in self.jobs.all()]})

    async def job(self, request: Request) -> Response:
        self._who(request, "read")
        return JSONResponse(self.jobs.get(request.path_params["number"]).as_record())

    async def cancel(self, request: Request) -> Response:
        who = self._who(request, "label")
        job = self.jobs.get(request.path_params["number"])
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

        return StreamingResponse(stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    async def upload(self, request: Request) -> Response:
        """Put a file into the server's folder of uploads, to be loaded by its name."""
        who, name = self._who(request, "model"), request.path_params["name"]
        if Path(name).name != name or name.startswith(".") or not name.casefold().endswith(FORMS):
            return _refused(400, UsageError.of("E0860", f"{name[:100]} is no name for a file of facts"))
        content = await _body(request, MOST_UPLOAD)
        whole, part = anyio.Path(self.uploads / name), anyio.Path(self.uploads / f".{name}.{secrets.token_hex(8)}")
        try:
            await part.write_bytes(content)
            await part.replace(whole)
        except OSError as error:
            await part.unlink(missing_ok=True)
            raise storage_fault(error) or InputError.of("E0802", f"{name} cannot be kept: {error.strerror}") from None
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
        return FileResponse(path, media_type="application/octet-stream", background=BackgroundTask(folder.cleanup))

    async def take_runs(self, request: Request) -> Response:
        """Take over the runs of a workspace file that was made from a copy."""
        who = self._who(request, "model")
        content = await _body(request, MOST_UPLOAD)
        job = self.jobs.submit("runs", who, partial(self._received, content))
        await anyio.to_thread.run_sync(lambda: self._wait(job, float("inf")), abandon_on_cancel=True)
        answer = dict(job.answer or CANCELLED)
        self.audit.note(who, f"hand back {len(answer.get('runs', ()))} runs", bool(answer["ok"]))
        return JSONResponse(answer, 200 if answer["ok"] else 400)

    async def audited(self, request: Request) -> Response:
        self._who(request, "admin")
        return JSONResponse({"calls": list(self.audit.last)[-200:]})

    def _read(self, call: Call, arguments: dict[str, Any]) -> dict[str, Any]:
        """An answer from what is committed: it waits for no writer."""
        with self.toolbox.workspace.beside() as now:
            return call_tool(getattr(replace(self.toolbox, workspace=now), call.name), arguments)

    def _job(self, who: str, call: Call, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
        """One job's answer: a writer's in its turn, all others' from a process of their own."""
        work = self._written if call.writing else self._apart
        answer = call_tool(work, {"tool": call.name, "arguments": arguments, "progress": progress})
        self.audit.note(who, call.name, bool(answer["ok"]))
        return answer

    def _written(self, tool: str, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
        while not self.toolbox.lock.acquire(timeout=0.1):
            progress.step("waiting for its turn to write", 0)
        try:
            with self.toolbox.workspace.heeding(progress):
                answer: dict[str, Any] = getattr(replace(self.toolbox, progress=lambda: progress), tool)(**arguments)
            return answer
        finally:
            self.toolbox.lock.release()

    def _apart(self, tool: str, arguments: dict[str, Any], progress: Progress) -> dict[str, Any]:
        request = {"tool": tool, "arguments": arguments, "folders": self.toolbox.folders}
        return renumbered(*self._in_a_process("perform", request, progress))

    def _received(self, content: bytes, progress: Progress) -> dict[str, Any]:
        """The runs of a file that a caller made: opened in a process of its own, and taken from what that one wrote."""

        def taken() -> dict[str, Any]:
            with TemporaryDirectory(prefix="workbench-copy-") as folder:
                path = Path(folder, "runs.duckdb")
                path.write_bytes(content)
                answer, numbers = self._in_a_process("receive", path, progress)
            here = {one: numbers[other] for one, other in answer.get("runs", {}).items()}
            told = json.dumps(answer | {"runs": here}).replace(str(path), "the file that was sent")
            return dict(json.loads(told))

        return call_tool(taken, {})

    def _in_a_process(self, name: str, request: Any, progress: Progress) -> tuple[dict[str, Any], dict[int, int]]:
        """What a function of the toolbox says of a copy of the workspace, and the numbers of the runs that it left."""
        function = f"workbench.service.toolbox:{name}"
        ending, numbers = answered_apart(self.toolbox.workspace, function, request, progress, self.memory)
        if ending.kind == "done":
            return ending.content, numbers
        if progress.cancelled:
            raise Cancelled(name)
        raise why_it_failed(ending, self.memory)

    def _wait(self, job: Job, seconds: float) -> None:
        deadline = monotonic() + seconds
        while not job.ended and monotonic() < deadline:
            self.jobs.wait(job, job.version, min(1.0, max(0.0, deadline - monotonic())))

    def _who(self, request: Request, needed: str) -> str:
        """Whose call it is, where their role allows it."""
        role = self.tokens.role(request.headers.get("authorization"))
        if role is None:
            error = UsageError.of("E0874", "this server asks for a token", help="send Authorization: Bearer TOKEN")
            raise _Refused(401, error)
        if ROLES.index(role) < ROLES.index(needed):
            raise _Refused(403, UsageError.of("E0874", f"the role {role} may not do this; it takes the role {needed}"))
        client = request.client.host if request.client else "?"
        return f"{role}@{client}"


class _Refused(Exception):
    def __init__(self, status: int, error: WorkbenchError) -> None:
        self.status, self.error = status, error


def application(toolbox: Toolbox, *, tokens: Tokens, audit: Audit, jobs: Jobs, memory: int, uploads: Path) -> Starlette:
    """The server as an ASGI application over a toolbox; a job's process may use so many bytes of memory.

    Without tokens it answers only callers that ask for this machine by its own name, so that no page of another site
    reaches it through a browser.
    """
    service = _Service(toolbox, tokens, audit, jobs, memory, uploads, calls_of(toolbox))
    assistants = assistants_server(toolbox)
    door = assistants.streamable_http_app(host="127.0.0.1" if not tokens.roles else "0.0.0.0")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with assistants.session_manager.run():
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
            Mount("/", _Guarded(door, tokens)),
        ],
        middleware=[] if tokens.roles else [Middleware(TrustedHostMiddleware, allowed_hosts=[*LOCAL, "testserver"])],
        exception_handlers={_Refused: _handled, WorkbenchError: _handled, Exception: _failed},
        lifespan=lifespan,
    )


@dataclass(frozen=True)
class _Guarded:
    """The assistants' door behind an administrator's or a model builder's token."""

    app: ASGIApp
    tokens: Tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            role = self.tokens.role(Request(scope).headers.get("authorization"))
            if role not in ("model", "admin"):
                error = UsageError.of("E0874", "the assistants' door asks for a token of the role model or admin")
                await _refused(401 if role is None else 403, error)(scope, receive, send)
                return
        await self.app(scope, receive, send)


async def _handled(request: Request, error: Exception) -> Response:
    if isinstance(error, _Refused):
        return _refused(error.status, error.error)
    assert isinstance(error, WorkbenchError)
    code = error.diagnostics[0].code
    return _refused({"E0871": 429, "E0872": 404, "E0875": 413, "E0221": 507}.get(code, 400), error)


async def _failed(request: Request, error: Exception) -> Response:
    told = storage_fault(error) or UsageError.of("E0864", "the workbench failed at this call")
    return _refused(507 if told.diagnostics[0].code == "E0221" else 500, told)


def _refused(status: int, error: WorkbenchError) -> JSONResponse:
    return JSONResponse(refusal(error), status)


def _wrong_arguments(error: ValidationError) -> WorkbenchError:
    """What is wrong with the arguments, without what was sent."""
    told = [f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in error.errors()[:10]]
    return UsageError(tuple(Diagnostic("E0873", one, help="see /openapi.json") for one in told))


def _patience(request: Request) -> float:
    """Seconds that the caller waits, at most PATIENCE (E0873 for what is no number)."""
    given = request.query_params.get("wait", "")
    with suppress(ValueError):
        if (seconds := float(given or PATIENCE)) >= 0:
            return min(PATIENCE, seconds)
    raise UsageError.of("E0873", f"wait: {given[:20]} is no number of seconds", help="such as ?wait=5")


async def _body(request: Request, most: int) -> bytes:
    """The body, of at most so many bytes (E0875)."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise UsageError.of("E0875", f"a body of more than {most // 2**20} MiB is not taken")
    return bytes(content)
