"""Rows of tables whose things are the rows, that a workspace has already: they count once."""

from __future__ import annotations

from dataclasses import replace

from workbench.database import Database, handed_in, quoted, text_literal
from workbench.database.stored import StoredPredicate
from workbench.errors import Diagnostic
from workbench.tables.facts import MappedPredicate, mapped_predicates, target_of
from workbench.tables.mapping import TablesMapping
from workbench.tables.staged import Staging
from workbench.tables.typed import TypedTable


def without_rows_there(
    staging: Staging, typed: TypedTable, mapping: TablesMapping, among: Database, world: str
) -> TypedTable:
    """The rows but for those that say, in all the columns given, what one there says.

    O(n) for n rows there: facts are joined by what they are about.
    """
    said = [
        (found, cell)
        for found in mapped_predicates(mapping)
        if found.table == typed.mapping.name and (cell := _cell(typed, mapping, found)) is not None
    ]
    stored = among.predicates()
    if not said or not all(found.name in stored for found, _ in said):
        return typed
    there = (
        among.cursor()
        .sql(_rows_of([stored[found.name] for found, _ in said], among, world))
        .to_arrow_table()
    )
    same = " AND ".join(
        f"t.{cell} IS NOT DISTINCT FROM e.c{place}" for place, (_, cell) in enumerate(said)
    )
    with handed_in(staging.connection, "rows_there", there):
        repeated = staging.connection.execute(
            f"DELETE FROM {typed.relation} t WHERE EXISTS (FROM rows_there e WHERE {same})"
        ).fetchall()[0][0]
    if not repeated:
        return typed
    rows, count = ("1 row of", "counts") if repeated == 1 else (f"{repeated:,} rows of", "count")
    note = Diagnostic(
        "E0240",
        f"{rows} {staging.tables[typed.mapping.name].source.shown} {count} once: what "
        f"{'it says is' if repeated == 1 else 'they say is'} there already",
        severity="warning",
    )
    return replace(typed, rows=typed.rows - repeated, notes=(*typed.notes, note))


def _cell(typed: TypedTable, mapping: TablesMapping, found: MappedPredicate) -> str | None:
    """The SQL name of what a predicate says of a row; None where the rows leave that out."""
    if found.column is None:
        return None
    target = target_of(mapping)
    if target is not None and typed.target and found.name in (target.predicate, mapping.known):
        return typed.target
    return typed.columns.get(found.column.name)


def _rows_of(predicates: list[StoredPredicate], among: Database, world: str) -> str:
    """A query of what facts say of each thing there: `c0`, ..., NULL where they say nothing."""
    tables = among.type_tables()
    of_world = f"(SELECT id FROM world WHERE name = {text_literal(world)})"
    joins = []
    for place, stored in enumerate(predicates):
        names = dict(stored.constant_columns)
        last = stored.columns[-1]
        name = names.get(last) if stored.arity > 1 else None
        what = "f.value" if stored.arity == 1 else f"f.{last}" if name is None else "n.name"
        named = "" if name is None else f"JOIN {quoted(tables[name])} n ON n.id = f.{last}"
        joins.append(
            f"LEFT JOIN (SELECT f.a0 AS thing, {what} AS c{place} FROM {quoted(stored.table_name)} "
            f"f {named} WHERE f.world = {of_world} AND f.partition <> 'target') f{place} "
            f"ON f{place}.thing = t.id"
        )
    things = quoted(tables[predicates[0].argument_types[0]])
    cells = ", ".join(f"f{place}.c{place}" for place in range(len(predicates)))
    return f"SELECT {cells} FROM {things} t {' '.join(joins)}"
