"""What the two things of a table are that rows tie: a bond of nitrogen and oxygen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from workbench.database import text_literal
from workbench.structure.relational import ENDS, Column, Reference, Schema, Table
from workbench.tables import Staging, TypedTable

FEWEST, MOST = 2, 20
"""Values of a category whose pairs are looked at."""
MOST_PAIRS = 8
"""Pairs of values that are looked at, the commonest."""


def with_tied(
    staging: Staging, schema: Schema, typed: Mapping[str, TypedTable]
) -> Mapping[str, Table]:
    """The tables, those whose rows tie two things of another with what both of these are."""
    found = dict(schema.tables)
    for table in schema.tables.values():
        ends = _ends(table)
        if ends and not table.of:
            of = schema[ends[0].table or ""]
            tied = tuple(_categories(staging, typed, table, of, ends))
            found[table.name] = replace(table, tied=tied)
    return found


def _ends(table: Table) -> tuple[Reference, ...]:
    """The two references of a table's rows to things of one other table; none where it has fewer
    or more.
    """
    by_table: dict[str, list[Reference]] = {}
    for one in table.to_others:
        if one.table is not None and one.table != table.name:
            by_table.setdefault(one.table, []).append(one)
    return next((tuple(ends) for ends in by_table.values() if len(ends) == 2), ())


def _categories(
    staging: Staging,
    typed: Mapping[str, TypedTable],
    table: Table,
    of: Table,
    ends: tuple[Reference, ...],
) -> Iterator[Column]:
    """A category for each of the things' categories: the commonest pairs of its values."""
    here, there = typed[table.name], typed[of.name]
    key = there.columns[of.key or ""]
    joins = " ".join(
        f"JOIN {there.relation} {alias} ON {alias}.{key} = x.{here.columns[one.column]}"
        for alias, one in zip("ab", ends)
    )
    for column in of.columns:
        few = FEWEST <= len(column.values) <= MOST
        if column.kind != "category" or column.beginning or not few:
            continue
        if any(one.column == column.name for one in of.references):
            continue
        name = there.columns[column.name]
        rows = staging.rows(
            f"SELECT {pair_of(f'a.{name}', f'b.{name}')} AS p FROM {here.relation} x {joins} "
            f"WHERE p IS NOT NULL GROUP BY p ORDER BY count(*) DESC, p LIMIT {MOST_PAIRS}"
        )
        values = tuple(str(value) for (value,) in rows if str(value).count(ENDS) == 1)
        if len(values) > 1:
            yield Column(column.name, "category", values, ends=ends)


def pair_of(one: str, other: str) -> str:
    """Both cells as a text, the first in the alphabet first; NULL where one is, in SQL."""
    first, second = f"{one}::VARCHAR", f"{other}::VARCHAR"
    # least() and greatest() pass NULL over, and || does not.
    return (
        f"CASE WHEN {first} <= {second} THEN {first} || {text_literal(ENDS)} || {second} "
        f"WHEN {second} < {first} THEN {second} || {text_literal(ENDS)} || {first} END"
    )
