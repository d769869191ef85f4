"""Candidates: what can be said of a target row by an aggregate over the rows that a path reaches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from workbench.structure.relational import Column, Path, Reference, Schema

__all__ = ["Aggregate", "Candidate", "Onward", "candidates_of", "onward_columns"]

Aggregate = Literal[
    "value", "is", "count", "mean", "min", "max", "sum", "share", "latest", "latest_is", "since", "first",
    "labelled",
]  # fmt: skip


@dataclass(frozen=True)
class Onward:
    """A column read at the end of a path, perhaps of a row that the last one refers to."""

    references: tuple[Reference, ...]
    column: Column

    @property
    def kind(self) -> str:
        """The column's kind."""
        return self.column.kind


@dataclass(frozen=True)
class Candidate:
    """One number a target row: `aggregate` of `onward` over what `path` reaches.

    Attributes
    ----------
    value : str or None
        Of `is`, `share` and `latest_is` over a category: which.
    window : int or None
        Only rows of the last so many days (years, where rows are dated by the year) before the target's own time.
    label : int or None
        Of `labelled`: how many rows reached are known to have this label.
    """

    path: Path
    aggregate: Aggregate
    onward: Onward | None = None
    value: str | None = None
    window: int | None = None
    label: int | None = None


def onward_columns(schema: Schema, path: Path, *, depth: int = 2) -> Iterator[Onward]:
    """The columns of the path's end and, where it reaches many, of what its rows refer to, up to `depth` hops on."""
    back = path.hops[-1] if path.hops and path.hops[-1].many else None
    seen = {path.start, *(hop.table for hop in path.hops[:-1])}
    frontier: list[tuple[str, tuple[Reference, ...]]] = [(path.end, ())]
    for level in range(depth + 1):
        grown = []
        for table, references in frontier:
            for column in schema[table].columns:
                yield Onward(references, column)
            for reference in schema[table].references if path.many and level < depth else ():
                if reference.table is None or reference.table in seen:
                    continue
                if back is not None and not references and reference.column == back.column:
                    continue
                grown.append((reference.table, (*references, reference)))
        frontier = grown


def candidates_of(
    schema: Schema, path: Path, *, dated: bool, windows: tuple[int, ...] = (), most_values: int = 8
) -> Iterator[Candidate]:
    """Every candidate over one path; `dated` where its rows and the target's have a time."""
    if not path.many:
        for onward in onward_columns(schema, path):
            if onward.kind == "category":
                for value in onward.column.values[: 4 * most_values]:
                    yield Candidate(path, "is", onward, value)
            else:
                yield Candidate(path, "value", onward)
        return
    spans: tuple[int | None, ...] = (None, *windows) if dated else (None,)
    for window in spans:
        yield Candidate(path, "count", None, None, window)
    if dated:
        yield Candidate(path, "since")
        yield Candidate(path, "first")
    for onward in onward_columns(schema, path):
        yield from _of_many(path, onward, spans, dated, most_values)


def _of_many(
    path: Path, onward: Onward, spans: tuple[int | None, ...], dated: bool, most_values: int
) -> Iterator[Candidate]:
    if onward.kind == "category":
        for value in onward.column.values[:most_values]:
            for window in spans:
                yield Candidate(path, "share", onward, value, window)
                yield Candidate(path, "sum", onward, value, window)
            if dated:
                yield Candidate(path, "latest_is", onward, value)
        return
    if onward.kind == "date" and dated:
        return
    for window in spans if onward.kind != "date" else ():
        yield Candidate(path, "mean", onward, None, window)
        yield Candidate(path, "sum", onward, None, window)
    if onward.kind != "flag":
        yield Candidate(path, "min", onward)
        yield Candidate(path, "max", onward)
    if dated:
        yield Candidate(path, "latest", onward)
