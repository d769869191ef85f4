"""Connected components of a ground network: atoms that share a row or a block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, vstack
from scipy.sparse.csgraph import connected_components

from workbench.arrays import Bool, Int32, Int64
from workbench.network.ground_network import GroundNetwork

__all__ = ["Components", "components"]


@dataclass(frozen=True)
class Components:
    """A partition of atoms, rows and blocks; components are numbered by their least atom.

    Attributes
    ----------
    n : int
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
        """Atom ids grouped by component, as `(order, starts)`: component c is `order[starts[c]:starts[c + 1]]`."""
        return _grouped(self.of_atom, self.n)

    def rows(self) -> tuple[Int64, Int64]:
        """Row ids grouped by component, in the same form; rows without atoms are left out."""
        return _grouped(self.of_row, self.n)

    def blocks(self) -> tuple[Int64, Int64]:
        """Block ids grouped by component, in the same form; blocks without members are left out."""
        return _grouped(self.of_block, self.n)


def components(network: GroundNetwork, keep: Bool | None = None) -> Components:
    """Split a network into parts that no row and no block joins. Time and space linear in the stored entries.

    Parameters
    ----------
    keep : bool array, shape (n_rows,), optional
        Rows that join; the others (such as those whose weight is 0) are numbered but join nothing.
    """
    joins = network.A if keep is None else network.A[np.flatnonzero(keep)]
    incidence = csr_array(vstack((joins.astype(bool), network.blocks.members.astype(bool)), format="csr"))
    n_atoms = incidence.shape[1]
    # A row's first atom stands for the row, so that the graph has atoms only.
    width = np.diff(incidence.indptr)
    first = incidence.indices[incidence.indptr[:-1][width > 0]]
    edges = csr_array(
        (np.ones(incidence.nnz, np.int8), (np.repeat(first, width[width > 0]), incidence.indices)),
        shape=(n_atoms, n_atoms),
    )
    n, label = connected_components(edges, directed=False)
    of_atom = _by_least_atom(label.astype(np.int32), int(n))
    return Components(int(n), of_atom, _first_label(network.A, of_atom), _first_label(network.blocks.members, of_atom))


def _by_least_atom(label: Int32, n: int) -> Int32:
    _, first = np.unique(label, return_index=True)
    rank = np.empty(n, np.int32)
    rank[np.argsort(first, kind="stable")] = np.arange(n, dtype=np.int32)
    return rank[label]


def _first_label(matrix: csr_array, of_atom: Int32) -> Int32:
    label = np.full(matrix.shape[0], -1, np.int32)
    present = np.diff(matrix.indptr) > 0
    label[present] = of_atom[matrix.indices[matrix.indptr[:-1][present]]]
    return label


def _grouped(label: Int32, n: int) -> tuple[Int64, Int64]:
    order = np.argsort(label, kind="stable")
    starts = np.searchsorted(label[order], np.arange(n + 1))
    return order.astype(np.int64), starts.astype(np.int64)
