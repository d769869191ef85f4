"""Rules whose groundings are too many to be counted: seen before the count begins."""

from __future__ import annotations

import json
from typing import Any

import duckdb

from workbench.database.rows import first_row
from workbench.grounding.select import Call, Select, Source, Star, Union, Value, render

__all__ = ["has_more_than"]


def has_more_than(connection: duckdb.DuckDBPyConnection, selects: tuple[Select, ...], most: int) -> bool:
    """Whether queries have more than `most` rows together.

    DuckDB's estimate says whether a look is worth it; rows are then made, and none after the first too many. A second
    is enough for some fifty millions.
    """
    if sum(_estimated_rows(connection, select) for select in selects) <= most:
        return False
    rows = Select((("one", Value(1)),), (Source(Union(selects), "u"),), limit=most + 1)
    counted = Select((("n", Call("count", (Star(),))),), (Source(rows, "r"),))
    found = first_row(connection.execute(render(counted)))
    return found is not None and int(found[0]) > most


def _estimated_rows(connection: duckdb.DuckDBPyConnection, select: Select) -> float:
    """What DuckDB expects of a query: the estimate of the topmost operator that has one; 0 where none has."""
    row = first_row(connection.execute(f"EXPLAIN (FORMAT JSON) {render(select)}"))
    pending: list[Any] = json.loads(row[1]) if row is not None else []
    while pending:
        node = pending.pop(0)
        estimate = node.get("extra_info", {}).get("Estimated Cardinality")
        if estimate is not None:
            return float(estimate)
        pending += node.get("children", [])
    return 0.0
