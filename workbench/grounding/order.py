"""The order of a query's rows, the same for any number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Array
from workbench.database.arrow_columns import numpy_column
from workbench.grounding.select import Select, Union


def in_order(
    relation: duckdb.DuckDBPyRelation, select: Select | Union, size: int, *, shared: bool
) -> Iterator[Any]:
    """A query's rows in Arrow batches of about `size`, in an order that rows alone decide.

    DuckDB keeps the order of what it scans. Where threads share a join of large relations, what
    meets one row may come in any order: such rows are gathered, and sorted by all columns unless
    they are in that order already.
    """
    if not shared or isinstance(select, Union) or select.order_by or len(select.sources) < 2:
        yield from relation.to_arrow_reader(size)
        return
    table = relation.to_arrow_table()
    columns = [numpy_column(column) for column in table.columns]
    if table.num_rows and not ascending(columns):
        table = table.from_arrays(_sorted(columns), schema=table.schema)
    yield from table.to_batches(max_chunksize=size)


def ascending(columns: list[Array]) -> bool:
    """Whether rows, compared column by column, never descend. A pass or two per deciding column."""
    tied: Array | None = None
    for column in columns:
        before, after = column[:-1], column[1:]
        if tied is None:
            if np.any(after < before):
                return False
            tied = after == before
        else:
            if np.any(tied & (after < before)):
                return False
            tied &= after == before
        if not tied.any():
            return True
    return True


def _sorted(columns: list[Array]) -> list[Array]:
    """The rows ascending; whole numbers that fit one word are sorted as words and unpacked."""
    lows = [column.min() for column in columns]
    if any(column.dtype.kind != "i" for column in columns):
        return _taken(columns)
    widths = [(int(column.max()) - int(low)).bit_length() for column, low in zip(columns, lows)]
    if sum(widths) > 63:
        return _taken(columns)
    words = np.zeros(len(columns[0]), np.int64)
    for column, low, width in zip(columns, lows, widths):
        words <<= width
        words |= column.astype(np.int64) - int(low)
    words.sort()
    found = []
    for column, low, width in zip(reversed(columns), reversed(lows), reversed(widths)):
        found.append(((words & ((1 << width) - 1)) + int(low)).astype(column.dtype))
        words >>= width
    return found[::-1]


def _taken(columns: list[Array]) -> list[Array]:
    order = np.lexsort(columns[::-1])
    return [column[order] for column in columns]


def stands_in_order(connection: duckdb.DuckDBPyConnection, query: str, width: int) -> bool:
    """Whether the rows of a query come in ascending order already: world, then p0, p1, ..."""
    last: tuple[int, ...] | None = None
    for batch in connection.sql(query).to_arrow_reader(1_000_000):
        names = ["world", *(name for name in batch.schema.names if name.startswith("p"))][:width]
        if len(names) < width:
            return False
        if not batch.num_rows:
            continue
        columns = [numpy_column(batch.column(name)) for name in names]
        if not ascending(columns) or (
            last is not None and last > tuple(int(column[0]) for column in columns)
        ):
            return False
        last = tuple(int(column[-1]) for column in columns)
    return True
