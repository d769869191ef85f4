"""What all browsers of this server share: the workspace and the jobs; where uploads are kept."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import streamlit as st

from app.jobs import PageWork
from app.work import Work
from workbench.service.apart import memory_of_a_job
from workbench.service.held import ServedWorkspace, held
from workbench.service.jobs import Job, Jobs
from workbench.workspace import Workspace, open_workspace


@dataclass
class Server:
    """The one workspace that is open, the how-manieth it is, and the jobs over it.

    Attributes
    ----------
    served : ServedWorkspace, optional
        The server whose page this is: it keeps its workspace, and names no files of the machine.
    """

    workspace: Workspace
    path: str | None
    jobs: Jobs = field(default_factory=lambda: Jobs(seconds=inf))
    served: ServedWorkspace | None = None
    opened: int = 1
    visitors: int = 0
    temporary: tempfile.TemporaryDirectory[str] | None = None

    def uploads(self) -> Path:
        """Where uploads are kept: beside the workspace file, or in a folder of this server."""
        if self.path is None:
            if self.temporary is None:
                self.temporary = tempfile.TemporaryDirectory(prefix="workbench-")
            return Path(self.temporary.name)
        folder = Path(f"{self.path}.uploads")
        folder.mkdir(exist_ok=True)
        return folder

    def save_as(self, path: str | Path) -> None:
        """Save a copy of the workspace; of one in memory with the uploads that it was filled from,
        which training reads again, beside the file.
        """
        self.workspace.save_as(path)
        if self.path is not None or self.temporary is None:
            return
        here, there = self.uploads(), Path(f"{path}.uploads").resolve()

        def kept(file: str) -> str:
            if not Path(file).is_relative_to(here) or not Path(file).is_file():
                return file
            beside = there / Path(file).relative_to(here)
            beside.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, beside)
            return str(beside)

        with open_workspace(path) as copy:
            copy.data.move_tables(kept)

    def submit(self, work: Work, author: str = "page") -> Job:
        """Queue work over the workspace; its job.

        Raises E0871 where too many jobs wait.
        """
        memory = memory_of_a_job() if self.served is None else self.served.memory
        todo = PageWork(work, self.workspace, memory)
        if self.served is not None:
            self.served.audit.note(author, work.title, True)
        described = {"title": work.title, "limit": work.seconds, "about": todo}
        return self.jobs.submit(work.kind, author, todo, **described)

    def switch(self, path: str | None) -> None:
        """Open another workspace in place of this one."""
        if self.jobs.unfinished():
            raise RuntimeError(
                "a job is still running; cancel it or wait before opening another workspace"
            )
        opened = open_workspace(path)
        self.workspace.close()
        self.workspace, self.path = opened, path
        self.opened += 1


@st.cache_resource(show_spinner="Opening the workspace ...")
def server() -> Server:
    """The server's state, made at the first visit: what the server that serves this page holds,
    else the workspace given on the command line, else an empty one.
    """
    served = held()
    if served is not None:
        path = served.workspace.database.path
        return Server(served.workspace, str(path) if path else None, served.jobs, served)
    path = os.environ.get("WORKBENCH_WORKSPACE")
    return Server(open_workspace(path), path)


def workspace() -> Workspace:
    """The open workspace."""
    return server().workspace


def role() -> str:
    """What the person at this browser may do, one of `workbench.service.access.ROLES`: everything,
    but at a server with tokens.
    """
    served = server().served
    if served is None:
        return "admin"
    return served.tokens.of_browser(st.context.headers.get("Cookie")) or "read"


def may_begin_jobs() -> bool:
    """Whether the person at this browser may load, learn and infer."""
    return role() in ("model", "admin")


def visitor(number: int) -> str:
    """What the person at this browser, the server's so manieth, is called."""
    served = server().served
    if served is None:
        return f"browser {number}"
    return served.tokens.called(st.context.headers.get("Cookie"), number)


def named_by_token() -> str:
    """Who is at this browser, where their token says it; else empty."""
    served = server().served
    return "" if served is None else served.tokens.named(st.context.headers.get("Cookie"))


def facts_token() -> str:
    """Differs whenever the workspace or its numbers of facts do: a key for what they give."""
    return repr(
        (
            server().opened,
            [(item.predicate.name, item.counts) for item in workspace().data.catalog()],
        )
    )


def run_token(run: Any) -> str:
    """Differs for any two runs, also where one has the number of another that was deleted."""
    return f"{run.id} {run.created} {run.data_hash} {run.program_hash}"
