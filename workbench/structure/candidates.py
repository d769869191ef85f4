"""Candidates: which aggregates over the rows that paths reach are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.structure.candidate import Candidate, Onward
from workbench.structure.relational import Column, Reference, Schema, Table
from workbench.structure.table_paths import Path

FEW_CLASSES = 20
"""Classes of a target that are looked for among other rows at most."""
COMMONEST = 8
"""Values of a category that are looked at in all ways, wherever a path finds it."""
FURTHER = 2
"""Hops on from the end of a path that columns are read from."""


def onward_columns(schema: Schema, path: Path) -> Iterator[Onward]:
    """The columns of the path's end, and of what its rows refer to, up to two hops on."""
    back = path.hops[-1] if path.hops and path.hops[-1].many else None
    seen = {path.start, *(hop.table for hop in path.hops[:-1])}
    frontier: list[tuple[str, tuple[Reference, ...]]] = [(path.end, ())]
    if path.many and len(path.hops) <= 2:
        for column in schema[path.end].gathered:
            # Groups within what led there: the bidders of an auction, as its bids are reached.
            if not column.group or (back and column.group & set(back.roles)):
                yield Onward((), column)
    most = 0 if back and back.way else FURTHER  # of those of a kind only what they say themselves
    for level in range(most + 1):
        grown = []
        for table, references in frontier:
            for column in schema[table].columns:
                # All rows reached have the value that led to them.
                same = back is not None and not references and column.name in back.roles
                if not same and column.kind != "calendar":
                    yield Onward(references, column)
            further = path.many and level < most and not schema[table].of
            for reference in schema[table].references if further else ():
                other_end = not references and _is_other_end(path, reference)
                if reference.table is None or (reference.table in seen and not other_end):
                    continue
                if back is not None and not references and reference.column in back.roles:
                    continue
                grown.append((reference.table, (*references, reference)))
        frontier = grown


def _is_other_end(path: Path, reference: Reference) -> bool:
    """Whether rows that tie two things of one table are read at the other: who supplies a supplier.
    Other rows of the start are reached by paths of their own.
    """
    hops = path.hops
    return (
        len(hops) > 1
        and hops[-1].kind == "from"
        and reference.table == hops[-2].table != path.start
        and reference.column not in hops[-1].roles
    )


def candidates_of(
    schema: Schema,
    path: Path,
    *,
    timed: bool,
    dated: bool,
    windows: tuple[int, ...] = (),
) -> Iterator[Candidate]:
    """Every candidate over one path; `dated` where its rows have a time, `timed` the target's."""
    if not path.many:
        for onward in onward_columns(schema, path):
            if onward.kind == "category":
                for value in onward.column.values[: 4 * COMMONEST]:
                    yield Candidate(path, "is", onward, value)
            else:
                yield Candidate(path, "value", onward)
        return
    spans: tuple[int | None, ...] = (None, *windows)
    for window in spans:
        yield Candidate(path, "count", None, None, window)
    unit = since_unit(schema, path)
    if timed and dated:
        yield Candidate(path, "since", value=unit)
        yield Candidate(path, "first", value=unit)
    # Without times what dates rows of one's own kind is mostly no event: when people were born.
    if dated and len(path.suffix) == 1 and (timed or path.end != path.start):
        yield Candidate(path, "interval", value=unit)
    for onward in onward_columns(schema, path):
        yield from _of_many(path, onward, spans, timed, dated)


def since_unit(schema: Schema, path: Path) -> str | None:
    """What the time since a row of a path is counted in, where that is not days."""
    dating = schema.dating_table(path.end)
    return "years" if dating is not None and dating.dated_by_year else None


def candidates_of_calendars(schema: Schema, path: Path) -> Iterator[Candidate]:
    """Weekdays and months of a row's own dates, and of those of what it refers to."""
    if not path.many and len(path.hops) <= 1:
        for column in schema[path.end].columns:
            if column.kind == "calendar":
                yield Candidate(path, "value", Onward((), column))


def candidates_of_known(
    path: Path, target: Column, *, timed: bool, windows: tuple[int, ...] = ()
) -> Iterator[Candidate]:
    """What is known of the target of the other rows of its table that a path reaches; `timed` of
    the earlier ones alone, of all and of those of the last days.
    """
    onward = Onward((), target)
    if target.kind != "category":
        two_roles = target.kind == "flag" and path.hops[-1].kind == "either"
        found = list(_of_known(path, onward, timed, windows))
        yield from found
        if timed and two_roles:
            yield from (replace(one, turned=True) for one in found if one.aggregate != "sum")
        return
    for place, value in enumerate(target.values[:FEW_CLASSES]):
        yield Candidate(path, "share" if path.many else "is", onward, value, label=place)
        if timed:
            yield Candidate(path, "latest_is", onward, value, label=place)
            yield Candidate(path, "sum", onward, value, label=place)


