"""Arrays kept beside a run, so that what was computed for it need not be computed again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from workbench.arrays import Array
from workbench.database.arrow_columns import run_starts
from workbench.database.database import Database

_TABLES = ("run_array", "run_rows")
"""What an answer's next one has otherwise, and what stays as it is: a checkpoint writes no table
again of which nothing changed. Made when the first array is kept: what they hold can be computed
again, so copies and repairs leave them out.
"""

_COLUMNS = "(run INTEGER, name VARCHAR, kind VARCHAR, shape BIGINT[], content BLOB)"

_LENGTHS = ":lengths"
"""After the name of an array whose runs of equal values are kept once each: how long they are."""
_FEWER = 4
"""So many times fewer runs than values are worth it."""


def keep_arrays(
    database: Database, run: int, arrays: Mapping[str, Array], *, rows: bool = False
) -> None:
    """Keep arrays under a run in place of what was kept under it: numbers and booleans.

    `rows`: whether they stay as they are while later runs have other answers.
    """
    table = _TABLES[rows]
    with database.transaction() as connection:
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} {_COLUMNS}")
        connection.execute(f"DELETE FROM {table} WHERE run = ?", [run])
        for name, values in _in_runs(arrays):
            content = np.ascontiguousarray(values).tobytes()
            connection.execute(
                f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?)",
                [run, name, values.dtype.str, list(values.shape), content],
            )


def kept_arrays(database: Database, run: int, *, rows: bool = False) -> dict[str, Array]:
    """The arrays kept under a run; none where there are none."""
    table = _TABLES[rows]
    if not _is_there(database, table):
        return {}
    found = {
        name: np.frombuffer(content, kind).reshape(shape)
        for name, kind, shape, content in database.execute(
            f"SELECT name, kind, shape, content FROM {table} WHERE run = $run", {"run": run}
        ).fetchall()
    }
    return {
        name: np.repeat(values, found[name + _LENGTHS]) if name + _LENGTHS in found else values
        for name, values in found.items()
        if not name.endswith(_LENGTHS)
    }


def keeps_rows(database: Database, run: int) -> bool:
    """Whether rows are kept under a run."""
    table = _TABLES[True]
    return _is_there(database, table) and bool(
        database.execute(f"SELECT 1 FROM {table} WHERE run = $run LIMIT 1", {"run": run}).fetchall()
    )


def _in_runs(arrays: Mapping[str, Array]) -> Iterator[tuple[str, Array]]:
    """Arrays as they are kept: most of a network have one value for all rows of a template."""
    for name, values in arrays.items():
        few = (
            values.ndim == 1 and np.count_nonzero(values[1:] != values[:-1]) * _FEWER < values.size
        )
        if few and values.size:
            starts = run_starts(values)
            yield name, values[starts]
            yield name + _LENGTHS, np.diff(np.append(starts, values.size)).astype(np.int32)
        else:
            yield name, values


def forget_arrays(database: Database, run: int, *, rows: bool = True) -> None:
    """Let the arrays of a run go, the rows among them or not."""
    for table in _TABLES if rows else _TABLES[:1]:
        if _is_there(database, table):
            with database.transaction() as connection:
                connection.execute(f"DELETE FROM {table} WHERE run = ?", [run])


def _is_there(database: Database, table: str) -> bool:
    return bool(
        database.execute(
            "SELECT 1 FROM duckdb_tables() WHERE table_name = $table", {"table": table}
        ).fetchall()
    )
