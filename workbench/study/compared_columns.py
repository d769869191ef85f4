"""Columns of rows that are set against others: payments in another country than their account's,
over its limit; parts delivered after their order was due.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from workbench.structure.relational import Column, Reference, Schema, Table
from workbench.tables import ColumnMapping, Staging, TablesMapping, TypedTable
from workbench.tables.names import words

MOST_COMPARED = 4
"""Such columns of a table, at most."""
FEWEST_COMMON = 3
"""Values of categories that are of one kind for having most of them in common, at least."""
LIMITS = frozenset(
    "limit limits max maximum min minimum threshold budget quota capacity allowance target cap "
    "grenze grenzwert hoechst mindest kapazitaet soll".split()
)
"""Words for what bounds other numbers."""
ENOUGH = 20_000
"""Rows that are looked at, about, for how often something is so."""
SELDOM = 0.02
"""Of the rows: what is so in fewer, or in all but fewer, tells too few apart."""


def compared_columns(
    staging: Staging,
    typed: Mapping[str, TypedTable],
    tables: Mapping[str, Table],
    table: Table,
    positive: Mapping[str, list[Column]],
    *,
    timed: bool,
) -> Iterator[Column]:
    """Whether what a row names is something else than what another column does, its own or one of
    what it refers to; whether its number is above such a number, its date after such a date.

    With times no dates, for these may be later than a row is asked.
    """
    if table.of:
        return
    ways: list[tuple[Reference, ...]] = [(), *((one,) for one in table.references if one.table)]
    pairs = (
        one
        for way in ways
        for one in _pairs(tables, table, way, positive, timed=timed)
        if _tells(staging, typed, table, one)
    )
    yield from islice(pairs, MOST_COMPARED)


def with_common_values(tables: Mapping[str, Table]) -> Mapping[str, Table]:
    """The tables, categories that mostly have the same values being of one kind, however they are
    called: a student's major and a course's field. Of few values, such as low and high, and of
    numbers too many are the same.
    """
    kinds: list[tuple[str, frozenset[str]]] = []
    found = dict[str, Table]()
    for name, table in tables.items():
        holds = dict(table.holds)
        for column in table.columns:
            values = frozenset(column.values)
            what = holds.get(column.name, "")
            numbers = all(value.replace(".", "").isdigit() for value in values)
            if numbers or not what.startswith("category") or len(values) < FEWEST_COMMON:
                continue
            alike = (
                one for one, others in kinds if 2 * len(values & others) > len(values | others)
            )
            holds[column.name] = next(alike, what)
            kinds.append((holds[column.name], values))
        found[name] = replace(table, holds=holds)
    return found


def with_types(mapping: TablesMapping, schema: Schema) -> TablesMapping:
    """The mapping with the types of categories that are of one kind, so that a program compares
    them.
    """
    kind = "category: "

    def typed(table: str, column: ColumnMapping) -> ColumnMapping:
        what = schema[table].holds.get(column.name, "")
        return replace(column, type=what.removeprefix(kind)) if what.startswith(kind) else column

    return replace(
        mapping,
        tables=tuple(
            replace(one, columns=tuple(typed(one.name, column) for column in one.columns))
            for one in mapping.tables
        ),
    )


def _pairs(
    tables: Mapping[str, Table],
    table: Table,
    way: tuple[Reference, ...],
    positive: Mapping[str, list[Column]],
    *,
    timed: bool,
) -> Iterator[Column]:
    owner = tables[way[-1].table or ""] if way else table
    for name, what in table.holds.items():
        for against, other in owner.holds.items():
            apart = name < against if not way else (name != way[0].column or against != owner.key)
            if what == other and apart and name != table.key and not what.startswith("text"):
                yield Column(name, "flag", against=against, sign="!=", way=way)
    dates = [] if timed else [one for one in table.columns if one.kind == "date"]
    others = [] if timed or not way else [one for one in owner.columns if one.kind == "date"]
    numbers = positive[table.name], positive[owner.name]
    for one in numbers[0] if way else ():
        for low in filter(lambda low: _are_of_one_unit(one, low), numbers[1]):
            yield Column(one.name, "flag", against=low.name, sign=">", way=way)
    for one in dates:
        for earlier in others:
            yield Column(one.name, "flag", against=earlier.name, sign="later", way=way)


def _are_of_one_unit(one: Column, limit: Column) -> bool:
    """Whether two numbers are called alike, or the second as what bounds others: an amount and a
    card's limit. A position and a time are not compared.
    """
    named = set(words(limit.name))
    return bool(named & LIMITS or named & set(words(one.name)))


def _tells(staging: Staging, typed: Mapping[str, TypedTable], table: Table, column: Column) -> bool:
    """Whether what a column says is neither nearly always nor nearly never so."""
    of, joined = typed[table.name], ""
    one, other = (
        f"x.{of.columns[column.name]}",
        f"x.{of.columns[column.against]}" if not column.way else "",
    )
    if column.way:
        owner = typed[column.way[0].table or ""]
        other = f"y.{owner.columns[column.against]}"
        joined = (
            f" JOIN {owner.relation} y ON y.{owner.columns[owner.mapping.key or '']} = "
            f"x.{of.columns[column.way[0].column]}"
        )
    step = of.rows // ENOUGH + 1
    ((share,),) = staging.rows(
        f"SELECT avg(CAST({one} {column.operator} {other} AS DOUBLE)) FROM "
        f"{of.relation} x{joined} WHERE x.rowid % {step} = 0"
    )
    return share is not None and SELDOM <= float(str(share)) <= 1 - SELDOM
