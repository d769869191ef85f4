"""Whole components in bins that memory holds, of a network whose rows it does not: by passes over
the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.mapped import mapped, network_bytes, release
from workbench.network.components import connected, with_joins
from workbench.network.ground_network import GroundNetwork
from workbench.network.runs import row_runs


@dataclass(frozen=True)
class Bins:
    """Atoms in bins that no row and no block joins, and each bin's rows; rows of weight 0 are in
    none.

    Attributes
    ----------
    n_components : int
    of_atom : int32 array, shape (n_atoms,)
        The bin of each atom.
    size : int64 array, shape (n_bins,)
        Bytes that the bin's network takes while it is solved. Only a component that is larger alone
        exceeds what bins may take, and is a bin of its own.
    row_order, row_start : int64 arrays
        Rows by bin, ascending: `row_order[row_start[b]:row_start[b + 1]]` are those of bin `b`.
        In a file.
    """

    n_components: int
    of_atom: Int32
    size: Int64
    row_order: Int64
    row_start: Int64

    @property
    def n(self) -> int:
        return int(self.size.size)

    def atoms(self, number: int) -> Int64:
        """The atoms of a bin, ascending."""
        return np.flatnonzero(self.of_atom == number)

    def rows(self, number: int) -> Int64:
        """The rows of a bin, ascending."""
        return self.row_order[self.row_start[number] : self.row_start[number + 1]]


def binned(network: GroundNetwork, weights: Float, most: int) -> Bins:
    """Pack the components of a network at these weights into bins of at most `most` bytes.

    Three passes over the rows; some 40 bytes of memory an atom, 12 of disk a row.
    """
    component = _components(network, weights)
    n_components = int(component.max(initial=-1)) + 1
    size = _sizes(network, weights, component, n_components)
    bin_of = _packed(size, most)
    n_bins = int(bin_of.max(initial=-1)) + 1
    of_atom = bin_of[component]
    order, start = _rows_by_bin(network, weights, of_atom, n_bins)
    return Bins(n_components, of_atom, _sums(bin_of, size, n_bins), order, start)


def first_atoms(network: GroundNetwork, rows: Int64) -> Int32:
    """The first atom of each of some rows that have one."""
    return np.asarray(network.A.indices[network.A.indptr[rows]])


def release_rows(network: GroundNetwork) -> None:
    """Take what was read of rows in files out of memory."""
    A = network.A
    release(A.data, A.indices, A.indptr, network.b, network.template, network.relation)


def _passing(
    network: GroundNetwork, weights: Float
) -> Iterator[tuple[slice, GroundNetwork, Int64]]:
    """Runs of rows, and the numbers of those that count: hard ones, and those of some weight."""
    for rows, run in row_runs(network):
        counts = (run.effective_weights(weights) != 0.0) | run.hard
        yield rows, run, np.flatnonzero(counts & (np.diff(run.A.indptr) > 0))
        release_rows(run)


def _components(network: GroundNetwork, weights: Float) -> Int32:
    """The component of each atom, numbered by their least atoms."""
    label = connected(network.n_atoms, network.blocks.members)
    for _, run, counted in _passing(network, weights):
        label = with_joins(label, run.A if counted.size == run.n_rows else run.A[counted])
    known = np.bincount(label) > 0
    return (np.cumsum(known, dtype=np.int32) - np.int32(1))[label]


def _sizes(network: GroundNetwork, weights: Float, component: Int32, n: int) -> Int64:
    rows, entries = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for _, run, counted in _passing(network, weights):
        of_row = component[first_atoms(run, counted)]
        rows += np.bincount(of_row, minlength=n)
        entries += _sums(of_row, np.diff(run.A.indptr)[counted], n)
    atoms = np.bincount(component, minlength=n)
    return np.asarray(network_bytes(rows, entries, atoms), np.int64)


def _packed(size: Int64, most: int) -> Int32:
    """The bin of each component: as many as fit, one after the other."""
    ends = np.cumsum(size)
    bin_of = np.zeros(size.size, np.int32)
    first, number = 0, 0
    while first < size.size:
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + most, side="right")))
        bin_of[first:last] = number
        first, number = last, number + 1
    return bin_of


def _rows_by_bin(
    network: GroundNetwork, weights: Float, of_atom: Int32, n: int
) -> tuple[Int64, Int64]:
    """Rows sorted by bin, and where each bin's start: counted first, then put in their places."""
    of_row = mapped(network.n_rows, np.int32)
    counts = np.zeros(n, np.int64)
    for rows, run, counted in _passing(network, weights):
        of_row[rows] = -1
        of_row[rows.start + counted] = of_atom[first_atoms(run, counted)]
        counts += np.bincount(of_row[rows][counted], minlength=n)
        release(of_row)
    start = np.concatenate([[0], np.cumsum(counts)])
    order, filled = mapped(int(start[-1]), np.int64), start[:-1].copy()
    for rows, _ in row_runs(network):
        here = of_row[rows]
        sorted_rows = np.argsort(here, kind="stable")[np.count_nonzero(here < 0) :]
        many = np.bincount(here[sorted_rows], minlength=n)
        within = np.arange(sorted_rows.size) - np.repeat(np.cumsum(many) - many, many)
        order[np.repeat(filled, many) + within] = rows.start + sorted_rows
        filled += many
        release(order, of_row)
    return order, start


def _sums(of: Int32, what: Int64, n: int) -> Int64:
    """Sums of whole numbers by group."""
    return np.bincount(of, what, n).astype(np.int64)
