"""Queries that users type: one statement, read only, with limits on rows and time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Timer
from time import monotonic
from typing import Any

import duckdb

from workbench.database.database import Database
from workbench.database.outside import first_line
from workbench.errors import InputError, WorkbenchError

__all__ = ["QueryResult", "query", "query_parameters"]

_ALLOWED = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)


@dataclass(frozen=True)
class QueryResult:
    """The rows of a query.

    Attributes
    ----------
    columns, types : tuple of str
    rows : tuple of tuples
    truncated : bool
        Whether the row limit cut the answer short.
    seconds : float
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    seconds: float


def query_parameters(sql: str) -> tuple[str, ...]:
    """The names of the `$name` parameters of a statement, sorted; E0215 when it cannot be parsed."""
    with duckdb.connect() as connection:
        try:
            statements = connection.extract_statements(sql)
        except duckdb.Error as error:
            raise _refused(first_line(error)) from None
    return tuple(sorted({name for statement in statements for name in statement.named_parameters}))


def query(
    database: Database,
    sql: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    max_rows: int = 1000,
    seconds: float = 10.0,
) -> QueryResult:
    """Run one SELECT or EXPLAIN in a read-only transaction on a cursor of its own.

    The workspace's database reaches neither files nor network, so a query cannot either.

    Raises
    ------
    InputError
        E0215 for a statement that is refused or wrong; E0216 when the time is up.
    """
    cursor = database.cursor()
    started = monotonic()
    try:
        statements = cursor.extract_statements(sql)
        if len(statements) != 1:
            raise _refused(f"the console takes one statement at a time, not {len(statements)}")
        if statements[0].type not in _ALLOWED:
            raise _refused(f"the console reads only: SELECT or EXPLAIN, not {statements[0].type.name}")
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        timer = Timer(seconds, cursor.interrupt)
        timer.start()
        try:
            result = cursor.execute(statements[0], dict(parameters or {}))
            described = result.description or []
            rows = tuple(result.fetchmany(max_rows + 1))
        finally:
            timer.cancel()
    except duckdb.InterruptException:
        raise InputError.of(
            "E0216", f"the query was stopped after {seconds:g} seconds", help="ask for less, or raise the time limit"
        ) from None
    except duckdb.Error as error:
        raise _refused(first_line(error)) from None
    finally:
        cursor.close()
    return QueryResult(
        tuple(item[0] for item in described),
        tuple(str(item[1]) for item in described),
        rows[:max_rows],
        len(rows) > max_rows,
        monotonic() - started,
    )


def _refused(message: str) -> WorkbenchError:
    return InputError.of("E0215", message)
