"""Arrays kept beside a run, so that what was computed for it need not be computed again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from workbench.arrays import Array
from workbench.database.arrow_columns import run_starts
from workbench.database.database import Database

_TABLE = (
    "CREATE TABLE IF NOT EXISTS run_array (run INTEGER, name VARCHAR, kind VARCHAR, shape "
    "BIGINT[], content BLOB)"
)
"""Made when the first array is kept: it can be computed again, so copies leave it out."""

_LENGTHS = ":lengths"
"""After the name of an array whose runs of equal values are kept once each: how long they are."""
_FEWER = 4
"""So many times fewer runs than values are worth it."""


def keep_arrays(database: Database, run: int, arrays: Mapping[str, Array]) -> None:
    """Keep arrays under a run in place of what was kept under it: numbers and booleans."""
    with database.transaction() as connection:
        connection.execute(_TABLE)
        connection.execute("DELETE FROM run_array WHERE run = ?", [run])
        for name, values in _in_runs(arrays):
            content = np.ascontiguousarray(values).tobytes()
            connection.execute(
                "INSERT INTO run_array VALUES (?, ?, ?, ?, ?)",
                [run, name, values.dtype.str, list(values.shape), content],
            )


def kept_arrays(database: Database, run: int, beginning: str = "") -> dict[str, Array]:
    """The arrays kept under a run, those whose names begin so; none where there are none."""
    if not _is_there(database):
        return {}
    rows = database.execute(
        "SELECT name, kind, shape, content FROM run_array WHERE run = $run AND starts_with(name, "
        "$beginning)",
        {"run": run, "beginning": beginning},
    ).fetchall()
    found = {
        name: np.frombuffer(content, kind).reshape(shape) for name, kind, shape, content in rows
    }
    return {
        name: np.repeat(values, found[name + _LENGTHS]) if name + _LENGTHS in found else values
        for name, values in found.items()
        if not name.endswith(_LENGTHS)
    }


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


def forget_arrays(database: Database, run: int, but: str | None = None) -> None:
    """Let the arrays of a run go, but those whose names begin so."""
    if _is_there(database):
        with database.transaction() as connection:
            connection.execute(
                "DELETE FROM run_array WHERE run = $run AND ($but IS NULL OR NOT starts_with(name, "
                "$but))",
                {"run": run, "but": but},
            )


def _is_there(database: Database) -> bool:
    return bool(
        database.execute("SELECT 1 FROM duckdb_tables() WHERE table_name = 'run_array'").fetchall()
    )
