"""What a query is made of: the relations it reads, and queries whose cross product it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

from workbench.grounding.select import Column, Expression, Select, Source, Union, Value


def independent(select: Select) -> tuple[Select, ...]:
    """Queries whose cross product is `select`, columns left out: no condition ties them.

    The number of its rows is the product of theirs, which is known where the rows themselves are
    beyond number.
    """
    if select.group_by or select.having or select.distinct or select.limit is not None:
        return (select,)
    if not select.sources or any(source.kind != "inner" for source in select.sources):
        return (select,)
    conditions = (
        *select.where,
        *(condition for source in select.sources for condition in source.on),
    )
    tied = {source.alias: frozenset([source.alias]) for source in select.sources}
    for part in (*conditions, *select.sources):
        together = {tied[alias] for alias in _tables(part) & tied.keys()}
        joined = frozenset().union(*together)
        tied |= dict.fromkeys(joined, joined)
    groups = tuple(dict.fromkeys(tied.values()))
    if len(groups) == 1:
        return (select,)
    parts = []
    for group in groups:
        sources = tuple(
            replace(source, on=()) for source in select.sources if source.alias in group
        )
        where = tuple(one for one in conditions if not _tables(one) & tied.keys() - group)
        parts.append(Select((("one", Value(1)),), sources, where))
    return tuple(parts)


def relations(query: Select | Union) -> frozenset[str]:
    """The names of all relations that a query reads, those of its subqueries too."""
    sources = (part for part in _parts(query) if isinstance(part, Source))
    return frozenset(source.relation for source in sources if isinstance(source.relation, str))


def _tables(part: Expression | Source) -> frozenset[str]:
    """The tables that a part of a query is about."""
    own = frozenset([part.alias]) if isinstance(part, Source) else frozenset()
    return own | {column.table for column in _parts(part) if isinstance(column, Column)}


def _parts(part: object) -> Iterator[object]:
    """A part of a query, and all that it is made of."""
    yield part
    if isinstance(part, tuple):
        inner = part
    else:
        inner = tuple(getattr(part, own.name) for own in fields(part)) if is_dataclass(part) else ()
    for one in inner:
        yield from _parts(one)
