"""Batches of atom ids straight into the arrays of a compressed sparse row matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Float, Int8, Int32, UInt64
from workbench.mapped import ROWS_AT_ONCE, mapped, release
from workbench.network.ground_network import Relation
from workbench.row_keys import equal_rows, row_keys


def sort_literals(
    columns: list[Array], coefficients: Sequence[float]
) -> tuple[list[Array], list[Any]]:
    """Each row's literals by atom, by a network of compare-exchange steps on columns.

    Coefficients -1 and +1 ride in the lowest bit, so that no second array has to be permuted;
    others are sorted along.
    """
    width = len(columns)
    bounds = [(int(c.min()), int(c.max())) for c in columns]
    order = sorted(range(width), key=lambda i: bounds[i])
    if all(bounds[a][1] < bounds[b][0] for a, b in pairwise(order)):
        return [columns[i] for i in order], [coefficients[i] for i in order]
    if any(abs(coefficient) != 1 for coefficient in coefficients):
        ids = np.column_stack(columns)
        places = np.argsort(ids, axis=1)
        ids = np.take_along_axis(ids, places, axis=1)
        values = np.asarray(coefficients)[places]
        return list(ids.T), list(values.T)
    wide = any(high >= 2**30 for _, high in bounds)
    kind: Any = np.int64 if wide else np.int32
    keys = [(columns[i].astype(kind) << 1) | (coefficients[i] > 0) for i in order]
    for end in range(width - 1, 0, -1):
        for i in range(end):
            low = np.minimum(keys[i], keys[i + 1])
            np.maximum(keys[i], keys[i + 1], out=keys[i + 1])
            keys[i] = low
    same_sign = len(set(coefficients)) == 1
    signs: list[Any] = [
        coefficients[0] if same_sign else (((key & 1) << 1) - 1).astype(np.int8) for key in keys
    ]
    return [key >> 1 for key in keys], signs


@dataclass
class RowSink:
    """Preallocated rows; `capacity`, `entries` are bounds, memory is that of what is written.

    Parameters
    ----------
    capacity, entries : int
        Most rows and most nonzeros.
    integral, integral_constants : bool
        All coefficients, all constants are small integers: int8 arrays, else float64.
    on_disk : bool
        The arrays lie in files, and what is written leaves this process's memory.
    """

    n_atoms: int
    capacity: int
    entries: int
    integral: bool = True
    integral_constants: bool = True
    on_disk: bool = False
    n_rows: int = 0
    n_entries: int = 0
    scale: Float | None = None
    indices: Array = field(init=False)
    data: Array = field(init=False)
    indptr: Array = field(init=False)
    b: Array = field(init=False)
    template: Int32 = field(init=False)
    relation: Int8 = field(init=False)

    def __post_init__(self) -> None:
        index = np.int32 if max(self.entries, self.n_atoms) < 2**31 - 1 else np.int64
        self.indices = self._empty(self.entries, index)
        self.data = self._empty(self.entries, np.int8 if self.integral else np.float64)
        self.indptr = self._empty(self.capacity + 1, index)
        self.indptr[0] = 0
        self.b = self._empty(self.capacity, np.int8 if self.integral_constants else np.float64)
        self.template = self._empty(self.capacity, np.int32)
        self.relation = self._empty(self.capacity, np.int8)

    def _empty(self, count: int, dtype: Any) -> Array:
        return mapped(count, dtype) if self.on_disk else np.empty(count, dtype)

    def add_clauses(
        self,
        columns: list[Array],
        coefficients: Sequence[float],
        b: float | Array,
        template: int | Array,
        scale: float | Float,
        relation: int,
    ) -> None:
        """Rows of one width; every id is an open atom, and a row's ids differ."""
        count, width = columns[0].size, len(columns)
        if not count:
            return
        ordered, signs = (
            (columns, [int(c) for c in coefficients])
            if width == 1
            else sort_literals(columns, coefficients)
        )
        first, last = self.n_entries, self.n_entries + count * width
        for place, (ids, sign) in enumerate(zip(ordered, signs)):
            self.indices[first + place : last : width] = ids
            self.data[first + place : last : width] = sign
        self._finish(
            count,
            np.arange(1, count + 1, dtype=self.indptr.dtype) * width + first,
            last,
            b,
            template,
            scale,
            relation,
        )

    def add_rows(
        self,
        indptr: Array,
        indices: Array,
        data: Array,
        b: Array,
        template: int | Array,
        scale: float | Float,
        relation: int,
    ) -> None:
        """Rows of any widths as a compressed block: sorted ids, no zeros."""
        count = indptr.size - 1
        if not count:
            return
        first, last = self.n_entries, self.n_entries + int(indptr[-1])
        self.indices[first:last] = indices
        self.data[first:last] = data
        self._finish(
            count, indptr[1:].astype(self.indptr.dtype) + first, last, b, template, scale, relation
        )

    def _finish(
        self,
        count: int,
        ends: Array,
        last: int,
        b: Any,
        template: Any,
        scale: float | Float,
        relation: int,
    ) -> None:
        rows = slice(self.n_rows, self.n_rows + count)
        self.indptr[self.n_rows + 1 : self.n_rows + count + 1] = ends
        self.b[rows] = b
        self.template[rows] = template
        self.relation[rows] = relation
        if self.scale is None and (not np.isscalar(scale) or scale != 1.0):
            self.scale = self._empty(self.capacity, np.float64)
            self.scale[: self.n_rows] = 1.0
        if self.scale is not None:
            self.scale[rows] = scale
        if self.on_disk and self.n_rows // ROWS_AT_ONCE < (self.n_rows + count) // ROWS_AT_ONCE:
            release(self.indices, self.data, self.indptr, self.b, self.template, self.relation)
        self.n_rows += count
        self.n_entries = last

    def keys(self, first_row: int = 0) -> UInt64:
        """Keys of the rows from one on by which equal ones are found, shape (n, 2)."""
        rows = slice(first_row, self.n_rows)
        indptr = self.indptr[first_row : self.n_rows + 1]
        entries = slice(int(indptr[0]), int(indptr[-1]))
        return row_keys(
            indptr, self.indices[entries], self.data[entries], self.b[rows], self.template[rows]
        )

    def sort_by_template(self, first_row: int) -> None:
        """Bring rows from one on into runs of equal template, keeping their order within each."""
        templates = self.template[first_row : self.n_rows]
        if not np.all(templates[1:] >= templates[:-1]):
            self._keep(first_row, np.argsort(templates, kind="stable"))

    def merge_equal(self, first_row: int) -> None:
        """Keep the first of equal rows from one on, with the sum of their scales (hard rows: 1)."""
        rows = slice(first_row, self.n_rows)
        indptr = self.indptr[first_row : self.n_rows + 1]
        entries = slice(int(indptr[0]), int(indptr[-1]))
        first = equal_rows(
            row_keys(
                indptr, self.indices[entries], self.data[entries], self.b[rows], self.template[rows]
            )
        )
        count = first.size
        if np.array_equal(first, np.arange(count)):
            return
        soft = self.relation[rows] == Relation.HINGE
        scale = np.ones(count) if self.scale is None else self.scale[rows]
        total = np.bincount(first, scale, minlength=count)
        if self.scale is None:
            self.scale = np.empty(self.capacity)
            self.scale[:first_row] = 1.0
        self.scale[rows] = np.where(soft, total, 1.0)
        self._keep(first_row, np.flatnonzero(first == np.arange(count)))

    def _keep(self, first_row: int, chosen: Array) -> None:
        """Replace the rows from one on by these of them (numbers from 0), in this order."""
        starts = self.indptr[first_row : self.n_rows].astype(np.int64)
        widths = np.diff(self.indptr[first_row : self.n_rows + 1]).astype(np.int64)[chosen]
        first_entry = int(self.indptr[first_row])
        ends = np.cumsum(widths)
        source = np.repeat(starts[chosen] - (ends - widths), widths) + np.arange(int(ends[-1]))
        old, new = slice(first_row, self.n_rows), slice(first_row, first_row + chosen.size)
        entries = slice(first_entry, first_entry + source.size)
        self.indices[entries] = self.indices[source]
        self.data[entries] = self.data[source]
        self.indptr[first_row + 1 : new.stop + 1] = first_entry + ends
        columns = [self.template, self.b, self.relation] + (
            [] if self.scale is None else [self.scale]
        )
        for column in columns:
            column[new] = column[old][chosen]
        self.n_rows, self.n_entries = new.stop, entries.stop

    def scales(self) -> Float | None:
        """The scales of the rows written so far; None when all are 1."""
        if self.scale is None or np.all(self.scale[: self.n_rows] == 1.0):
            return None
        return self.scale[: self.n_rows]

    def matrix(self) -> csr_array:
        """The rows written so far; their arrays are shared, not copied."""
        parts = (
            self.data[: self.n_entries],
            self.indices[: self.n_entries],
            self.indptr[: self.n_rows + 1],
        )
        matrix = csr_array(parts, shape=(self.n_rows, self.n_atoms))
        matrix.has_sorted_indices = True
        matrix.has_canonical_format = True
        return matrix
