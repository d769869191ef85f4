"""A query's own process: a database in memory, limits that hold for every statement, one answer.

Run as a script by `workbench.database.query_process`, so that it imports nothing but what it needs.
On standard input: the request's length and its pickle, then one Arrow stream a table. On standard
output: a byte once the tables are in, then the pickled answer.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa

# Beyond the database's own memory: the interpreter, its libraries and the answer on its way out.
BESIDE_THE_DATABASE = 1 << 30


def main() -> None:
    """Take the tables in, run the query, write the answer."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    connection = duckdb.connect(
        config={
            "threads": 2,
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
    )
    if not (length := source.read(8)):
        return  # whoever started it has ended
    request = pickle.loads(source.read(*struct.unpack("<Q", length)))
    limit_memory(request["memory"] + BESIDE_THE_DATABASE)
    with TemporaryDirectory() as directory:
        close(connection, request["memory"], directory)
        take_in(connection, request, source)
        target.write(b"R")
        target.flush()
        answer = pickle.dumps(answer_of(connection, request), protocol=5)
    if len(answer) > request["largest"]:
        answer = pickle.dumps({"too_large": len(answer)}, protocol=5)
    target.write(answer)
    target.flush()
    os._exit(0)  # the answer need not wait until the database has put itself away


def close(connection: duckdb.DuckDBPyConnection, memory: int, directory: str) -> None:
    """Close the database to the outside, and bound what it takes in memory and on disk."""
    connection.execute(f"SET memory_limit = '{memory}B'")
    connection.execute("SET temp_directory = ?", [directory])
    connection.execute(f"SET max_temp_directory_size = '{4 * memory}B'")
    # Only now: a database that is closed to the outside does not take a directory to spill to.
    connection.execute("SET enable_external_access = false")


def limit_memory(size: int) -> None:
    """Refuse this process more than `size` bytes of data, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def take_in(connection: duckdb.DuckDBPyConnection, request: dict[str, Any], source: Any) -> None:
    """The declarations, then the rows of the tables that the query mentions."""
    for statement in request["tables"]:
        connection.execute(statement)
    incoming = "incoming_rows"
    while any(incoming in table.casefold() for table in request["filled"]):
        incoming += "_"
    for table in request["filled"]:
        with pa.ipc.open_stream(source) as rows:
            connection.register(incoming, rows)
            connection.execute(f"INSERT INTO {table} FROM {incoming}")
            connection.unregister(incoming)
    for statement in request["views"]:
        connection.execute(statement)
    connection.execute("SET lock_configuration = true")
    connection.execute("BEGIN TRANSACTION READ ONLY")


def answer_of(connection: duckdb.DuckDBPyConnection, request: dict[str, Any]) -> dict[str, Any]:
    """Columns, types and the first rows; or what went wrong."""
    try:
        result = connection.execute(request["sql"], request["parameters"])
        described = result.description or []
        rows = result.fetchmany(request["rows"] + 1)
    except (duckdb.OutOfMemoryException, MemoryError):
        return {"no_memory": True}
    except (duckdb.Error, ModuleNotFoundError) as error:
        return {"error": str(error)}
    return {
        "columns": tuple(str(item[0]) for item in described),
        "types": tuple(str(item[1]) for item in described),
        "rows": rows,
    }


if __name__ == "__main__":
    main()
