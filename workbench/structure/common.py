"""What the things that a row refers to have in common: one paper by both, one town."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

from workbench.structure.candidate import Candidate, Onward
from workbench.structure.relational import Column, Schema
from workbench.structure.table_paths import Path, hop_from, hop_to, roles

End = tuple[Path, str]
"""A path and a column of what it reaches."""
MOST_RINGS = 30
"""Pairs of ways to things of one's own table."""


def candidates_in_common(schema: Schema, start: str, *, timed: bool) -> Iterator[Candidate]:
    """Counts of values that hold of two things that a row refers to, or of one and the row.

    The values are of one column, or of columns of one kind. Where one of the two has one value
    only, the rows with it that the other reaches are counted. With times, rows that have one are
    left out, but for one thing that the row itself refers to: a card that was issued.
    """
    references = {
        reference.column for reference in schema[start].references if reference.table is not None
    }
    named = [
        column for column in schema[start].holds if column not in {*references, schema[start].key}
    ]
    sides = [[(Path(start), column) for column in named]]
    for reference in schema[start].references:
        if reference.table is not None:
            to = Path(start, (hop_to(schema, reference),))
            sides.append(
                [
                    end
                    for path in _around(schema, to)
                    if _known(schema, path, timed) or path == to
                    for end in _ends(schema, path)
                ]
            )
    if not timed:
        yield from _siblings_alike(schema, start)
    yield from _rings(schema, start, timed=timed)
    for one, other in combinations(sides, 2):
        for (here, column), (there, equal) in ((a, b) for a in one for b in other):
            if timed and not (_known(schema, here, timed) or _known(schema, there, timed)):
                continue
            if _same_values(schema, (here, column), (there, equal)):
                # What reaches many is counted, beside what reaches one; the row itself stands last.
                swapped = not here.hops or (there.many and not here.many)
                ends = (
                    ((there, equal), (here, column))
                    if swapped
                    else ((here, column), (there, equal))
                )
                (path, counted), with_ = ends
                yield Candidate(
                    path, "in_common", Onward((), Column(counted, "category")), with_=with_
                )


def _siblings_alike(schema: Schema, start: str) -> Iterator[Candidate]:
    """How many rows of one reference, itself among them, name what the row does: lines of its order
    with its product.
    """
    for reference in schema[start].to_others:
        if reference.table in (None, start):
            continue
        siblings = Path(start, (hop_to(schema, reference), hop_from(schema, reference, start)))
        for column in schema[start].holds:
            if column not in (reference.column, schema[start].key):
                onward = Onward((), Column(column, "category"))
                yield Candidate(siblings, "in_common", onward, with_=(Path(start), column))


def _rings(schema: Schema, start: str, *, timed: bool) -> Iterator[Candidate]:
    """How many things of its own table two ways lead to: those that it pays and that pay it, that
    whom it pays pays, too, and that lead back to it by one between.
    """
    steps = [
        (Path(start, (hop_from(schema, here, table.name),)), there)
        for table in schema.tables.values()
        for here, there in permutations(roles(schema, start, table.name), 2)
        if not table.of and table.name != start
    ]
    known = [(path, there) for path, there in steps if _known(schema, path, timed)]
    pairs = [*combinations(known, 2)]
    for step, there in known:
        again = step.then(hop_to(schema, there)).then(step.hops[0])
        pairs += [((again, there), one) for one in known if one[0].end == step.end]
    for (path, counted), (with_, equal) in pairs[:MOST_RINGS]:
        onward = Onward((), Column(counted.column, "category"))
        yield Candidate(path, "in_common", onward, with_=(with_, equal.column))


def _around(schema: Schema, to: Path) -> Iterator[Path]:
    """A thing, what it refers to, and what refers to it."""
    yield to
    for reference in schema[to.end].references:
        if reference.table not in (None, to.start, to.end):
            yield to.then(hop_to(schema, reference))
    for table in schema.tables.values():
        for reference in table.references:
            same = reference.column == table.key and schema[to.end].is_beside(table)
            if reference.table == to.end and table.name != to.start and not same:
                yield to.then(hop_from(schema, reference, table.name))


def _known(schema: Schema, path: Path, timed: bool) -> bool:
    return not timed or (
        all(schema[hop.table].date is None for hop in path.hops)
        and (schema.dated_through(path.end) is None)
    )


def _ends(schema: Schema, path: Path) -> Iterator[End]:
    last = path.hops[-1]
    is_itself = last.kind == "to" and last.column == schema[path.start].key
    for column in schema[path.end].holds:
        if column == (last.column if last.kind == "from" else None):
            continue
        if column == schema[path.end].key and (is_itself or path.many or len(path.hops) > 1):
            continue
        yield path, column


def _same_values(schema: Schema, one: End, other: End) -> bool:
    """Whether both are of one kind, and not just the two things themselves."""
    (here, column), (there, equal) = one, other
    itself = (
        not here.many
        and not there.many
        and (column, equal) == (schema[here.end].key, schema[there.end].key)
    )
    return schema[here.end].holds[column] == schema[there.end].holds[equal] and not itself
