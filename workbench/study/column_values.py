"""The different values of a column, and what people call the things that it names."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.tables import Staging, TypedTable
from workbench.tables.values import listed

NAMED = 1000
"""Values that conditions may name, the commonest."""


def n_different(staging: Staging, typed: TypedTable, column: str) -> tuple[int, int]:
    """How many different values, and filled cells."""
    name = typed.columns[column]
    row = staging.rows(f"SELECT count(DISTINCT {name}), count({name}) FROM {typed.relation}")[0]
    return int(str(row[0])), int(str(row[1]))


def commonest(staging: Staging, typed: TypedTable, column: str) -> tuple[str, ...]:
    """The commonest values."""
    name = typed.columns[column]
    rows = staging.rows(
        f"SELECT {name}::VARCHAR FROM {typed.relation} WHERE {name} IS NOT NULL GROUP BY 1 "
        f"ORDER BY count(*) DESC, 1 LIMIT {NAMED}"
    )
    return tuple(str(value) for (value,) in rows)


def called_by_people(staging: Staging, typed: TypedTable, values: Sequence[str]) -> tuple[str, ...]:
    """What people call things of a table, and their keys; empty where it has no names for them."""
    shown = [typed.columns[name] for name in typed.mapping.display if name in typed.columns]
    key = typed.columns.get(typed.mapping.key or "")
    if key is None or not shown or not values:
        return ()
    found = staging.rows(
        f"SELECT {key}::VARCHAR, concat_ws(' ', {', '.join(shown)}) FROM {typed.relation} "
        f"WHERE {key}::VARCHAR IN {listed(values)}"
    )
    names = {str(one): f"{name} ({one})" for one, name in found if name and name != one}
    return tuple(names.get(value, value) for value in values)
