"""Rows and unit groundings of networks under the numbers of another, put together by key.

Of long columns and matrices rows are copied by stretches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, vstack

from workbench.arrays import Array, Bool, Float, Int8, Int32, Int64
from workbench.network.ground_network import GroundNetwork
from workbench.row_keys import equal_rows, row_keys

LONG = 64
"""Rows a stretch, on average, from which copying stretches is faster than looking up row by row."""


Piece = tuple[int, int, int]
"""Of the source with that number: from, to."""


def copied(sources: Sequence[Array], pieces: Sequence[Piece]) -> Array:
    """Stretches of columns, one after the other; a single one's own memory."""
    parts = [sources[which][start:stop] for which, start, stop in pieces]
    return parts[0] if len(parts) == 1 else np.concatenate(parts or [sources[0][:0]])


def copied_rows(sources: Sequence[csr_array], pieces: Sequence[Piece]) -> csr_array:
    """The same of matrices of one width."""
    bounds = [one.indptr for one in sources]
    ends = np.cumsum(copied([np.diff(one) for one in bounds], pieces))
    indptr = np.append(0, ends).astype(bounds[0].dtype)
    entries = [
        (which, int(bounds[which][start]), int(bounds[which][stop]))
        for which, start, stop in pieces
    ]
    data = copied([one.data for one in sources], entries)
    indices = copied([one.indices for one in sources], entries)
    return csr_array((data, indices, indptr), shape=(ends.size, sources[0].shape[1]))


@dataclass(frozen=True)
class ChosenRows:
    """Rows in an order, with the stretches of consecutive ones that they make, if long.

    Attributes
    ----------
    rows : int64 array
    """

    rows: Int64
    stretches: tuple[Piece, ...] | None

    @classmethod
    def of(cls, rows: Int64) -> ChosenRows:
        """Find the stretches. Linear in the rows."""
        ends = np.flatnonzero(np.diff(rows) != 1) + 1
        if not rows.size or ends.size * LONG > rows.size:
            return cls(rows, None)
        first, last = np.append(0, ends), np.append(ends, rows.size) - 1
        pieces = ((0, a, b + 1) for a, b in zip(rows[first].tolist(), rows[last].tolist()))
        return cls(rows, tuple(pieces))

    def of_column(self, column: Array) -> Array:
        """The rows of a column; the column's own memory where they are one stretch."""
        return column[self.rows] if self.stretches is None else copied([column], self.stretches)

    def rows_of(self, A: csr_array) -> csr_array:
        """The rows of a matrix; its own memory where they are one stretch."""
        if self.stretches is None:
            return csr_array(A[self.rows])
        return copied_rows([A], self.stretches)


CLOSE = 1e-12
COLUMNS = ("b", "rule", "template", "scale", "relation")


@dataclass(frozen=True)
class CarriedRows:
    """Rows under the new network's numbers; column `n_atoms` is of atoms that are none any more."""

    A: csr_array
    b: Array
    rule: Int32
    template: Int32
    scale: Float
    relation: Int8

    def keys(self) -> Array:
        kind = self.template.astype(np.int64) * 4 + self.relation
        return row_keys(self.A.indptr, self.A.indices, self.A.data, self.b, kind)

    def taken(self, rows: Int64) -> CarriedRows:
        """Some of the rows, by their numbers."""
        columns: dict[str, Any] = {name: getattr(self, name)[rows] for name in COLUMNS}
        return CarriedRows(A=csr_array(self.A[rows]), **columns)

    def columns(self, n_atoms: int) -> dict[str, Any]:
        """A network's fields of these rows, none of which is over an atom that is none any more."""
        A = csr_array((self.A.data, self.A.indices, self.A.indptr), shape=(self.b.size, n_atoms))
        return {
            "A": A,
            "b": self.b,
            "template": self.template,
            "scale": None if np.all(self.scale == 1.0) else self.scale,
            "relation": self.relation,
        }


@dataclass(frozen=True)
class CarriedPart:
    """Rows and unit groundings under the numbers of the new network."""

    rows: CarriedRows
    units: csr_array


@dataclass(frozen=True)
class Renumbered:
    """A network seen under the numbers of another.

    Attributes
    ----------
    rule : int32 array, shape (n_rows,)
    place : int64 array
        The atom there of each atom; -1 where it is none any more.
    n_atoms, n_templates : int
        Of the other network.
    """

    network: GroundNetwork
    rule: Int32
    place: Int64
    n_atoms: int
    n_templates: int

    def part(self, rows: Bool, number: Int64) -> CarriedPart:
        """The rows chosen, and unit groundings of the templates that have a number (others -1)."""
        return CarriedPart(self.rows(rows, number), self.units(number))

    def whole(self, number: Int64) -> CarriedPart:
        return self.part(np.ones(self.network.n_rows, np.bool_), number)

    @cached_property
    def keeps_atoms(self) -> bool:
        """Whether all atoms have the same numbers there."""
        return self.place.size == self.n_atoms and np.array_equal(
            self.place, np.arange(self.n_atoms)
        )

    def rows(self, rows: Bool, number: Int64) -> CarriedRows:
        """The rows chosen, atoms and templates renumbered."""
        network, n_rows = self.network, int(np.count_nonzero(rows))
        chosen = ChosenRows.of(np.flatnonzero(rows))
        A, shape = chosen.rows_of(network.A), (n_rows, self.n_atoms + 1)
        if self.keeps_atoms:
            A = csr_array((A.data, A.indices, A.indptr), shape=shape)
        else:
            at = np.where(self.place < 0, self.n_atoms, self.place).astype(A.indices.dtype)
            # Not in place: the entries may be the network's own.
            A = csr_array((A.data, at[A.indices], A.indptr), shape=shape).sorted_indices()
        template = chosen.of_column(network.template)
        if number.size:
            # Hard rows, of template -1, find the last.
            template = np.append(number, -1).astype(np.int32)[template]
        scale = np.ones(n_rows) if network.scale is None else chosen.of_column(network.scale)
        columns = (network.b, self.rule, network.relation)
        b, rule, relation = (chosen.of_column(one) for one in columns)
        return CarriedRows(A, b, rule, template, scale, relation)

    def units(self, number: Int64) -> csr_array:
        """The unit groundings of the templates that have a number (others -1)."""
        unit, shape = self.network.unit, (self.n_atoms, self.n_templates)
        if not unit.nnz or number.max(initial=-1) < 0:
            return csr_array(shape)
        if self.keeps_atoms and np.array_equal(number, np.arange(self.n_templates)):
            return unit
        entries = unit.tocoo()
        at, to = self.place[entries.coords[0]], number[entries.coords[1]]
        inside = (at >= 0) & (to >= 0)
        return csr_array(coo_array((entries.data[inside], (at[inside], to[inside])), shape=shape))


