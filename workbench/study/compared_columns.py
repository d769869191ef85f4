"""Columns of rows that are set against others: payments in another country than their account's,
over its limit; parts delivered after their order was due.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from workbench.structure.relational import Column, Reference, Table
from workbench.tables import Staging, TypedTable

MOST_COMPARED = 4
"""Such columns of a table, at most."""
ENOUGH = 20_000
"""Rows that are looked at, about, for how often something is so."""
SELDOM = 0.01
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
    for place, one in enumerate(numbers[0]):
        for low in numbers[1] if way else numbers[1][place + 1 :]:
            yield Column(one.name, "flag", against=low.name, sign=">", way=way)
    for one in dates:
        for earlier in others:
            yield Column(one.name, "flag", against=earlier.name, sign="later", way=way)


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
