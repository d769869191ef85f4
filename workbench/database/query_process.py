"""Running a user's query in a process of its own, over copies of the tables that it mentions."""

from __future__ import annotations

import atexit
import pickle
import struct
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import IO, Any

import duckdb

from workbench.database.identifiers import quoted, text_literal
from workbench.errors import InputError, WorkbenchError
from workbench.progress import after

WORKER = Path(__file__).with_name("query_worker.py")
MEMORY = 1 << 30
LARGEST_ANSWER = 64 << 20
SECONDS_TO_BEGIN = 120.0


def run_apart(
    cursor: duckdb.DuckDBPyConnection,
    sql: str,
    parameters: Mapping[str, Any],
    mentioned: frozenset[str] | None,
    *,
    max_rows: int,
    seconds: float,
) -> dict[str, Any]:
    """The answer of a query that was checked already: `columns`, `types`, `rows`, or `error`.

    The process that holds the workspace cannot bound one query's memory, nor interrupt every
    function; a process of its own can be ended. Nothing the query does reaches the workspace.

    `mentioned`: names that occur in the query, in lower case; only tables among them, and those
    beneath views among them, are filled. None fills all tables, for queries about the catalogue.

    Raises E0216 where the time is up, E0225 where the memory or the size of an answer is.
    """
    tables, views = _relations(cursor)
    filled = _filled(tables, views, mentioned)
    request = {
        "tables": [*_types(cursor), "CREATE SCHEMA facts", *tables.values()],
        "views": list(views.values()),
        "filled": [quoted(name) for name in filled],
        "sql": sql,
        "parameters": dict(parameters),
        "rows": max_rows,
        "memory": MEMORY,
        "largest": LARGEST_ANSWER,
    }
    late = Event()
    with _taken() as process:
        try:
            answer = _converse(process, cursor, request, filled, seconds, late)
        finally:
            process.kill()
            if not waiting:
                waiting.append(_begun())
    if late.is_set():
        raise InputError.of(
            "E0216",
            f"the query was stopped after {seconds:g} seconds",
            help="ask for less, or raise the time limit",
        )
    if "no_memory" in answer:
        raise _too_much(f"the query needs more than {MEMORY >> 30} GB of memory")
    if "too_large" in answer:
        raise _too_much(f"the answer is larger than {LARGEST_ANSWER >> 20} MB")
    return answer


waiting: list[subprocess.Popen[bytes]] = []
"""One for the next query, which need not wait until libraries are imported."""


def _taken() -> subprocess.Popen[bytes]:
    """A process that waits for a query, or a new one."""
    while waiting:
        process = waiting.pop()
        if process.poll() is None:
            return process
    return _begun()


def _begun() -> subprocess.Popen[bytes]:
    """Isolated: neither the directory it is started in nor the user's settings choose what it
    imports.
    """
    return subprocess.Popen(
        [sys.executable, "-I", str(WORKER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@atexit.register
def end_waiting() -> None:
    """End those that wait."""
    while waiting:
        waiting.pop().kill()


def _converse(
    process: subprocess.Popen[bytes],
    cursor: duckdb.DuckDBPyConnection,
    request: dict[str, Any],
    filled: list[str],
    seconds: float,
    late: Event,
) -> dict[str, Any]:
    """What the process answers; the query's own time begins once its tables are in."""
    assert process.stdin is not None
    assert process.stdout is not None

    def end() -> None:
        late.set()
        process.kill()

    try:
        with after(SECONDS_TO_BEGIN, end):
            packed = pickle.dumps(request, protocol=5)
            process.stdin.write(struct.pack("<Q", len(packed)) + packed)
            for name in filled:
                _send(cursor, name, process.stdin)
            process.stdin.close()
            process.stdout.read(1)
        with after(seconds, end):
            answer = process.stdout.read()
    except BrokenPipeError:
        answer = b""
    return dict(pickle.loads(answer)) if answer else _ended_early(process, late)


def _ended_early(process: subprocess.Popen[bytes], late: Event) -> dict[str, Any]:
    """What a process that gave no answer ended of."""
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    # One that the limit on memory ended in the middle of a library has no words for it, or a
    # library's own.
    if late.is_set() or process.wait() < 0 or "MemoryError" in said or "bad_alloc" in said:
        return {"no_memory": True}
    raise RuntimeError(
        f"the query's process ended with {process.returncode}: {said.strip()[-500:]}"
    )


def _send(cursor: duckdb.DuckDBPyConnection, table: str, target: IO[bytes]) -> None:
    import pyarrow as pa

    rows = cursor.sql(f"FROM {quoted(table)}").to_arrow_reader(100_000)
    with pa.ipc.new_stream(target, rows.schema) as writer:
        for batch in rows:
            writer.write_batch(batch)


def _relations(cursor: duckdb.DuckDBPyConnection) -> tuple[dict[str, str], dict[str, str]]:
    """Each table and each readable view with the statement that makes it."""
    tables = cursor.execute(
        "SELECT table_name, sql FROM duckdb_tables() WHERE NOT temporary AND schema_name = 'main' "
        "ORDER BY table_oid"
    )
    held = dict(tables.fetchall())
    views = cursor.execute(
        "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY view_oid"
    )
    return held, dict(views.fetchall())


def _types(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    kinds = cursor.execute(
        "SELECT type_name, labels FROM duckdb_types() WHERE NOT internal AND labels IS NOT NULL"
    )
    return [
        f"CREATE TYPE {quoted(name)} AS ENUM ({', '.join(text_literal(label) for label in labels)})"
        for name, labels in kinds.fetchall()
    ]


def _filled(
    tables: Mapping[str, str], views: Mapping[str, str], mentioned: frozenset[str] | None
) -> list[str]:
    """The tables that a query needs: a few too many do no harm, one too few a wrong answer."""
    if mentioned is None:
        return list(tables)
    beneath = " ".join(
        sql.casefold() for name, sql in views.items() if name.casefold() in mentioned
    )
    return [name for name in tables if name.casefold() in mentioned or name.casefold() in beneath]


def _too_much(message: str) -> WorkbenchError:
    return InputError.of(
        "E0225", message, help="ask for fewer rows or columns, or for shorter values"
    )
