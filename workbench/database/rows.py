"""Reading the row of a query that has at most one."""

from __future__ import annotations

from typing import Any

import duckdb

__all__ = ["first_row"]


def first_row(result: duckdb.DuckDBPyConnection) -> tuple[Any, ...] | None:
    """The first row of an executed query, or None; the result is read to its end.

    A result read in part blocks relational work on its connection, so `fetchone` is not enough.
    """
    rows = result.fetchall()
    return rows[0] if rows else None
