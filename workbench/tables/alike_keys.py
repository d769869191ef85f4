"""Keys that two tables write in different ways, 12.0 and 12, 00007 and 7, AB1 and ab1: what is read
as one, and what would refer if it were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
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
LOOKED, ROWS = 2000, 200_000
"""Different values of a column that are compared, and the rows that they are taken from."""
TOGETHER = 50
"""Columns that are compared in one statement."""
_WAYS: Mapping[Alike, str] = {
    "numbers": "{one} and {other} were one number",
    "letters": "{one} and {other} were one, whatever letters are capitals and however accents are "
    "written",
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
    table, told = typed.mapping, set[str]()
    keyed = [other.mapping for other in found.values() if other.mapping.key is not None]
    for other in keyed:
        key = other.column(other.key or "")
        columns = [
            one
            for one in table.columns
            if one.name not in told and other is not table and _may_be(one, other, key)
        ]
        ways = _ways_to_refer(staging, table, columns, other) if columns else {}
        for name, way in ways.items():
            if way.as_is < NEARLY_ALL * way.values <= way.inside:
                told.add(name)
                yield _would_refer(staging, table, name, other, way)


def _may_be(column: ColumnMapping, other: TableMapping, key: ColumnMapping) -> bool:
    """Whether a column that is no reference may be meant as one, by its name or as codes."""
    if column.kind not in ("category", "text", "number") or column.parts or key.parts:
        return False
    codes = column.kind != "number" and column.distinct >= MANY
    agree = names_agree(column.name, other.name, key.name) > 0
    return column.distinct >= FEWEST and (codes or agree)


def _would_refer(
    staging: Staging, table: TableMapping, column: str, other: TableMapping, way: _Way
) -> Diagnostic:
    return Diagnostic(
        "E0241",
        f"{table.name}.{column} would refer to {other.name}.{other.key} if {way.said}: "
        f"{share(way.inside, way.values)} of its values",
        staging.tables[table.name].span(1, column),
        f'write both alike; or in the mapping give {other.key} alike = "{way.way}", and '
        f'{column} kind = "reference", table = "{other.name}", alike = "{way.way}"',
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
    found = _ways_to_refer(staging, table, [column], other).get(column.name)
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


def _ways_to_refer(
    staging: Staging, table: TableMapping, columns: Sequence[ColumnMapping], other: TableMapping
) -> dict[str, _Way]:
    """By column the way by which the most of its values are keys, of those which any way adds to.
    The keys are read once a way for many columns.
    """
    here, there = staging.tables[table.name], staging.tables[other.name]
    theirs, best = there.cell(other.key or ""), dict[str, _Way]()
    looked = f"(FROM {here.relation} LIMIT {ROWS})"
    for start, way in product(range(0, len(columns), TOGETHER), get_args(Alike)):
        some = columns[start : start + TOGETHER]
        cells = " UNION ALL ".join(
            f"(SELECT DISTINCT {place} AS c, {here.cell(one.name)} AS x FROM {looked} "
            f"WHERE NOT {is_blank(here.cell(one.name), one.reading.blanks)} LIMIT {LOOKED})"
            for place, one in enumerate(some)
        )
        keys = f"SELECT {theirs} AS k, {alike_value(theirs, way)} AS v FROM {there.relation}"
        matched = (
            "SELECT c, x, min(k) AS k, coalesce(bool_or(k = x), false) AS same FROM cells "
            f"LEFT JOIN keys ON v = {alike_value('x', way)} GROUP BY c, x"
        )
        rows = staging.rows(
            f"WITH keys AS ({keys}), cells AS ({cells}), matched AS ({matched}) "
            "SELECT c, count(k), count(*) FILTER (same), count(*), min(x) FILTER (k IS NOT NULL "
            "AND NOT same), arg_min(k, x) FILTER (k IS NOT NULL AND NOT same) FROM matched "
            "GROUP BY c ORDER BY c"
        )
        for place, inside, as_is, values, one, its in rows:
            name = some[place].name
            if inside > max(as_is, best[name].inside if name in best else 0):
                said = _WAYS[way].format(one=one, other=its)
                best[name] = _Way(way, said, inside, as_is, values)
    return best
