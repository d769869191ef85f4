"""Whether a column's values are another table's keys."""

from __future__ import annotations

from workbench.tables.profile import ColumnCounts
from workbench.tables.staged import StagedTable, Staging
from workbench.tables.values import Alike, alike_value, is_blank

PROBES = 1000
WELL_NAMED = 0.8
"""The share of values that are keys, at least, where a column is called as the key."""
WHOLE = ", 12.0 read as 12"


def alike_of(column: ColumnCounts, key: ColumnCounts) -> Alike | None:
    """Whether whole numbers are compared that one side wrote as fractions, as programs do that
    met a blank among them; no two keys may become one by it."""
    apart = column.pointed < column.filled or key.pointed < key.filled
    once = key.pointed in (0, key.filled) and not (column.leading_zeros or key.leading_zeros)
    return "numbers" if apart and once and (column.pointed or key.pointed) else None


def contained(
    staging: Staging,
    table: StagedTable,
    column: ColumnCounts,
    other: StagedTable,
    key: ColumnCounts,
) -> tuple[int, int] | None:
    """What `inside` says; None where a look says hardly any."""
    if column.distinct > 4 * PROBES:
        step = max(1, table.rows // PROBES)
        hits, total = inside(staging, table, column, other, key, f"rowid % {step} = 0 AND ")
        if hits < 0.9 * WELL_NAMED * total:
            return None
    return inside(staging, table, column, other, key)


def inside(
    staging: Staging,
    table: StagedTable,
    column: ColumnCounts,
    other: StagedTable,
    key: ColumnCounts,
    rows: str = "",
) -> tuple[int, int]:
    """How many of a column's different values are keys, and how many there are."""
    alike, cell = alike_of(column, key), table.cell(column.name)
    hits, total = staging.rows(
        f"SELECT count(*) FILTER (x IN (SELECT {alike_value(other.cell(key.name), alike)} FROM "
        f"{other.relation})), count(*) FROM (SELECT DISTINCT {alike_value(cell, alike)} AS x FROM "
        f"{table.relation} WHERE {rows}NOT {is_blank(cell, column.reading.blanks)})"
    )[0]
    return int(hits), max(int(total), 1)
