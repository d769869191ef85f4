"""The assistants' door: the toolbox as tools of MCP, with the language as resources."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import anyio.to_thread
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, CallToolResult, ErrorData, JSONRPCError, TextContent
from pydantic import ValidationError

from workbench import __version__
from workbench.progress import Progress
from workbench.service.access import holder_of_session, signed
from workbench.service.answers import CANCELLED, call_tool, refusal, rounded
from workbench.service.toolbox import TOOLS, Toolbox
from workbench.service.wrong_arguments import unknown_argument, wrong_arguments

MOST_SECONDS = 420.0
"""After so long a call is cancelled."""
LATE = 20.0
"""A call that names its seconds is cancelled when it has had twice these and so many more: they
bound the search, and files are read before."""
PATIENCE = 5.0
"""Seconds that a call has to hear of it, before its caller is told without it."""
BUSY: Mapping[str, Any] = {
    "ok": False,
    "diagnostics": [],
    "next": "the workspace is busy; try again",
}

_INSTRUCTIONS = (
    "Relational machine learning on tables: load facts, write or propose weighted rules, learn, "
    "predict, explain. Start with schema (it lists the files that may be loaded) or profile; read "
    "the resource workbench://language before writing rules. Every answer names the next sensible "
    "step."
)
_cancel: ContextVar[Event] = ContextVar("_cancel")


def current_progress() -> Progress:
    """The progress of the call under way, by which it is cancelled."""
    return Progress(cancel_event=_cancel.get(Event()))


def assistants_server(toolbox: Toolbox, *, seconds: float = MOST_SECONDS) -> MCPServer[Any]:
    """The tools over a workspace, one call at a time.

    `seconds`: after so long a call is cancelled.
    """
    server: MCPServer[Any] = _Exact(
        "workbench", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR", debug=False
    )
    for name in TOOLS:
        tool = getattr(toolbox, name)
        says = inspect.getdoc(tool)
        server.add_tool(_offered(tool, toolbox, seconds), name=name, description=says)

    @server.resource("workbench://language", mime_type="text/markdown")
    def language() -> str:
        """The rules language on one page."""
        return (Path(__file__).parent / "language.md").read_text(encoding="utf-8")

    return server


class _Exact(MCPServer[Any]):
    """Says which arguments do not fit; those that a tool does not have the server leaves out."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        known: list[str] = []
        if name in TOOLS:
            known = list(inspect.signature(getattr(Toolbox, name)).parameters)[1:]
            if unknown := [one for one in arguments if one not in known]:
                return _told(refusal(unknown_argument(name, known, unknown[0])))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                return _told(refusal(wrong_arguments(name, known, error.__cause__)))
            raise

    async def run_stdio_async(self) -> None:
        """Serve standard input and output; who sends what cannot be read is told so."""
        run, begin = self._lowlevel_server.run, self._lowlevel_server.create_initialization_options
        put, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def sort() -> None:
            async with put:
                async for one in read:
                    if not isinstance(one, Exception):
                        await put.send(one)
                    elif (line := _line(one)) is None or str(line).strip():
                        await write.send(SessionMessage(_unread(line)))

        async with stdio_server() as (read, write), anyio.create_task_group() as tasks:
            tasks.start_soon(sort)
            await run(messages, write, begin())


def _line(error: Exception) -> Any:
    """What was sent, where an error says it."""
    return error.errors()[0]["input"] if isinstance(error, ValidationError) else None


def _unread(line: Any) -> JSONRPCError:
    """The answer to a line that is no message, under the id it seems to have."""
    told = ErrorData(code=PARSE_ERROR, message="this line is no message of JSON-RPC")
    with suppress(ValueError, TypeError, LookupError, RecursionError):
        sent: Any = json.loads(line) if isinstance(line, str) else line
        named = JSONRPCError(jsonrpc="2.0", id=sent["id"], error=told)
        named.model_dump_json()  # which a lone surrogate refuses
        return named
    return JSONRPCError(jsonrpc="2.0", id=None, error=told)


def _told(record: Mapping[str, Any]) -> CallToolResult:
    text = TextContent(type="text", text=json.dumps(record))
    return CallToolResult(
        content=[text], structured_content=dict(record), is_error=not record["ok"]
    )


def _offered(
    function: Callable[..., dict[str, Any]], toolbox: Toolbox, seconds: float
) -> Callable[..., Any]:
    """The function as a tool: in a thread, in turn, ended when its time or its caller is gone."""

    signature = inspect.signature(function, eval_str=True)
    takes = signature.parameters

    @functools.wraps(function)
    async def offered(**arguments: Any) -> CallToolResult:
        cancelled, record = Event(), CANCELLED
        patience = min(seconds, LATE + 2 * arguments.get("seconds", seconds))

        def heeding(**given: Any) -> dict[str, Any]:
            with toolbox.workspace.heeding(current_progress()):
                return function(**given)

        def work() -> Mapping[str, Any]:
            _cancel.set(cancelled)
            while not toolbox.lock.acquire(timeout=0.1):
                if cancelled.is_set():
                    return BUSY
            try:
                return call_tool(heeding, signed(arguments, takes, holder_of_session.get()))
            finally:
                toolbox.lock.release()

        async with anyio.create_task_group() as watch:
            watch.start_soon(_set_after, cancelled, patience)
            try:
                # What hears no cancel goes on, and others wait for it; its caller does not.
                with anyio.move_on_after(patience + PATIENCE):
                    record = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
            finally:
                cancelled.set()
                watch.cancel_scope.cancel()
        # What is read into a conversation needs no seventeen digits; rows of data stay as they are.
        return _told(record if function.__name__ == "query" else rounded(record))

    offered.__signature__ = signature.replace(return_annotation=CallToolResult)  # type: ignore[attr-defined]
    offered.__annotations__ = {name: one.annotation for name, one in signature.parameters.items()}
    offered.__annotations__["return"] = CallToolResult
    return offered


async def _set_after(event: Event, seconds: float) -> None:
    await anyio.sleep(seconds)
    event.set()


def run_stdio(toolbox: Toolbox) -> None:
    """Serve over standard input and output until the input ends."""
    anyio.run(assistants_server(toolbox).run_stdio_async)
