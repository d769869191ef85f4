"""Connections that print nothing, and whose statements a Ctrl-C ends."""

from __future__ import annotations

from contextlib import suppress
from weakref import WeakSet

import duckdb

_CONNECTIONS: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()


def prepared(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection, once `interrupt_statements` knows it; it draws no bar of its progress.

    Where Python runs no script (`python -c`, its prompt), DuckDB would draw one for statements of
    two seconds, into standard output.
    """
    if connection not in _CONNECTIONS:
        connection.execute("SET enable_progress_bar = false")
        _CONNECTIONS.add(connection)
    return connection


def interrupt_statements() -> None:
    """End what runs on any connection of this process; where nothing runs, nothing happens."""
    for connection in list(_CONNECTIONS):
        with suppress(duckdb.Error):  # it may be closed
            connection.interrupt()
