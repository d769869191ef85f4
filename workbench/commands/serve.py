"""`serve` and `mcp`: one process that holds a workspace, for people, programs and assistants."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbench.commands.command import command, option
from workbench.commands.console import print_error
from workbench.commands.working import interrupts_raise
from workbench.errors import Cancelled, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


def allowed_folders(folders: list[Path] | None) -> tuple[Path, ...]:
    """The folders named, and the bundled examples where none is."""
    from workbench.resources import shipped

    missing = [folder for folder in folders or () if not folder.is_dir()]
    if missing:
        raise UsageError.of(
            "E0860", f"there is no folder {missing[0]}", help="name a folder that exists"
        )
    return tuple(folder.resolve() for folder in folders or [shipped("data")])


@command("Workspaces", "mcp work.duckdb --data-dir tables")
def mcp(
    workspace: Annotated[
        Path | None,
        typer.Argument(
            metavar="[WORKSPACE]", help="A workspace file (DuckDB); in memory when absent."
        ),
    ] = None,
    data_dir: Annotated[
        list[Path] | None,
        option(
            "--data-dir", "Files of this folder may be loaded; once per folder. None: the examples."
        ),
    ] = None,
) -> None:
    """Serve a workspace to assistants (Model Context Protocol) over standard input and output."""
    try:
        from workbench.service.assistants import current_progress, run_stdio
    except ImportError:
        raise UsageError.of(
            "E0865",
            "the assistants' door needs the package mcp",
            help="pip install 'relational-workbench[mcp]'",
        ) from None
    from workbench.service.apart import memory_of_a_job
    from workbench.service.folders import Folders
    from workbench.service.toolbox import Toolbox
    from workbench.workspace import open_workspace

    with open_workspace(workspace, memory_limit=f"{memory_of_a_job()}B") as opened:
        run_stdio(Toolbox(opened, Folders(allowed_folders(data_dir)), current_progress))


LOCAL = ("127.0.0.1", "localhost", "::1")


@command(
    "Workspaces",
    "serve work.duckdb --port 8700",
    "serve work.duckdb --host 0.0.0.0 --token model:SECRETWORD",
)
def serve(
    workspace: Annotated[
        Path, typer.Argument(help="A workspace file (DuckDB), made where there is none.")
    ],
    port: Annotated[int, option("--port", "The port.", min=1, max=65535)] = 8700,
    host: Annotated[
        str, option("--host", "The address; other than this machine's with a token.")
    ] = LOCAL[0],
    token: Annotated[
        list[str] | None,
        option(
            "--token",
            "SECRET, ROLE:SECRET or NAME@ROLE:SECRET (read, label, model, admin); once per token.",
        ),
    ] = None,
    data_dir: Annotated[
        list[Path] | None,
        option("--data-dir", "Files of this folder may be loaded; once per folder."),
    ] = None,
    job_seconds: Annotated[
        float, option("--job-seconds", "Cancel a job after so long.", min=1)
    ] = 3600.0,
    job_memory: Annotated[
        str | None,
        option("--job-memory", "What a job's process may use, such as 4GB; else 2/5 of all."),
    ] = None,
) -> None:
    """Hold a workspace and serve it: typed calls (/openapi.json), jobs with progress,
    the assistants' door (/mcp), and the web page.
    """
    if host not in LOCAL and not token:
        raise UsageError.of(
            "E0870",
            "a server that other machines reach needs a token",
            help="give --token SECRET, or leave --host out",
        )
    try:
        import uvicorn  # noqa: F401

        from workbench.service.access import LEAST, Audit, Tokens
        from workbench.service.assistants import current_progress
        from workbench.service.server import application
    except ImportError:
        raise UsageError.of(
            "E0865", "the server needs packages", help="pip install 'relational-workbench[server]'"
        ) from None
    from workbench.parameters import read_size
    from workbench.service.apart import memory_of_a_job
    from workbench.service.folders import AUDIT, Folders
    from workbench.service.jobs import Jobs
    from workbench.service.toolbox import Toolbox
    from workbench.workspace import open_workspace

    tokens = Tokens.read(token or [], least=1 if host in LOCAL else LEAST)
    memory = memory_of_a_job() if job_memory is None else read_size(job_memory)
    audit = Audit(workspace.with_name(f"{workspace.name}.{AUDIT}"))
    # What is written here is bounded as a job is; all else works in processes of its own.
    with (
        open_workspace(workspace, memory_limit=f"{memory}B") as opened,
        TemporaryDirectory(prefix="workbench-uploads-") as uploads,
    ):
        folders = Folders((Path(uploads).resolve(), *allowed_folders(data_dir)))
        served = application(
            Toolbox(opened, folders, current_progress), tokens=tokens, audit=audit,
            jobs=Jobs(seconds=job_seconds), memory=memory, uploads=Path(uploads),
        )  # fmt: skip
        _run(served, workspace, host, port)


def _run(served: Any, workspace: Path, host: str, port: int) -> None:
    """Serve until somebody ends it."""
    import uvicorn

    # The server's library dies of a SIGTERM once it has ended its calls, and leaves all open.
    told_to_end = interrupts_raise((signal.SIGINT, signal.SIGTERM))
    with _announced(workspace, f"http://{host}:{port}"), suppress(Cancelled), told_to_end:
        print_error(f"serving {workspace} at http://{host}:{port}; stop with Ctrl-C")
        uvicorn.run(
            served, host=host, port=port, log_level="warning", access_log=False,
            timeout_graceful_shutdown=5,
        )  # fmt: skip


@contextmanager
def _announced(workspace: Path, address: str) -> Iterator[None]:
    """The server's address and process beside the workspace, for commands that find it held."""
    note = workspace.with_name(workspace.name + ".server")
    note.write_text(f"{address} {os.getpid()}\n", encoding="utf-8")
    try:
        yield
    finally:
        note.unlink(missing_ok=True)
