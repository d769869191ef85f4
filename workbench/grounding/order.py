"""The order of a query's rows, the same for any number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import numpy as np

from workbench.arrays import Array
from workbench.grounding.select import Select, Union

__all__ = ["in_order"]


def in_order(relation: duckdb.DuckDBPyRelation, select: Select | Union, size: int, *, shared: bool) -> Iterator[Any]:
    """The rows of a query in Arrow batches of about `size` rows, in an order that its rows alone decide.

    DuckDB keeps the order of what it scans. Where threads share a join of large relations, what meets one row may come
    in any order: such rows are gathered, and sorted by all columns unless they are in that order already.
    """
    if not shared or isinstance(select, Union) or select.order_by or len(select.sources) < 2:
        yield from relation.to_arrow_reader(size)
        return
    table = relation.to_arrow_table()
    columns = [column.to_numpy() for column in table.columns]
    if table.num_rows and not ascending(columns):
        table = table.take(_order(columns))
    yield from table.to_batches(max_chunksize=size)


def ascending(columns: list[Array]) -> bool:
    """Whether rows, compared column by column, never descend. Cost: a pass or two per column that decides a tie."""
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


def _order(columns: list[Array]) -> Array:
    """The rows in ascending order; whole numbers that fit into one word are sorted as one."""
    key = np.zeros(len(columns[0]), np.int64)
    bits = 0
    for column in columns:
        if column.dtype.kind != "i":
            return np.lexsort(columns[::-1])
        low, high = int(column.min()), int(column.max())
        bits += (width := (high - low).bit_length())
        if bits > 63:
            return np.lexsort(columns[::-1])
        key = (key << width) | (column.astype(np.int64) - low)
    # Equal keys are equal rows, so their order does not matter.
    return np.argsort(key)
