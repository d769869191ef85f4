"""Connected components of a ground network: atoms that share a row or a block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Int32, Int64
from workbench.network.ground_network import GroundNetwork


@dataclass(frozen=True)
class Components:
    """A partition of atoms, rows and blocks; components are numbered by their least atom.

    Attributes
    ----------
    of_atom : int32 array, shape (n_atoms,)
    of_row : int32 array, shape (n_rows,)
        -1 for a row without atoms.
    of_block : int32 array, shape (n_blocks,)
    """

    n: int
    of_atom: Int32
    of_row: Int32
    of_block: Int32

    def atoms(self) -> tuple[Int64, Int64]:
        """Atom ids by component, `(order, starts)`: c is `order[starts[c]:starts[c + 1]]`."""
        order = np.argsort(self.of_atom, kind="stable")
        starts = np.searchsorted(self.of_atom[order], np.arange(self.n + 1))
        return order.astype(np.int64), starts.astype(np.int64)


def components(network: GroundNetwork, keep: Bool | None = None) -> Components:
    """Split a network into parts that no row or block joins. Linear in the stored entries.

    Parameters
    ----------
    keep : bool array, shape (n_rows,), optional
        Rows that join; the others (such as those whose weight is 0) are numbered but join nothing.
    """
    joins = network.A if keep is None else network.A[np.flatnonzero(keep)]
    of_atom = connected(network.n_atoms, joins, network.blocks.members)
    of_row, of_block = (
        _first_label(matrix, of_atom) for matrix in (network.A, network.blocks.members)
    )
    return Components(int(of_atom.max(initial=-1)) + 1, of_atom, of_row, of_block)


def connected(n: int, *matrices: csr_array) -> Int32:
    """The component of each of `n` atoms that rows of the matrices join, by their least atoms."""
    ends = [_edges(matrix) for matrix in matrices]
    least = _least_atoms(n, *(np.concatenate(side) for side in zip(*ends)))
    return (np.cumsum(least == np.arange(n), dtype=np.int32) - np.int32(1))[least]


def with_joins(label: Int32, *matrices: csr_array) -> Int32:
    """Labels of atoms after the matrices' rows joined components. Linear in atoms and entries."""
    sides = (np.concatenate(side) for side in zip(*map(_edges, matrices)))
    least = _least_atoms(int(label.max(initial=-1)) + 1, *(label[side] for side in sides))
    return least.astype(np.int32)[label]


def _edges(matrix: csr_array) -> tuple[Int32, Int32]:
    """Pairs of atoms that the rows join: each row's first with all others."""
    width = np.diff(matrix.indptr)
    first = np.repeat(matrix.indices[matrix.indptr[:-1][width > 0]], width[width > 0])
    other = first != matrix.indices
    return first[other], matrix.indices[other]


def _least_atoms(n: int, one: Int32, other: Int32) -> Int64:
    """Each atom's component by its least atom: trees hooked and flattened (Shiloach & Vishkin).

    SciPy's `connected_components` is as fast, but brings all of its linear algebra with it, which
    takes longer to import than most networks to solve.
    """
    least = np.arange(n)
    while one.size:
        lower = np.minimum(least[one], least[other])
        np.minimum.at(least, least[one], lower)
        np.minimum.at(least, least[other], lower)
        while not np.array_equal(flat := least[least], least):
            least = flat
        apart = least[one] != least[other]
        one, other = one[apart], other[apart]
    return least


def _first_label(matrix: csr_array, of_atom: Int32) -> Int32:
    label = np.full(matrix.shape[0], -1, np.int32)
    present = np.diff(matrix.indptr) > 0
    label[present] = of_atom[matrix.indices[matrix.indptr[:-1][present]]]
    return label