def run_keys(rule: Int32, template: Int32) -> Array:
    """What rows are in order of: hard rules first, as they have no template, then templates."""
    hard = template < 0
    if not hard.any():
        return template
    return np.where(hard, rule.astype(np.int64) - 2**40, template.astype(np.int64))


def joined(*parts: CarriedRows) -> CarriedRows:
    """All rows, one after the other."""
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(one, name) for one in parts]) for name in COLUMNS
    }
    return CarriedRows(A=csr_array(vstack([one.A for one in parts], format="csr")), **columns)


def stacked(*parts: CarriedRows) -> CarriedRows:
    """All rows, in runs of templates, those of hard rules in runs of rules."""
    rows = joined(*parts)
    order = ChosenRows.of(np.argsort(run_keys(rows.rule, rows.template), kind="stable"))
    columns: dict[str, Any] = {name: order.of_column(getattr(rows, name)) for name in COLUMNS}
    return CarriedRows(A=order.rows_of(rows.A), **columns)


def changed_rows(going: CarriedRows, coming: CarriedRows) -> tuple[Int64, Int64, int, int]:
    """The rows of each that are not in the other, or of another scale; how many came and went."""
    group = equal_rows(np.concatenate([going.keys(), coming.keys()]))
    before, after, n = group[: going.b.size], group[going.b.size :], group.size
    old, new = np.bincount(before, minlength=n), np.bincount(after, minlength=n)
    grown = np.bincount(after, coming.scale, minlength=n) - np.bincount(
        before, going.scale, minlength=n
    )
    moved = (old != new) | (np.abs(grown) > CLOSE * np.maximum(1.0, np.abs(grown)))
    added, removed = int(np.maximum(new - old, 0).sum()), int(np.maximum(old - new, 0).sum())
    return np.flatnonzero(moved[before]), np.flatnonzero(moved[after]), added, removed


def edited(before: CarriedRows, came: CarriedRows, went: CarriedRows) -> CarriedRows:
    """Rows with others added and taken away; equal ones are one, of their summed scale."""
    taken = replace(went, scale=-went.scale)
    rows = stacked(before, came, taken)
    group = equal_rows(rows.keys())
    scale = np.bincount(group, rows.scale, minlength=group.size).astype(np.float64)
    left = np.flatnonzero((group == np.arange(group.size)) & (np.abs(scale) > CLOSE))
    return replace(rows.taken(left), scale=scale[left])


def without_zeros(matrix: Any) -> csr_array:
    """A sum without what cancelled."""
    found = csr_array(matrix)
    found.data[np.abs(found.data) <= CLOSE] = 0.0
    found.eliminate_zeros()
    return found


def with_added(matrix: csr_array, change: csr_array) -> csr_array:
    """A sum without what cancelled, of a change in few rows: the others' entries are copied."""
    rows = np.flatnonzero(np.diff(change.indptr))
    renewed = without_zeros(matrix[rows] + change[rows])
    widths = np.diff(matrix.indptr)
    old = _entries(matrix.indptr, widths, rows)
    widths[rows] = np.diff(renewed.indptr)
    starts = _starts(widths)
    new = _entries(starts, widths, rows)
    if np.array_equal(old, new):
        data, indices = matrix.data.copy(), matrix.indices.copy()
        data[new], indices[new] = renewed.data, renewed.indices
        return csr_array((data, indices, starts), shape=matrix.shape)
    stayed, stays = np.ones(matrix.nnz, np.bool_), np.ones(int(starts[-1]), np.bool_)
    stayed[old] = stays[new] = False
    columns = []
    for name in ("data", "indices"):
        column = np.empty(stays.size, getattr(matrix, name).dtype)
        column[stays], column[new] = getattr(matrix, name)[stayed], getattr(renewed, name)
        columns.append(column)
    return csr_array((*columns, starts), shape=matrix.shape)


def _entries(starts: Array, widths: Array, rows: Int64) -> Int64:
    """The numbers of the entries of some rows."""
    found = np.repeat(starts[rows] - _starts(widths[rows])[:-1], widths[rows])
    return np.asarray(found + np.arange(found.size), np.int64)


def _starts(widths: Array) -> Array:
    return np.concatenate([np.zeros(1, widths.dtype), np.cumsum(widths, dtype=widths.dtype)])
