"""Queries that users type: one statement, read only, with limits on rows and time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Timer
from time import monotonic
from typing import Any

import duckdb

from workbench.database.database import Database
from workbench.database.outside import first_line
from workbench.database.rows import first_row
from workbench.errors import InputError, WorkbenchError

__all__ = ["QueryResult", "query", "query_parameters"]

_BLANK = r"(?:\s|--[^\n]*\n|/\*.*?\*/)"
_EXPLAIN = re.compile(rf"{_BLANK}*EXPLAIN\b{_BLANK}*(?:ANALYZE\b|\([\w\s,]*\))?", re.IGNORECASE | re.DOTALL)

# Functions that may stand after FROM; others read files or memory, run SQL unseen, or turn logs and profiles on.
_TABLE_FUNCTIONS = frozenset(
    "range generate_series unnest repeat repeat_row json_each json_tree summary histogram histogram_values "
    "query_table pg_timezone_names icu_calendar_names".split()
)
_CATALOGUES = ("duckdb_", "pragma_")
_ACTIONS = frozenset(("nextval", "setval", "setseed", "write_log"))


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
    """Run one SELECT, or the EXPLAIN of one, in a read-only transaction on a cursor of its own.

    The workspace's database reaches neither files nor network, so a query cannot either; nor does it call functions
    that do more than read.

    Raises
    ------
    InputError
        E0215 for a statement that is refused or wrong; E0216 when the time is up.
    """
    cursor = database.cursor()
    started = monotonic()
    try:
        statement = _only_statement(cursor, sql)
        _check_reading(cursor, sql if statement.type is duckdb.StatementType.SELECT else _explained(sql))
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        timer = Timer(seconds, cursor.interrupt)
        timer.start()
        try:
            result = cursor.execute(statement, dict(parameters or {}))
            described = result.description or []
            rows = tuple(result.fetchmany(max_rows + 1))
        finally:
            timer.cancel()
    except duckdb.InterruptException:
        raise InputError.of(
            "E0216", f"the query was stopped after {seconds:g} seconds", help="ask for less, or raise the time limit"
        ) from None
    except duckdb.Error as error:
        if "pytz" in str(error):
            raise _refused("a time with a zone cannot be shown; cast it to TIMESTAMP or VARCHAR") from None
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


def _only_statement(cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    statements = cursor.extract_statements(sql)
    if len(statements) != 1:
        raise _refused(f"the console takes one statement at a time, not {len(statements)}")
    return statements[0]


def _explained(sql: str) -> str:
    """What follows EXPLAIN: DuckDB carries out some of what it explains, such as SET."""
    prefix = _EXPLAIN.match(sql)
    return sql[prefix.end() :] if prefix else sql


def _check_reading(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Refuse all but one SELECT, and one that calls a function that does more than read."""
    kind = _only_statement(cursor, sql).type
    if kind is not duckdb.StatementType.SELECT:
        raise _refused(f"the console reads only: SELECT or EXPLAIN, not {kind.name}")
    row = first_row(cursor.execute("SELECT json_serialize_sql($sql)", {"sql": sql}))
    parsed = json.loads(row[0] if row else "{}")
    if parsed.get("error", True):
        raise _refused(str(parsed.get("error_message", "this statement cannot be checked")))
    for place, name in _calls(parsed):
        after_from = place == "TABLE_FUNCTION"
        if name in _ACTIONS or (after_from and name not in _TABLE_FUNCTIONS and not name.startswith(_CATALOGUES)):
            raise _refused(f"the console reads this workspace only, and does not call {name}")


def _calls(node: Any) -> Iterator[tuple[str, str]]:
    """Where each function is called, and its name, anywhere in a parsed statement."""
    if isinstance(node, list):
        for item in node:
            yield from _calls(item)
    elif isinstance(node, dict):
        if node.get("type") in ("TABLE_FUNCTION", "FUNCTION"):
            called = node["function"] if node["type"] == "TABLE_FUNCTION" else node
            yield node["type"], str(called.get("function_name", "")).lower()
        for item in node.values():
            yield from _calls(item)


def _refused(message: str) -> WorkbenchError:
    return InputError.of("E0215", message)
