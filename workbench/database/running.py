"""Connections whose statements a Ctrl-C ends: DuckDB may lose a signal's exception."""

from __future__ import annotations

from contextlib import suppress
from weakref import WeakSet

import duckdb

__all__ = ["ended_on_interrupt", "interrupt_statements"]

_CONNECTIONS: WeakSet[duckdb.DuckDBPyConnection] = WeakSet()


def ended_on_interrupt(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """The connection, once `interrupt_statements` knows it."""
    _CONNECTIONS.add(connection)
    return connection


def interrupt_statements() -> None:
    """End what runs on any connection of this process; where nothing runs, nothing happens."""
    for connection in list(_CONNECTIONS):
        with suppress(duckdb.Error):  # it may be closed
            connection.interrupt()
