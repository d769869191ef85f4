"""Shapes that all of a server's answers are made of, and those of its own calls."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

Figure = float | None
"""A number; None where it is not to be had, or is not finite."""
Row = dict[str, Any]
"""A row of a table whose columns hang on what was asked."""
Item = TypeVar("Item")


class Shape(BaseModel):
    """Fields, and no others."""

    model_config = ConfigDict(extra="forbid")


class Some(Shape, Generic[Item]):
    """The first of a list, and how many it has."""

    count: int
    items: list[Item]


class Told(Shape):
    """A diagnostic."""

    severity: Literal["error", "warning", "note"]
    code: str
    message: str
    line: int | None = None
    column: int | None = None
    help: str | None = None


class Fault(Told):
    """A diagnostic of what is refused, with the end of its place."""

    end_line: int | None = None
    end_column: int | None = None


class Note(Told):
    """A diagnostic beside an answer, with its file."""

    file: str | None = None


class Refused(Shape):
    """What is wrong, and with which status a command would end by it."""

    ok: Literal[False]
    diagnostics: list[Fault]
    next: str
    exit_code: int | None = None


class Answer(Shape):
    """What all answers of tools have."""

    ok: Literal[True]
    next: str = Field(description="The step that is sensible now.")
    cut: str | None = Field(None, description="Said where long lists were cut.")


class Health(Shape):
    """Whether the server is up."""

    status: str
    version: str
    jobs: int
    audit: str | None = Field(None, description="Why the audit cannot be written.")


class JobState(Shape):
    """A job: its answer is the tool's, once it has ended."""

    id: int
    kind: str
    status: Literal["waiting", "running", "done", "failed", "cancelled"]
    stage: str
    share: Figure
    message: str
    answer: Row | None
    seconds: float


class JobList(Shape):
    """Jobs, newest first, without their answers."""

    jobs: list[JobState]


class Uploaded(Shape):
    """A file that may be loaded by its name now."""

    ok: Literal[True]
    file: str
    bytes: int


class RunsTaken(Shape):
    """By the number that a run had, its number here."""

    ok: Literal[True]
    runs: dict[str, int]


class AuditedCall(Shape):
    """Who did what."""

    at: str
    who: str
    what: str
    ok: bool


class Audited(Shape):
    """The last calls."""

    calls: list[AuditedCall]


class RunLine(Shape):
    """A recorded run."""

    id: int
    parent: int | None
    kind: str
    seconds: Figure
    status: str | None
    engine: str | None


class Runs(Answer):
    """Recorded runs, newest first."""

    count: int
    items: list[RunLine]


class DeleteRun(Answer):
    """A run that is gone."""

    deleted: int
