"""Which paths lead on from a table, and say something that shorter ones do not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

from workbench.structure.relational import Reference, Schema, Table
from workbench.structure.table_paths import Hop, Path, hop_from, hop_to, roles

MOST_STEPS = 3
"""Steps of a path at most."""
MOST_PAIRS_SHARED = 3
"""Pairs of references that other rows may have in common: a sender and a receiver; as many of a
reference and a category: a pupil and a subject.
"""
FEWEST_SHARED = 3
"""Values of a category that is shared beside a thing, at least."""


def paths(schema: Schema, start: str, *, timed: bool = False) -> Iterator[Path]:
    """Paths of at most three steps, the start's own first, shorter ones before longer.

    A hop is a step, but the way through a table that only relates things is one step, not two. A
    path goes to many rows at most twice and to the latest at most once, near its start. From its
    start it goes to rows, there and elsewhere, that share two things with it, or a thing and a
    category; without time it may come back to any other rows of its start, and go by what things
    that it refers to, or rows that refer to it, share: the telephone of other clients, the actors
    of films. To rows of the same table it goes on and on: to a manager's manager, a dam's sire, the
    category above a product's. From other rows of its start it goes on to what refers to these and
    was not passed: the inspections of the hives of the same apiary. Once it reaches many, it does
    not end in what a row refers to, other than its start: such rows are read along with the row
    that refers to them.
    """
    frontier = [(Path(start), 0)]
    yield frontier[0][0]
    while frontier:
        grown: list[tuple[Path, int]] = []
        for path, steps in frontier:
            for hop in _next_hops(schema, path, timed=timed):
                free = (
                    hop.kind == "to"
                    and bool(path.hops)
                    and path.hops[-1].many
                    and schema[path.end].relates
                )
                taken = steps + (not free)
                if taken <= MOST_STEPS:
                    grown.append((path.then(hop), taken))
        yield from (p for p, _ in grown if not (p.many and not p.hops[-1].many and p.end != start))
        frontier = grown


def _next_hops(schema: Schema, path: Path, *, timed: bool) -> Iterator[Hop]:
    """The steps that lead on from the end of a path and say something that is not said yet."""
    here = schema[path.end]
    last = path.hops[-1] if path.hops else None
    two = last is not None and last.kind in ("shared", "alike") and last.other
    if here.of or two or (last is not None and last.kind == "near"):
        return
    several = sum(hop.many for hop in path.hops)
    yield from _hops_to(schema, path, several, timed=timed)
    yield from _hops_shared(schema, path, several, timed=timed)
    if not several and (last is None or last.kind == "to"):
        yield from _hops_alike(schema, here)
    if not several and (last is None or last.kind == "to") and not path.climbs:
        yield from _hops_near(here)
    if last is None:
        yield from _hops_of_two(schema, here, timed=timed)
    if here.key is not None and not (several or timed or _is_back(path)):
        yield from _hops_tied(schema, path)
    if here.key is not None and several < 2 and (last is None or last.kind != "alike"):
        yield from _hops_from(schema, path, timed=timed)


def _hops_to(schema: Schema, path: Path, several: int, *, timed: bool) -> Iterator[Hop]:
    """To what the rows refer to: no way back, and no table seen but the start's, undated, and that
    of what the row itself refers to: from one's manager to that one's.
    """
    last = path.hops[-1] if path.hops else None
    visited = {path.start, *(hop.table for hop in path.hops)}
    sharing = last is not None and last.kind == "shared" and several == 2
    climbing = path.climbs
    if _is_back(path) and not climbing:
        return
    if not (last is None or last.kind in ("to", "from") or sharing):
        return
    for reference in schema[path.end].references:
        if last is not None and last.kind == "from" and last.column == reference.column:
            continue
        # More of the same thing is no other row of the start.
        itself = reference.column == schema[path.end].key
        returns = reference.table == path.start and not (timed or itself or climbing)
        unseen = reference.table not in visited and not sharing
        up = reference.table == path.end and last is not None and not several
        if reference.table is not None and (returns or unseen or up):
            yield hop_to(schema, reference)


def _hops_shared(schema: Schema, path: Path, several: int, *, timed: bool) -> Iterator[Hop]:
    """To rows of the same table that share a value, or what they refer to there; and to those that
    do so at the same time: in one ward.
    """
    here, last = schema[path.end], path.hops[-1] if path.hops else None
    lines = len(path.hops) == 1 and path.hops[0].kind == "from"
    within: tuple[str | None, ...] = ()
    if last is None or (last.kind == "to" and not several and not timed and not _is_back(path)):
        within = (None, here.name)
    elif lines and not (timed or here.relates):
        within = (None,)
    for reference in here.references:
        if reference.table in within:
            yield Hop("shared", reference.column, here.name)
    if here.lasts and not timed and (last is None or lines):
        by = "" if last is None else last.column
        for column in _where(here):
            if column not in (by, here.key):
                yield Hop("shared", column, here.name, meets=here.lasts)


def _hops_near(here: Table) -> Iterator[Hop]:
    """To rows, of the same table or another, that are near to a row."""
    for table, near in here.near:
        yield Hop("near", near.there.first, table, near=near)


def _where(here: Table) -> list[str]:
    """The columns of what rows that last are in: things, and values that several share."""
    categories = (
        one.name
        for one in here.columns
        if one.kind == "category" and not one.beginning and len(one.values) >= FEWEST_SHARED
    )
    return list(dict.fromkeys((*(r.column for r in here.references), *here.groups, *categories)))


def _hops_of_two(schema: Schema, here: Table, *, timed: bool) -> Iterator[Hop]:
    """To other rows with the same two things, or the same thing and category, such as a pupil's
    marks in this subject; to rows of other tables with the same two.
    """
    things = [one for one in here.to_others if one.table is not None]
    if timed and not here.relates:
        for one, other in islice(combinations(here.to_others, 2), MOST_PAIRS_SHARED):
            yield Hop("shared", one.column, here.name, other=other.column)
    within = (
        Hop("shared", thing.column, here.name, other=category, way=way)
        for way, category in _categories(schema, here)
        for thing in things
        if thing.column != category and (thing,) != way
    )
    if len(things) <= 2 or not here.relates:
        yield from islice(within, MOST_PAIRS_SHARED)
    for table in schema.tables.values():
        if table is not here and not (table.of or table.relates or here.relates):
            yield from _hops_to_alike(here, table)


def _hops_to_alike(here: Table, table: Table) -> Iterator[Hop]:
    """To rows of another table whose columns of two names hold the same, one of them a thing."""
    alike = [
        name
        for name, what in here.holds.items()
        if table.holds.get(name) == what and name not in (here.key, table.key)
    ]
    things = {one.column for one in here.references if one.table is not None}
    for one, other in combinations(alike, 2):
        if one in things or other in things:
            yield Hop("alike", one, table.name, other=other)


def _categories(schema: Schema, here: Table) -> Iterator[tuple[tuple[Reference, ...], str]]:
    """The categories of a row's own, and of what it refers to, by which rows are told apart."""
    ways = [(), *((one,) for one in here.references if one.table not in (None, here.name))]
    for way in ways:
        table = schema[way[-1].table or ""] if way else here
        named = {one.column for one in table.references}
        for column in table.columns:
            several = len(column.values) >= FEWEST_SHARED and not column.beginning
            if column.kind == "category" and several and column.name not in named:
                yield way, column.name


