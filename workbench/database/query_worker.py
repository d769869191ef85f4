"""A query's own process: a database in memory, limits that hold for every statement, one answer.

Run as a script by `workbench.database.query_process`, so that it imports nothing but what it needs.
On standard input: the request's length and its pickle, then one Arrow stream a table. On standard
output: a byte once the tables are in, then the pickled answer.
"""

from __future__ import annotations

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
    (length,) = struct.unpack("<Q", source.read(8))
    request = pickle.loads(source.read(length))
    limit_memory(request["memory"] + BESIDE_THE_DATABASE)
    with TemporaryDirectory() as directory:
        connection = duckdb.connect(
            config={
                "memory_limit": f"{request['memory']}B",
                "temp_directory": directory,
                "max_temp_directory_size": f"{4 * request['memory']}B",
                "threads": 2,
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
            }
        )
        # Only now: a database that is closed to the outside does not take a directory to spill to.
        connection.execute("SET enable_external_access = false")
        take_in(connection, request, source)
        target.write(b"R")
        target.flush()
        answer = pickle.dumps(answer_of(connection, request), protocol=5)
        if len(answer) > request["largest"]:
            answer = pickle.dumps({"too_large": len(answer)}, protocol=5)
        target.write(answer)
        target.flush()


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
