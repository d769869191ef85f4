"""Columns to and from DuckDB without Arrow's own ways, whose first call imports pandas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.arrays import Array, Bool, Int64

if TYPE_CHECKING:
    import pyarrow


def arrow_column(values: Sequence[Any] | Array) -> pyarrow.Array:
    """Numbers or texts as an Arrow array, None as NULL.

    Rows of a two-dimensional array become lists, without the -1 at their ends.
    """
    if isinstance(values, np.ndarray) and values.dtype != object:
        if values.ndim == 2:
            return _lists(values)
        if values.dtype.kind != "U":
            return _numbers(values)
    if isinstance(values, np.ndarray):
        starts = run_starts(values)
        firsts = values[starts]
        if all(isinstance(value, str) for value in firsts):
            return _repeated(firsts, np.diff(np.append(starts, len(values))))
    there = np.fromiter((value is not None for value in values), bool, len(values))
    if all(isinstance(value, str) for value in values if value is not None):
        return _texts(values, there)
    return _numbers(np.asarray([0 if value is None else value for value in values]), there)


def integers(column: pyarrow.Array) -> Array:
    """A column of whole numbers without NULL as a view, int32 of INTEGER and int64 of BIGINT."""
    kind = np.dtype(f"i{column.type.bit_width // 8}")
    values = np.frombuffer(column.buffers()[1], kind) if len(column) else np.zeros(0, kind)
    return values[column.offset : column.offset + len(column)]


def numpy_column(column: pyarrow.Array | pyarrow.ChunkedArray) -> Array:
    """A column as an array, NULL as NaN; numbers without NULL as a view of each chunk."""
    import pyarrow

    if isinstance(column, pyarrow.ChunkedArray):
        chunks = [numpy_column(one) for one in column.chunks]
        empty = np.zeros(0, column.type.to_pandas_dtype())
        return chunks[0] if len(chunks) == 1 else np.concatenate([empty, *chunks])
    kind = column.type
    if not (pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    if not column.null_count:
        return np.from_dlpack(column)
    there, data = column.buffers()
    part = slice(column.offset, column.offset + len(column))
    values = np.frombuffer(data, kind.to_pandas_dtype())[part].astype(np.float64)
    values[np.unpackbits(np.frombuffer(there, np.uint8), bitorder="little")[part] == 0] = np.nan
    return values


def run_starts(values: Array) -> Int64:
    """Where runs of equal values begin."""
    return np.concatenate(
        [np.zeros(min(len(values), 1), np.int64), np.flatnonzero(values[1:] != values[:-1]) + 1]
    )


def _lists(rows: Array) -> pyarrow.Array:
    import pyarrow

    kept = rows >= 0
    ends = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int32)
    kind, cells = pyarrow.list_(pyarrow.int32()), _numbers(rows[kept].astype(np.int32))
    return pyarrow.Array.from_buffers(
        kind, len(rows), [None, pyarrow.py_buffer(ends)], children=[cells]
    )


def _texts(values: Sequence[str | None] | Array, there: Bool) -> pyarrow.Array:
    import pyarrow

    encoded = [b"" if value is None else value.encode() for value in values]
    ends = np.concatenate([[0], np.cumsum([len(one) for one in encoded])]).astype(np.int64)
    buffers = [_bits(there), pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(encoded))]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), len(encoded), buffers)


def _repeated(values: Array, counts: Int64) -> pyarrow.Array:
    """Texts, each so many times: columns such as predicates' names are few runs of millions."""
    import pyarrow

    encoded = [value.encode() for value in values]
    ends = np.concatenate(
        [[0], np.cumsum(np.repeat([len(one) for one in encoded], counts))]
    ).astype(np.int64)
    text = b"".join(one * count for one, count in zip(encoded, counts.tolist()))
    buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(text)]
    return pyarrow.Array.from_buffers(pyarrow.large_string(), len(ends) - 1, buffers)


def _numbers(values: Array, there: Bool | None = None) -> pyarrow.Array:
    import pyarrow

    data = (
        _bits(values) if values.dtype == bool else pyarrow.py_buffer(np.ascontiguousarray(values))
    )
    mask = None if there is None else _bits(there)
    return pyarrow.Array.from_buffers(
        pyarrow.from_numpy_dtype(values.dtype), len(values), [mask, data]
    )


def _bits(values: Bool) -> pyarrow.Buffer:
    import pyarrow

    return pyarrow.py_buffer(np.packbits(values, bitorder="little"))
