"""Names that are proposed: types of categories, and predicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count

from workbench.tables.facts import subject_types, value_types
from workbench.tables.mapping import ColumnMapping, TableMapping, TablesMapping
from workbench.tables.names import (
    predicate_name,
    singular_words,
    type_name,
    unused,
    without_id,
    words,
)
from workbench.tables.staged import Staging
from workbench.tables.values import is_blank


def with_own_types(tables: Sequence[TableMapping]) -> list[TableMapping]:
    """Types that no two tables share by chance, as `order` and `orders` would: rows of both would
    be the same things. Those whose key refers to another table are about its things.
    """
    taken: set[str] = set()

    def own(table: TableMapping) -> TableMapping:
        if any(column.kind == "key" and column.table for column in table.columns):
            return table
        plural = type_name(words(table.name))
        name = table.type if table.type not in taken else unused(plural, taken)
        taken.add(name)
        return replace(table, type=name)

    return [own(table) for table in tables]


def with_category_types(staging: Staging, tables: Sequence[TableMapping]) -> list[TableMapping]:
    """Types for categories: one for columns of one name that share most of their values."""
    things = {table.type for table in tables}
    first: dict[str, tuple[TableMapping, ColumnMapping]] = {}

    def typed(table: TableMapping, column: ColumnMapping) -> ColumnMapping:
        if column.kind != "category":
            return column
        parts = words(column.name)
        for candidate in (type_name(parts), type_name((*words(table.type), *parts))):
            if candidate in things:
                continue
            holder = first.setdefault(candidate, (table, column))
            if holder[1] is column or _share_values(staging, (table, column), holder):
                return replace(column, type=candidate)
        return replace(column, type=unused(f"{table.type}_{type_name(parts)}", {*things, *first}))

    return [
        replace(table, columns=tuple(typed(table, column) for column in table.columns))
        for table in tables
    ]


def _share_values(
    staging: Staging,
    one: tuple[TableMapping, ColumnMapping],
    other: tuple[TableMapping, ColumnMapping],
) -> bool:
    """Whether half of the values of the column that has fewer are values of the other."""

    def values(table: TableMapping, column: ColumnMapping) -> str:
        staged = staging.tables[table.name]
        cell = staged.cell(column.name)
        blank = is_blank(cell, column.reading.blanks)
        return f"SELECT DISTINCT {cell} AS x FROM {staged.relation} WHERE NOT {blank}"

    row = staging.rows(
        f"SELECT count(a.x), count(b.x), count(*) FILTER (a.x = b.x) "
        f"FROM ({values(*one)}) a FULL JOIN ({values(*other)}) b ON a.x = b.x"
    )[0]
    left, right, both = map(int, row)
    return 2 * both >= min(left, right)


def with_predicates(
    tables: Sequence[TableMapping], taken: Mapping[str, Sequence[str]]
) -> list[TableMapping]:
    """Names for the predicates: the column's own where it is the only one of that name,
    else with the table's.
    """
    mapping = TablesMapping(tuple(tables))
    wanted = [
        (table, column, _predicate_words(column))
        for table in tables
        for column in table.columns
        if column.kind not in ("key", "constant", "empty", "ignore")
        and not (table.relation is not None and column.kind == "reference")
    ]
    relations = [table.relation for table in tables if table.relation is not None]
    names = [predicate_name(parts).casefold() for _, _, parts in wanted] + [
        name.casefold() for name in relations
    ]
    chosen: dict[tuple[str, str], str] = {}
    free = _FreeNames({name.casefold(): (name, types) for name, types in taken.items()})
    named = [
        replace(table, relation=free.take([table.relation], subject_types(mapping, table)))
        if table.relation
        else table
        for table in tables
    ]
    for table, column, parts in wanted:
        alone = names.count(predicate_name(parts).casefold()) == 1
        bare = predicate_name(parts)
        longer = predicate_name((*singular_words(table.name), *parts))
        types = (*subject_types(mapping, table), *value_types(mapping, column))
        chosen[table.name, column.name] = free.take([bare, longer] if alone else [longer], types)
    return [
        replace(
            table,
            columns=tuple(
                replace(column, predicate=chosen.get((table.name, column.name)))
                for column in table.columns
            ),
        )
        for table in named
    ]


@dataclass
class _FreeNames:
    """Names for predicates that no other has, by what is there: name and types of each folded."""

    there: Mapping[str, tuple[str, Sequence[str]]]
    used: set[str] = field(default_factory=set)

    def take(self, candidates: Sequence[str], types: Sequence[str]) -> str:
        """The first of the candidates that is free, or the last with a number."""
        numbered = (f"{candidates[-1]}{number}" for number in count(2))
        name = next(name for name in chain(candidates, numbered) if self._is_free(name, types))
        self.used.add(name.casefold())
        return name

    def _is_free(self, name: str, types: Sequence[str]) -> bool:
        there = self.there.get(name.casefold())
        fits = there is None or (there[0] == name and tuple(there[1]) == tuple(types))
        return fits and name.casefold() not in self.used


def _predicate_words(column: ColumnMapping) -> tuple[str, ...]:
    parts = words(column.name)
    if column.kind == "reference":
        said = () if column.parts else without_id(parts)
        return said or singular_words(column.table or column.name)
    return parts
