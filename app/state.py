"""What all browser sessions of this server share: the workspace and the jobs; and where uploads are kept."""

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

START_EXAMPLE = "university"


@dataclass
class Server:
    """The one workspace that is open, the how-manieth it is, and the worker."""

    workspace: Workspace
    path: str | None
    runner: JobRunner = field(default_factory=JobRunner)
    opened: int = 1

    def switch(self, path: str | None) -> None:
        """Open another workspace in place of this one."""
        if any(not job.is_finished for job in self.runner.jobs):
            raise RuntimeError("a job is still running; cancel it or wait before opening another workspace")
        opened = open_workspace(path)
        self.workspace.close()
        self.workspace, self.path = opened, path
        self.opened += 1
        self.runner.jobs.clear()


@st.cache_resource(show_spinner="Opening the workspace ...")
def server() -> Server:
    """The server's state, made at the first visit: the workspace given on the command line, else an example."""
    path = os.environ.get("WORKBENCH_WORKSPACE")
    opened = open_workspace(path)
    if path is None and "WORKBENCH_EMPTY" not in os.environ:
        opened.open_example(START_EXAMPLE)
    return Server(opened, path)


def workspace() -> Workspace:
    """The open workspace."""
    return server().workspace


def facts_token() -> str:
    """Differs whenever the workspace or its numbers of facts do; a key for what is computed from them."""
    return repr((server().opened, [(item.predicate.name, item.counts) for item in workspace().catalog()]))


def run_token(run: Any) -> str:
    """Differs for any two runs, also where one has the number of another that was deleted."""
    return f"{run.id} {run.created} {run.data_hash} {run.program_hash}"


def saved_upload(upload: Any) -> Path:
    """An uploaded file under a fresh name of its own, in a directory of this session; the stem is kept, cleaned."""
    if "uploads" not in st.session_state:
        st.session_state.uploads = tempfile.mkdtemp(prefix="workbench-")
    folder = Path(tempfile.mkdtemp(dir=st.session_state.uploads))
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", Path(upload.name).name).lstrip(".") or "upload"
    path = folder / name
    path.write_bytes(upload.getvalue())
    return path
