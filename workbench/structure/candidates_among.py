"""Candidates over some of a thing's own rows: of one kind, with a large or a small number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product

from workbench.structure.candidate import Aggregate, Candidate, Onward
from workbench.structure.candidates import onward_columns, since_unit
from workbench.structure.relational import After, Column, Kind, Reference, Schema
from workbench.structure.table_paths import Path

AMONG_SOME: tuple[Aggregate, ...] = ("mean", "sum", "min", "max", "latest")
FEW_VALUES = 8
"""Values that a category has at most where numbers are told apart by it."""


def candidates_among_some(
    schema: Schema, path: Path, *, timed: bool, dated: bool
) -> Iterator[Candidate]:
    """Numbers of those own rows that are of one kind, such as the latest value of one test; when
    the latest of them was.
    """
    near = [one for one in onward_columns(schema, path) if len(one.references) <= 1]
    numbers = [
        one
        for one in near
        if one.kind == "number" and one.column.gathered is None and not one.column.times
    ]
    dates = [one for one in near if one.kind == "date" and not one.references]
    unit = since_unit(schema, path)
    other_end = [] if timed else _told_apart(schema, path, _at_other_end(schema, path), FEW_VALUES)
    for kind in (*kinds_of(schema, path), *other_end):
        if timed and dated:
            yield Candidate(path, "since", value=unit, among=kind)
        for number in numbers:
            for aggregate in AMONG_SOME if dated else AMONG_SOME[:-1]:
                yield Candidate(path, aggregate, number, among=kind)
        for date in dates if not timed else ():
            yield Candidate(path, "max", date, among=kind)


def candidates_of_thresholds(
    schema: Schema, path: Path, windows: tuple[int, ...] = ()
) -> Iterator[Candidate]:
    """How many of the thing's own rows have a large or a small number: events of severity 3; how
    many, and which share, were at a time of the day or at weekends.
    """
    kinds = [hop.kind for hop in path.suffix]
    if kinds != ["alike"] and (len(path.prefix) > 1 or kinds != ["from"]):
        return
    for onward, passed in _thresholds(schema, path, "number"):
        for window in (None, *windows):
            yield Candidate(path, "sum", onward, passed, window)
    for onward, passed in _thresholds(schema, path, "calendar"):
        yield Candidate(path, "sum", onward, passed)
        yield Candidate(path, "share", onward, passed)


def _thresholds(schema: Schema, path: Path, kind: Kind) -> list[tuple[Onward, str | None]]:
    columns = [column for column in schema[path.end].columns if column.kind == kind]
    return [(Onward((), column), passed) for column in columns for passed in column.values]


def candidates_of_kinds_and_thresholds(
    schema: Schema, path: Path, windows: tuple[int | None, ...] = (None,)
) -> Iterator[Candidate]:
    """How many own rows are of a kind and past a threshold: errors E17 of severity 3."""
    if len(path.suffix) == 1:
        for kind in kinds_of(schema, path):
            for passed in _thresholds(schema, path, "number"):
                for window in windows:
                    yield Candidate(path, "sum", *kind, window, among=passed)


def candidates_behind(schema: Schema, path: Path) -> Iterator[Candidate]:
    """How many rows have none that refer to them; the means of those that do, and how many of them
    are of a kind: the bad reviews of each of an author's books.
    """
    for column in schema[path.end].behind if path.many and len(path.hops) <= 2 else ():
        onward = Onward((), column)
        for passed in column.values:
            yield Candidate(path, "sum", onward, passed)
            yield Candidate(path, "share", onward, passed)
        for aggregate in AMONG_SOME[:-1] if not column.values else ():
            yield Candidate(path, aggregate, onward)


def candidates_of_two_kinds(schema: Schema, path: Path) -> Iterator[Candidate]:
    """How many own rows are of one kind and of another: such as leading roles in tragedies."""
    for one, other in combinations(kinds_of(schema, path), 2):
        if one[0] != other[0]:
            yield Candidate(path, "sum", *one, among=other)


def candidates_of_ties(schema: Schema, path: Path) -> Iterator[Candidate]:
    """How many rows tie two things of kinds: bonds, and double bonds, of n and o."""
    # What the things at the ends are is said by the pair.
    kinds = [kind for kind in kinds_of(schema, path) if not kind[0].references]
    for ends in _at_both_ends(schema, path):
        yield Candidate(path, "sum", *ends)
        for kind in kinds:
            yield Candidate(path, "sum", *ends, among=kind)


def _at_both_ends(schema: Schema, path: Path) -> Iterator[tuple[Onward, str]]:
    """What both things are that rows tie, which lead to one by its own reference and to the other:
    each row once, from the first of both.
    """
    if [hop.kind for hop in path.hops] == ["from", "from"]:
        between, last = path.hops[0].table, path.hops[1]
        for column in schema[path.end].tied:
            first = column.ends[0]
            if (first.column, first.table) == (last.column, between):
                for value in column.values:
                    yield Onward((), column), value


def candidates_of_sequences(schema: Schema, path: Path) -> Iterator[list[Candidate]]:
    """How many own rows of one value come right after a row of another, or at any time after it: a
    reset after an alarm. Those of each category together.
    """
    table, date = schema[path.end], _in_order(schema, path)
    if date is None:
        return
    by = path.hops[-1].column
    for column in table.columns:
        if column.kind != "category" or column.beginning or column.name == by:
            continue
        found = []
        values = column.values[:FEW_VALUES]
        for directly, before, value in product((True, False), values, values):
            if directly or before != value:
                after = Column(column.name, "flag", after=After(by, date, before, directly))
                also = (Onward((), after), None)
                found.append(Candidate(path, "sum", Onward((), column), value, among=also))
        yield found


def candidates_of_gaps(schema: Schema, path: Path) -> Iterator[Candidate]:
    """How long own rows come after the one before: at most, at least, how variously, and the
    latest. What it is on average is looked at anyway.
    """
    if (date := _in_order(schema, path)) is not None:
        after = After(path.hops[-1].column, date, "", True)
        onward = Onward((), Column(date, "number", after=after))
        for aggregate in GAPS:
            yield Candidate(path, aggregate, onward)


GAPS: tuple[Aggregate, ...] = ("max", "min", "variance", "latest")


def _in_order(schema: Schema, path: Path) -> str | None:
    """The date by which own rows come one after the other; None where they have none."""
    table = schema[path.end]
    if [hop.kind for hop in path.suffix] != ["from"] or len(path.prefix) > 1 or table.of:
        return None
    return None if table.dated_by_year else table.date


def kinds_of(schema: Schema, path: Path, most: int = FEW_VALUES) -> list[tuple[Onward, str | None]]:
    """By what a thing's own rows are told apart: the values of categories of at most so many, and
    flags.
    """
    if not path.many or len(path.prefix) > 1 or any(hop.kind != "from" for hop in path.suffix):
        return []
    near = [
        one
        for one in onward_columns(schema, path)
        if len(one.references) <= 1 and not one.column.against
    ]
    return _told_apart(schema, path, (*near, *_between(schema, path)), most)


def _told_apart(
    schema: Schema, path: Path, onwards: Iterable[Onward], most: int
) -> list[tuple[Onward, str | None]]:
    """The flags, and the values of categories of at most so many."""
    found: list[tuple[Onward, str | None]] = []
    for one in onwards:
        table = schema[one.references[-1].table or "" if one.references else path.end]
        names_things = any(reference.column == one.column.name for reference in table.references)
        if one.column.beginning or (names_things and len(one.column.values) > FEW_VALUES):
            continue
        if one.kind == "flag":
            found.append((one, None))
        elif one.kind == "category" and len(one.column.values) <= most:
            found += [(one, value) for value in one.column.values]
    return found


def _at_other_end(schema: Schema, path: Path) -> Iterator[Onward]:
    """Columns of the things of the start to which own rows tie: the country of who is paid."""
    if [hop.kind for hop in path.hops] == ["from"]:
        for reference in schema[path.end].references:
            if reference.table == path.start and reference.column != path.hops[0].column:
                for column in schema[path.start].columns:
                    yield Onward((reference,), column)


def _between(schema: Schema, path: Path) -> Iterator[Onward]:
    """Columns of the table that a path of two steps passes: a reading's sensor of a machine."""
    if len(path.suffix) == 2:
        between = path.suffix[0].table
        for column in schema[between].columns:
            yield Onward((Reference(path.hops[-1].column, between),), column)
