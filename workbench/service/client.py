"""A workspace that a server holds, from another process: the same tools, called over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from workbench.errors import Diagnostic, InfeasibleError, InputError, UsageError, WorkbenchError
from workbench.progress import SILENT, Progress
from workbench.service.toolbox import TOOLS
from workbench.workspace import Workspace, open_workspace


def connect(url: str, *, token: str | None = None) -> RemoteWorkspace:
    """Reach a workspace that `workbench serve` holds (`workbench.connect`).

    Parameters
    ----------
    url : str
        Such as `http://127.0.0.1:8700`.

    Raises
    ------
    UsageError
        E0876 where no server answers there.
    """
    remote = RemoteWorkspace(url, token)
    if remote.request("GET", "/health").get("status") != "ok":
        raise UsageError.of("E0876", f"what answers at {url} is no workbench server")
    return remote


class RemoteWorkspace:
    """The tools of a served workspace, each a method that takes its arguments by name and gives its
    answer.

    `remote.schema()`, `remote.infer(rules=..., query=["Smokes"])`; a call that is refused raises
    what it would raise without a server, with the server's diagnostics. Long calls are jobs: they
    report to `progress` and are cancelled by it. `workspace()` has all verbs of a file.

    Attributes
    ----------
    numbers : dict
        Of runs that a copy (`workspace`) recorded: the number there, and at the server.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._url, self._http = url, httpx.Client(base_url=url, headers=headers, timeout=60.0)
        self.numbers: dict[int, int] = {}

    def __enter__(self) -> RemoteWorkspace:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the connection go; the server goes on."""
        self._http.close()

    def __getattr__(self, name: str) -> Any:
        if name not in TOOLS:
            raise AttributeError(name)
        return lambda *, progress=SILENT, **arguments: self.call(name, arguments, progress=progress)

    def call(
        self, tool: str, arguments: dict[str, Any], *, progress: Progress = SILENT
    ) -> dict[str, Any]:
        """One tool's answer, waited for however long it takes.

        Raises
        ------
        WorkbenchError
            What the server refuses, with its codes; E0876 where it is gone.
        """
        answer = self.request("POST", f"/api/tools/{tool}?wait=0.2", json=arguments)
        if "ok" not in answer:
            answer = self._followed(int(answer["id"]), progress)
        if not answer.get("ok"):
            raise _refused(answer)
        return answer

    def upload(self, path: str | Path) -> str:
        """Send a file to be loaded; the name to load it by.

        Raises
        ------
        InputError
            E0814 where it cannot be read.
        UsageError
            What the server refuses, with its codes.
        """
        try:
            content = Path(path).read_bytes()
        except FileNotFoundError:
            raise InputError.of("E0814", f"there is no file {path}") from None
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InputError.of(
                "E0814", f"{path} cannot be sent: {reason}", help="name its files"
            ) from None
        answer = self.request("PUT", f"/api/files/{Path(path).name}", content=content)
        if not answer.get("ok"):
            raise _refused(answer)
        return str(answer["file"])

    @contextmanager
    def workspace(self, *, memory_limit: str | None = None) -> Iterator[Workspace]:
        """A copy of what the server holds, with the verbs and results of a file.

        Runs that it records go to the server at the end, with the linkages kept beside them; facts
        change at the server alone, by `load` and `update`.

        Parameters
        ----------
        memory_limit : str, optional
            As `workbench.open` takes it.

        Raises
        ------
        UsageError
            What the server refuses, with its codes; E0876 where it is gone.
        """
        with TemporaryDirectory(prefix="workbench-copy-") as folder:
            path = Path(folder, "copy.duckdb")
            self.fetch(path)
            with open_workspace(path, memory_limit=memory_limit) as copied:
                before = max((run.id for run in copied.runs.all()), default=0)
                yield copied
                made = [run.id for run in copied.runs.all() if run.id > before]
                for run in copied.runs.all():
                    if run.id not in made:
                        copied.runs.delete(run.id)
                if made:
                    copied.save_as(Path(folder, "runs.duckdb"), facts=False)
            self.numbers = self.hand_back(Path(folder, "runs.duckdb")) if made else {}

    def fetch(self, path: Path) -> None:
        """Write a copy of what the server's workspace holds to a new file.

        Raises
        ------
        UsageError
            What the server refuses, with its codes; E0876 where it is gone.
        """
        try:
            with self._http.stream("GET", "/api/workspace", timeout=None) as response:
                if response.status_code != 200:
                    response.read()
                    raise _refused(response.json())
                with path.open("wb") as file:
                    for chunk in response.iter_bytes():
                        file.write(chunk)
        except (httpx.HTTPError, ValueError):
            raise UsageError.of("E0876", f"the server at {self._url} went away") from None

    def hand_back(self, path: Path) -> dict[int, int]:
        """Give the server the runs of a copy's file: the number of each there, and at the server.

        Raises
        ------
        UsageError
            As `fetch` does.
        """
        answer = self.request("POST", "/api/runs", content=path.read_bytes(), timeout=None)
        if not answer.get("ok"):
            raise _refused(answer)
        return {int(one): int(other) for one, other in answer["runs"].items()}

    def request(self, method: str, path: str, **content: Any) -> dict[str, Any]:
        """One request's JSON.

        Raises
        ------
        UsageError
            E0876 where nothing answers, or no JSON.
        """
        try:
            record: dict[str, Any] = self._http.request(method, path, **content).json()
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            help_text = "start it with workbench serve WORKSPACE"
            raise UsageError.of(
                "E0876", f"no server answers at {self._url}", help=help_text
            ) from None
        return record

    def _followed(self, number: int, progress: Progress) -> dict[str, Any]:
        """A job's answer; its progress is reported, and cancelling that cancels the job."""
        try:
            for record in self._events(number):
                if record["stage"]:
                    progress.step(record["stage"], record["share"] or 0.0, None, record["message"])
                elif progress.cancelled:
                    progress.step("waiting", 0.0)
        except BaseException:
            self.request("DELETE", f"/api/jobs/{number}")
            raise
        answer = self.request("GET", f"/api/jobs/{number}").get("answer")
        return answer or {"ok": False, "diagnostics": [], "next": "the job was cancelled"}

    def _events(self, number: int) -> Iterator[dict[str, Any]]:
        try:
            with self._http.stream("GET", f"/api/jobs/{number}/events") as response:
                for line in response.iter_lines():
                    if line.startswith("data: "):
                        yield json.loads(line.removeprefix("data: "))
        except httpx.HTTPError:
            raise UsageError.of("E0876", f"the server at {self._url} went away") from None


def _refused(answer: dict[str, Any]) -> WorkbenchError:
    """The error that the same call raises without a server."""
    told = answer.get("diagnostics") or [{"code": "E0864", "message": str(answer.get("next"))}]
    kinds: dict[int, type[WorkbenchError]] = {
        int(one.exit_code): one for one in (InputError, InfeasibleError)
    }
    kind = kinds.get(answer.get("exit_code", 0), UsageError)
    return kind(
        tuple(Diagnostic(one["code"], one["message"], help=one.get("help")) for one in told)
    )