def _hops_tied(schema: Schema, path: Path) -> Iterator[Hop]:
    """To the things that rows, not those of the start, tie to a thing of the same table, whichever
    of both ends it is.
    """
    for table in schema.tables.values():
        both = roles(schema, path.end, table.name)
        if len(both) == 2 and not table.of and table.name != path.start:
            one, other = both
            yield Hop("tied", one.column, path.end, through=table.name, other=other.column)


def _hops_alike(schema: Schema, here: Table) -> Iterator[Hop]:
    """To rows of other tables within whose columns the same things lie."""
    for table in schema.tables.values():
        for column in table.within if table is not here else ():
            if table.holds.get(column) == here.holds.get(column):
                yield Hop("alike", column, table.name)


def _hops_from(schema: Schema, path: Path, *, timed: bool) -> Iterator[Hop]:
    """To rows that refer here, and by the latest of them on to what that refers to."""
    here, visited = schema[path.end], {path.start, *(hop.table for hop in path.hops)}
    near = len(path.hops) <= 1 and all(hop.kind == "to" for hop in path.hops)
    for table in schema.tables.values():
        if _is_back(path) and (table.name in visited or table.relates):
            continue
        dated = timed and near and not table.of and schema.dated_through(table.name) is not None
        both = roles(schema, here.name, table.name)
        if len(both) == 2 and near and not table.of:
            yield Hop("either", both[0].column, table.name, other=both[1].column)
        for reference in table.references:
            if reference.table != here.name or (table.of and not near):
                continue
            if reference.column == table.key and here.is_beside(table):
                continue
            yield hop_from(schema, reference, table.name)
            for onward in table.to_others if dated else ():
                if onward.table not in (None, here.name) and onward.table not in visited:
                    yield Hop(
                        "latest", onward.column, onward.table or "", table.name, reference.column
                    )


def _is_back(path: Path) -> bool:
    return bool(path.hops) and path.end == path.start


def group_paths(schema: Schema, start: str) -> Iterator[Path]:
    """To the other rows of each of a row's groups."""
    for column in schema[start].groups:
        yield Path(start, (Hop("shared", column, start),))


def sibling_paths(schema: Schema, start: str) -> Iterator[Path]:
    """The way two references on and back: to lines of all orders of one's customer."""
    for first in schema[start].to_others:
        between = first.table
        if between is None or between == start:
            continue
        for second in schema[between].to_others:
            if second.table not in (None, start, between):
                there = Path(start, (hop_to(schema, first), hop_to(schema, second)))
                back = there.then(hop_from(schema, second, between))
                yield back.then(hop_from(schema, first, start))
