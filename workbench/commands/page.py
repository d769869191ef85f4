"""`app`: the web page."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from workbench.commands.command import command, option
from workbench.errors import UsageError, not_installed
from workbench.resources import shipped


@command("Start", "app", "app work.duckdb --port 8600", name="app")
def page(
    workspace: Annotated[
        Path | None, typer.Argument(help="A workspace file; an empty one in memory when absent.")
    ] = None,
    port: Annotated[int, option("--port", "The port on localhost.", min=1, max=65535)] = 8501,
    no_browser: Annotated[bool, option("--no-browser", "Do not open a browser.")] = False,
) -> None:
    """Open the web page over a workspace."""
    if find_spec("streamlit") is None:
        raise not_installed("E0250", "the web page", "streamlit", "page")
    try:
        script = shipped("app", "main.py")
    except FileNotFoundError:
        raise UsageError.of(
            "E0811", "this installation has no web page", help="install the wheel again"
        ) from None
    # Each view is drawn in a thread of its own: with an arena for each, glibc gives little back.
    environment = {"MALLOC_ARENA_MAX": "2", **os.environ}
    if workspace is not None:
        environment["WORKBENCH_WORKSPACE"] = str(workspace.resolve())
    command = [sys.executable, "-m", "streamlit", "run", str(script)]
    flags = {
        "server.address": "localhost",
        "server.port": port,
        "server.headless": str(no_browser).lower(),
        "server.enableXsrfProtection": "true",
        "server.maxUploadSize": 50,
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.showErrorDetails": "none",
        "client.toolbarMode": "minimal",
    }
    command += [f"--{name}={value}" for name, value in flags.items()]
    if os.name == "posix":
        # In place of this process, so that whoever stops the command stops the server.
        os.execve(sys.executable, command, environment)
    raise typer.Exit(subprocess.run(command, env=environment, check=False).returncode)
