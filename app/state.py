"""What all browser sessions of this server share: the workspace and the jobs;
and where uploads are kept.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

from app.jobs import JobRunner
from workbench.workspace import Workspace, open_workspace

__all__ = ["Server", "facts_token", "run_token", "saved_upload", "server", "workspace"]


@dataclass
class Server:
    """The one workspace that is open, the how-manieth it is, and the worker."""

    workspace: Workspace
    path: str | None
    runner: JobRunner = field(default_factory=JobRunner)
    opened: int = 1
    visitors: int = 0
    temporary: tempfile.TemporaryDirectory[str] | None = None

    def uploads(self) -> Path:
        """Where uploaded files are kept: beside the workspace file,
        or in a folder that goes with the server.
        """
        if self.path is None:
            if self.temporary is None:
                self.temporary = tempfile.TemporaryDirectory(prefix="workbench-")
            return Path(self.temporary.name)
        folder = Path(f"{self.path}.uploads")
        folder.mkdir(exist_ok=True)
        return folder

    def switch(self, path: str | None) -> None:
        """Open another workspace in place of this one."""
        if self.runner.unfinished():
            raise RuntimeError(
                "a job is still running; cancel it or wait before opening another workspace"
            )
        opened = open_workspace(path)
        self.workspace.close()
        self.workspace, self.path = opened, path
        self.opened += 1
        self.runner.jobs.clear()


@st.cache_resource(show_spinner="Opening the workspace ...")
def server() -> Server:
    """The server's state, made at the first visit: the workspace given on the command line,
    else an empty one.
    """
    path = os.environ.get("WORKBENCH_WORKSPACE")
    return Server(open_workspace(path), path)


def workspace() -> Workspace:
    """The open workspace."""
    return server().workspace


def facts_token() -> str:
    """Differs whenever the workspace or its numbers of facts do;
    a key for what is computed from them.
    """
    return repr(
        (
            server().opened,
            [(item.predicate.name, item.counts) for item in workspace().data.catalog()],
        )
    )


def run_token(run: Any) -> str:
    """Differs for any two runs, also where one has the number of another that was deleted."""
    return f"{run.id} {run.created} {run.data_hash} {run.program_hash}"


def saved_upload(upload: Any) -> Path:
    """An uploaded file in a fresh folder of its own; the stem is kept, cleaned.

    Beside a workspace file they are kept for good, since training reads them again; in memory they
    go with the server.
    """
    folder = Path(tempfile.mkdtemp(dir=server().uploads()))
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", Path(upload.name).name).lstrip(".") or "upload"
    path = folder / name
    path.write_bytes(upload.getvalue())
    return path
