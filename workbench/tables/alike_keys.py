"""Keys that two tables write in different ways, 12.0 and 12, 00007 and 7, AB1 and ab1: what is read
as one, and what would refer if it were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from workbench.errors import Diagnostic
from workbench.tables.kinds import NEARLY_ALL, share
from workbench.tables.mapping import ColumnMapping, TableMapping
from workbench.tables.reference_names import names_agree
from workbench.tables.staged import Staging
from workbench.tables.typed import TypedTable
from workbench.tables.values import Alike, alike_value, is_blank

FEWEST = 5
"""Different values that are keys elsewhere by no chance, where the names agree."""
MANY = 20
"""And where they do not."""
LOOKED = 2000
_WAYS: Mapping[Alike, str] = {
    "numbers": "{one} and {other} were one number",
    "letters": "{one} and {other} were one, whatever letters are capitals",
}


def with_alike_keys(tables: Sequence[TableMapping]) -> list[TableMapping]:
    """Tables of which one refers to a key that is written otherwise there: the key, and all that
    refers to it, is read in the one way."""
    alike = {
        column.table: column.reading.alike
        for table in tables
        for column in table.columns
        if column.table is not None and column.reading.alike is not None
    }
    if not alike:
        return list(tables)

    def read(table: TableMapping, column: ColumnMapping) -> ColumnMapping:
        own = alike.get(table.name) if column.kind == "key" else None
        way = column.reading.alike or own or alike.get(column.table or "")
        return replace(column, reading=replace(column.reading, alike=way))

    return [
        replace(table, columns=tuple(read(table, column) for column in table.columns))
        for table in tables
    ]


def nearly_references(
    staging: Staging, typed: TypedTable, found: Mapping[str, TypedTable]
) -> Iterator[Diagnostic]:
    """The columns of a table that would refer to another, were keys compared as numbers, or
    whatever letters are capitals: a warning with the cure for each.
    """
    table = typed.mapping
    keyed = [other.mapping for other in found.values() if other.mapping.key is not None]
    columns = [
        one
        for one in table.columns
        if one.kind in ("category", "text", "number") and not one.parts and one.distinct >= FEWEST
    ]
    for column in columns:
        for other in keyed:
            key = other.column(other.key or "")
            agree = names_agree(column.name, other.name, key.name) > 0
            codes = column.kind != "number" and column.distinct >= MANY
            if other is not table and not key.parts and (agree or codes):
                note = _nearly(staging, table, column, other, key)
                if note is not None:
                    yield note
                    break


def _nearly(
    staging: Staging,
    table: TableMapping,
    column: ColumnMapping,
    other: TableMapping,
    key: ColumnMapping,
) -> Diagnostic | None:
    found = _way_to_refer(staging, table, column, other)
    if found is None or not found.as_is < NEARLY_ALL * found.values <= found.inside:
        return None
    return Diagnostic(
        "E0241",
        f"{table.name}.{column.name} would refer to {other.name}.{key.name} if {found.said}: "
        f"{share(found.inside, found.values)} of its values",
        staging.tables[table.name].span(1, column.name),
        f'write both alike; or in the mapping give {key.name} alike = "{found.way}", and '
        f'{column.name} kind = "reference", table = "{other.name}", alike = "{found.way}"',
        severity="warning",
    )


def more_would_refer(
    staging: Staging, table: TableMapping, column: ColumnMapping, other: TableMapping
) -> str:
    """What would make more of a reference's values keys, in words with a semicolon behind them;
    empty where nothing would."""
    key = other.column(other.key or "")
    if column.reading.alike or column.parts or key.parts:
        return ""
    found = _way_to_refer(staging, table, column, other)
    if found is None:
        return ""
    cure = f'alike = "{found.way}" for {column.name} and {key.name} in the mapping'
    return f"more would refer if {found.said}: write them alike, or say {cure}; "


@dataclass(frozen=True)
class _Way:
    """A way to compare keys by which the most values are among them; `as_is` without it."""

    way: Alike
    said: str
    inside: int
    as_is: int
    values: int


def _way_to_refer(
    staging: Staging, table: TableMapping, column: ColumnMapping, other: TableMapping
) -> _Way | None:
    """The way by which the most of a column's values are keys; None where none adds any."""
    here, there = staging.tables[table.name], staging.tables[other.name]
    cell, theirs = here.cell(column.name), there.cell(other.key or "")
    cells = (
        f"SELECT DISTINCT {cell} AS x FROM {here.relation} "
        f"WHERE NOT {is_blank(cell, column.reading.blanks)} LIMIT {LOOKED}"
    )
    best = None
    for way in get_args(Alike):
        keys = f"SELECT {theirs} AS k, {alike_value(theirs, way)} AS v FROM {there.relation}"
        matched = (
            "SELECT x, min(k) AS k, coalesce(bool_or(k = x), false) AS same FROM cells "
            f"LEFT JOIN keys ON v = {alike_value('x', way)} GROUP BY x"
        )
        inside, as_is, values, one, its = staging.rows(
            f"WITH keys AS ({keys}), cells AS ({cells}), matched AS ({matched}) "
            "SELECT count(k), count(*) FILTER (same), count(*), min(x) FILTER (k IS NOT NULL AND "
            "NOT same), arg_min(k, x) FILTER (k IS NOT NULL AND NOT same) FROM matched"
        )[0]
        if inside > max(as_is, best.inside if best else 0):
            best = _Way(way, _WAYS[way].format(one=one, other=its), inside, as_is, values)
    return best
