"""Queries that users type: one statement, read only, with limits on rows and time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

import duckdb

from workbench.database.database import Database
from workbench.database.identifiers import quoted
from workbench.database.outside import first_line
from workbench.database.query_process import run_apart
from workbench.database.rows import first_value
from workbench.errors import InputError, WorkbenchError, nearest

_BLANK = r"(?:\s|--[^\n]*\n|/\*.*?\*/)"
_EXPLAIN = re.compile(
    rf"{_BLANK}*EXPLAIN\b{_BLANK}*(?:ANALYZE\b|\([\w\s,]*\))?", re.IGNORECASE | re.DOTALL
)

# Functions that may stand after FROM; others read files or memory, run SQL unseen, or turn logs and
# profiles on.
_TABLE_FUNCTIONS = frozenset(
    "range generate_series unnest repeat repeat_row json_each json_tree summary histogram "
    "histogram_values "
    "query_table pg_timezone_names icu_calendar_names".split()
)
_CATALOGUES = ("duckdb_", "pragma_")
# Schemas and views of the catalogue that are read by name instead of by a function.
_CATALOGUE_NAMES = ("information_schema", "pg_catalog", "sqlite_master")
_ACTIONS = frozenset(("nextval", "setval", "setseed", "write_log"))
# What they show is of the machine, not of the workspace: paths, limits, secrets.
_SETTINGS = frozenset(("current_setting", "duckdb_settings", "duckdb_secrets", "duckdb_extensions"))


@dataclass(frozen=True)
class QueryResult:
    """The rows of a query.

    Attributes
    ----------
    rows : tuple of tuples
    truncated : bool
        Whether the row limit cut the answer short.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool
    seconds: float


def query_parameters(sql: str) -> tuple[str, ...]:
    """The names of a statement's `$name` parameters, sorted; E0215 when it cannot be parsed."""
    with duckdb.connect() as connection:
        try:
            statements = connection.extract_statements(sql)
        except duckdb.Error as error:
            raise _refused(first_line(error)) from None
    return tuple(sorted({name for statement in statements for name in statement.named_parameters}))


def relations_read(sql: str) -> frozenset[str]:
    """Names and texts in one SELECT that reads tables alone, in lower case: every table that it
    reads among them.

    Raises E0215 for any other statement, or one that is wrong.
    """
    with duckdb.connect() as connection:
        try:
            mentioned = _mentioned(_check_reading(connection, sql))
        except duckdb.Error as error:
            raise _refused(first_line(error)) from None
    if mentioned is None or "show_ref" in mentioned:
        raise _refused("it asks about the catalogue, and not about tables")
    return mentioned


def query(
    database: Database | duckdb.DuckDBPyConnection,
    sql: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    max_rows: int = 1000,
    seconds: float = 10.0,
) -> QueryResult:
    """Run one SELECT, or the EXPLAIN of one, in a process of its own over the tables that it
    mentions.

    That process reaches neither files nor network, and is ended when its time or memory is up,
    whatever the statement is busy with; functions that do more than read are refused before.

    Raises E0215 for a statement that is refused or wrong; E0216 when the time is up, E0225 when the
    memory is.
    """
    cursor = database.cursor()
    started = monotonic()
    try:
        statement = _only_statement(cursor, sql)
        parsed = _check_reading(
            cursor, sql if statement.type is duckdb.StatementType.SELECT else _explained(sql)
        )
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        answer = run_apart(
            cursor,
            statement.query,
            parameters or {},
            _mentioned(parsed),
            max_rows=max_rows,
            seconds=seconds,
        )
    except duckdb.Error as error:
        raise _refused(first_line(error)) from None
    finally:
        cursor.close()
    if "error" in answer:
        if "pytz" in answer["error"]:
            raise _refused("a time with a zone cannot be shown; cast it to TIMESTAMP or VARCHAR")
        raise _refused(answer["error"].splitlines()[0], _cure(database, answer["error"]))
    rows = tuple(answer["rows"])
    return QueryResult(
        answer["columns"],
        answer["types"],
        rows[:max_rows],
        len(rows) > max_rows,
        monotonic() - started,
    )


def _only_statement(cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.Statement:
    statements = cursor.extract_statements(sql)
    if len(statements) != 1:
        raise _refused(f"one statement is run at a time, not {len(statements)}")
    return statements[0]


def _explained(sql: str) -> str:
    """What follows EXPLAIN: DuckDB carries out some of what it explains, such as SET."""
    prefix = _EXPLAIN.match(sql)
    return sql[prefix.end() :] if prefix else sql


def _check_reading(cursor: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """The parsed statement; all but a SELECT that only reads is refused."""
    kind = _only_statement(cursor, sql).type
    if kind is not duckdb.StatementType.SELECT:
        raise _refused(f"a query only reads, with SELECT, and this is {kind.name}")
    parsed = json.loads(
        first_value(cursor.execute("SELECT json_serialize_sql($sql)", {"sql": sql}))
    )
    if parsed.get("error", True):
        raise _refused(str(parsed.get("error_message", "this statement cannot be checked")))
    for place, name in _calls(parsed):
        after_from = place == "TABLE_FUNCTION"
        if name in _ACTIONS | _SETTINGS or (
            after_from and name not in _TABLE_FUNCTIONS and not name.startswith(_CATALOGUES)
        ):
            raise _refused(f"a query reads tables only, and does not call {name}")
    return parsed


def _mentioned(parsed: Any) -> frozenset[str] | None:
    """Every name and text in a parsed statement, in lower case; None of the whole catalogue."""
    texts = frozenset(node.casefold() for node in _nodes(parsed) if isinstance(node, str))
    whole = (
        any(text.startswith((*_CATALOGUES, *_CATALOGUE_NAMES)) for text in texts)
        or "show_special" in texts
    )
    return None if whole else texts


def _nodes(node: Any) -> Iterator[Any]:
    """A parsed statement, and all that it is made of."""
    yield node
    for item in node if isinstance(node, list) else node.values() if isinstance(node, dict) else ():
        yield from _nodes(item)


def _calls(parsed: Any) -> Iterator[tuple[str, str]]:
    """Where each function is called, and its name, anywhere in a parsed statement."""
    for node in _nodes(parsed):
        if isinstance(node, dict) and node.get("type") in ("TABLE_FUNCTION", "FUNCTION"):
            called = node["function"] if node["type"] == "TABLE_FUNCTION" else node
            yield node["type"], str(called.get("function_name", "")).lower()


def _cure(database: Database | duckdb.DuckDBPyConnection, error: str) -> str | None:
    """Where the facts are of a predicate that was named like a table, or a name near to it."""
    columns = re.search(r"Candidate bindings: (.*)", error)
    if columns:
        return f"did you mean one of {columns[1]}?"
    table = re.search(r"Table with name (\S+) does not exist", error)
    if not table:
        return None
    views = "SELECT view_name FROM duckdb_views() WHERE schema_name = 'facts'"
    with database.cursor() as cursor:
        names = [name for (name,) in cursor.execute(views).fetchall()]
    close = nearest(table[1], names)
    return f"the facts of {close} are in facts.{quoted(close)}" if close else None


def _refused(message: str, help: str | None = None) -> WorkbenchError:
    return InputError.of("E0215", message, help=help)
