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
    import pyarrow

    if not shared or isinstance(select, Union) or select.order_by or len(select.sources) < 2:
        yield from relation.to_arrow_reader(size)
        return
    table = relation.to_arrow_table()
    columns = [numpy_column(column) for column in table.columns]
    if not table.num_rows or ascending(columns):
        yield from table.to_batches(max_chunksize=size)
        return
    for batch in _sorted(columns, size):
        yield pyarrow.RecordBatch.from_arrays(
            [pyarrow.array(column) for column in batch], schema=table.schema
        )


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


def _sorted(columns: list[Array], size: int) -> Iterator[list[Array]]:
    """The rows ascending, `size` at a time; whole numbers that fit one word are sorted as words.

    The stable sort merges stretches that ascend, and each thread hands over a few such.
    """
    stretches = [slice(start, start + size) for start in range(0, len(columns[0]), size)]
    lows = [column.min() for column in columns]
    widths = [
        (int(column.max()) - int(low)).bit_length() if column.dtype.kind == "i" else 64
        for column, low in zip(columns, lows)
    ]
    if sum(widths) > 63:
        order = np.lexsort(columns[::-1])
        yield from ([column[order[one]] for column in columns] for one in stretches)
        return
    words = np.zeros(len(columns[0]), np.int64)
    for one in stretches:
        for column, low, width in zip(columns, lows, widths):
            words[one] <<= width
            words[one] |= column[one].astype(np.int64) - int(low)
    words.sort(kind="stable")
    shifts = np.cumsum([0, *widths[:0:-1]])[::-1]
    for one in stretches:
        yield [
            ((words[one] >> shift & ((1 << width) - 1)) + int(low)).astype(column.dtype)
            for column, low, width, shift in zip(columns, lows, widths, shifts)
        ]


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
