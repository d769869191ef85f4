"""What all browser sessions of this server share (workspace and jobs), and small helpers of every page."""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from app.jobs import JobRunner
from workbench.errors import WorkbenchError
from workbench.workspace import Workspace, open_workspace

__all__ = ["Server", "numbers", "plain", "saved_upload", "server", "show_error", "warnings", "workspace"]

START_EXAMPLE = "university"


@dataclass
class Server:
    """The one workspace that is open, and the worker."""

    workspace: Workspace
    path: str | None
    runner: JobRunner = field(default_factory=JobRunner)

    def switch(self, path: str | None) -> None:
        """Open another workspace in place of this one."""
        if any(not job.is_finished for job in self.runner.jobs):
            raise RuntimeError("a job is still running; cancel it or wait before opening another workspace")
        opened = open_workspace(path)
        self.workspace.close()
        self.workspace, self.path = opened, path
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


def saved_upload(upload: Any) -> Path:
    """An uploaded file under a fresh name of its own, in a directory of this session; the stem is kept, cleaned."""
    if "uploads" not in st.session_state:
        st.session_state.uploads = tempfile.mkdtemp(prefix="workbench-")
    folder = Path(tempfile.mkdtemp(dir=st.session_state.uploads))
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", Path(upload.name).name).lstrip(".") or "upload"
    path = folder / name
    path.write_bytes(upload.getvalue())
    return path


def show_error(error: WorkbenchError | str) -> None:
    """A failure as the workbench says it: plain text, with the line and the caret."""
    if isinstance(error, str):
        st.error("That did not work.", icon=":material/error:")
        st.code(error, language=None, wrap_lines=True)
        return
    first = error.diagnostics[0].message if error.diagnostics else "unknown fault"
    more = f" (and {len(error.diagnostics) - 1} more)" if len(error.diagnostics) > 1 else ""
    st.error(plain(first) + more, icon=":material/error:")
    st.code(_without_paths(str(error)), language=None, wrap_lines=True)


def numbers(frame: pd.DataFrame, digits: int = 4) -> dict[str, Any]:
    """Column settings that give every figure of a table the same number of decimals."""
    return {
        name: st.column_config.NumberColumn(format=f"%.{digits}f")
        for name in frame.columns
        if frame[name].dtype.kind == "f"
    }


def warnings(found: tuple[Any, ...]) -> None:
    """Warnings of a load or a run."""
    for diagnostic in found:
        st.warning(plain(diagnostic.message), icon=":material/warning:")


def plain(text: str) -> str:
    """Text that a user may have written, safe inside Markdown: every mark escaped."""
    return re.sub(r"([\\`*_{}\[\]()<>#+.!|~$:-])", r"\\\1", text)


def _without_paths(text: str) -> str:
    """Diagnostics name uploads by their file name, not by where this server keeps them."""
    return re.sub(r"\S*/workbench-\w+/\w+/", "", text)
