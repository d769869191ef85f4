"""The one door to files and other databases: a throw-away DuckDB that hands rows over."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import duckdb

from workbench.database.identifiers import text_literal
from workbench.database.rows import handed_in
from workbench.database.running import prepared

if TYPE_CHECKING:
    import pandas as pd

VECTORS_PER_CHUNK = 50
LEAST_MEMORY, MEMORY_OF_A_THREAD = 1024, 128


def memory_of_a_load() -> str:
    """What DuckDB may hold while tables are loaded; more goes to disk at little cost."""
    return f"{max(LEAST_MEMORY, MEMORY_OF_A_THREAD * (os.cpu_count() or 1))}MB"


@contextmanager
def outside() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty in-memory DuckDB that may read files and attach databases."""
    connection = prepared(duckdb.connect(config={"autoinstall_known_extensions": "false"}))
    try:
        yield connection
    finally:
        connection.close()


def copy_in(
    query: str, reader: duckdb.DuckDBPyConnection, target: duckdb.DuckDBPyConnection, table: str
) -> int:
    """Create the temporary `table` in `target` from a query on `reader`, chunk by chunk; the number
    of rows.

    Memory: a hundred thousand rows at a time.
    """
    columns = ", ".join(
        f'"{name}" {kind}' for name, kind, *_ in reader.execute(f"DESCRIBE {query}").fetchall()
    )
    target.execute(f"CREATE OR REPLACE TEMP TABLE {table} ({columns})")
    result = reader.execute(query)
    total = 0
    while len(chunk := result.fetch_df_chunk(VECTORS_PER_CHUNK)):
        with handed_in(target, "incoming_chunk", chunk):
            target.execute(f"INSERT INTO {table} FROM incoming_chunk")
        total += len(chunk)
    return total


def parquet_bytes(frame: pd.DataFrame) -> bytes:
    """A data frame as a Parquet file."""
    with outside() as writer, TemporaryDirectory() as directory:
        path = Path(directory) / "frame.parquet"
        writer.register("frame", frame)
        writer.execute(f"COPY frame TO {text_literal(path)} (FORMAT parquet)")
        return path.read_bytes()


def first_line(error: Exception) -> str:
    """The first line of a DuckDB message, without its kind."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return re.sub(r"^[A-Za-z ]*(?:Error|Exception): ", "", lines[0])