def _of_known(
    path: Path, onward: Onward, timed: bool, windows: tuple[int, ...]
) -> Iterator[Candidate]:
    """Of yes and no, and of numbers."""
    # Rows of one of two roles are some of those of both, of which the last days are read.
    last = path.hops[-1]
    spans = () if last.kind == "from" and last.is_role else windows
    for window in (None, *spans):
        yield Candidate(path, "mean" if path.many else "value", onward, None, window, 0)
    if not timed:
        return
    yield Candidate(path, "latest", onward, label=0)
    if onward.kind == "flag":
        yield Candidate(path, "sum", onward, label=0)
        for window in (None, *spans):
            yield Candidate(path, "sum", onward, None, window, 1)


def candidates_of_variety(
    schema: Schema, path: Path, windows: tuple[int, ...] = ()
) -> Iterator[Candidate]:
    """How many different things the rows of a path name, and how far their numbers vary."""
    if path.many:
        for onward in _named(schema, path):
            for window in (None, *windows):
                yield Candidate(path, "different", onward, None, window)
        for onward in onward_columns(schema, path):
            if onward.kind == "number" and not onward.column.group:
                yield Candidate(path, "variance", onward)


def _named(schema: Schema, path: Path) -> Iterator[Onward]:
    """What rows name, themselves or by what they refer to.

    Not what led there: of that there is one.
    """
    back = path.hops[-1].roles if path.hops[-1].many else ()
    ends: list[tuple[tuple[Reference, ...], str]] = [((), path.end)]
    for reference in schema[path.end].references:
        if reference.table not in (None, path.start) and reference.column not in back:
            ends.append(((reference,), reference.table or ""))
    for references, table in ends:
        for name in _naming(schema[table]):
            if references or name not in back:
                yield Onward(references, Column(name, "name"))


def _naming(table: Table) -> list[str]:
    """The columns of a table that name something, each once: categories, things, and what several
    rows share that is neither.
    """
    categories = (
        column.name
        for column in (*table.columns, *table.named)
        if column.kind == "category" and not column.beginning and len(column.values) > 2
    )
    shared = (reference.column for reference in table.references if reference.table is None)
    return list(dict.fromkeys((*categories, *shared, *table.groups)))


def candidates_of_rare_values(schema: Schema, path: Path) -> Iterator[Candidate]:
    """How many own rows have each of the less common values, and their numbers' totals.

    A word of many, a diagnosis, a product; what was paid for it.
    """
    if path.prefix or [hop.kind for hop in path.suffix] != ["from"]:
        return
    end, back = schema[path.end], path.hops[-1].column
    rare = [
        (column, column.values[COMMONEST:])
        for column in end.columns
        if column.kind == "category" and column.name != back
    ]
    many = [(column, column.values) for column in end.named if column.name != back]
    each = [(Onward((), column), value) for column, values in (*rare, *many) for value in values]
    for onward, value in each:
        yield Candidate(path, "sum", onward, value)
    numbers = [Onward((), column) for column in end.columns if column.kind == "number"]
    for onward, value in each:
        for number in numbers:
            yield Candidate(path, "sum", number, among=(onward, value))


def candidates_of_words(schema: Schema, path: Path) -> Iterator[Candidate]:
    """Which words a text has; how many of a thing's own rows have a text with each."""
    for text in texts_of(schema, path):
        for word in text.column.values:
            yield Candidate(path, "sum" if path.many else "is", text, word)


def texts_of(schema: Schema, path: Path) -> Iterator[Onward]:
    """The texts of what a path leads to whose words are looked at: of one row, or of a thing's own
    rows.
    """
    if not path.many or (not path.prefix and [hop.kind for hop in path.suffix] == ["from"]):
        yield from (Onward((), text) for text in schema[path.end].texts)


def listed_of(schema: Schema, path: Path) -> Iterator[Onward]:
    """What lists are made of: words of texts, and of a thing's own rows categories and things of
    which more are known than are looked at first.
    """
    yield from texts_of(schema, path)
    if path.prefix or [hop.kind for hop in path.suffix] != ["from"]:
        return
    end, back = schema[path.end], path.hops[-1].column
    for column in (*end.columns, *end.named):
        if (
            column.kind == "category"
            and column.name != back
            and not column.beginning
            and len(column.values) > COMMONEST
        ):
            yield Onward((), column)


def _of_many(
    path: Path, onward: Onward, spans: tuple[int | None, ...], timed: bool, dated: bool
) -> Iterator[Candidate]:
    if onward.kind == "category":
        for value in onward.column.values[:COMMONEST]:
            for window in spans:
                yield Candidate(path, "share", onward, value, window)
                yield Candidate(path, "sum", onward, value, window)
            if dated:
                yield Candidate(path, "latest_is", onward, value)
        return
    if onward.column.group:
        yield from (Candidate(path, "max", onward), Candidate(path, "min", onward))
        return
    if onward.kind == "date" and timed and dated:
        return
    for window in spans if onward.kind != "date" else ():
        yield Candidate(path, "mean", onward, None, window)
        yield Candidate(path, "sum", onward, None, window)
    if onward.kind != "flag":
        near = path.hops[-1].kind == "alike" or (len(path.suffix) == 1 and not onward.references)
        for window in spans if near and onward.kind != "date" else (None,):
            yield Candidate(path, "min", onward, None, window)
            yield Candidate(path, "max", onward, None, window)
    if dated and onward.kind != "date":
        yield Candidate(path, "latest", onward)
