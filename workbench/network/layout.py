"""A discrete network laid out for kernels: rows both ways, components contiguous, at weights.

Inner loops (flips, samples) walk the atoms of a row and the rows of an atom. Here both are flat
arrays, atoms and rows renumbered so that each connected component is one stretch of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, vstack

from workbench.arrays import Array, Float, Int8, Int32, Int64
from workbench.network.components import components
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation

SQUARED = 3
"""The kind of a soft row of power 2, beside the values of `Relation`."""


class Layout(NamedTuple):
    """A discrete network at given weights in flat arrays of its own numbering; a tuple for kernels.

    Attributes
    ----------
    atom_id : int64 array, shape (n_atoms,)
        The network's atom of each own atom.
    row_id : int64 array, shape (n_rows,)
        The network's row of each own row; `-2 - block` for a block that overlaps another and so
        became a row.
    atom_start, row_start : int64 arrays, shape (n_components + 1,)
        The stretch of atoms and of rows of each component.
    row_ptr, row_atom, row_coefficient : int64, int32, float64 arrays
        Entries of each row.
    atom_ptr, atom_row, atom_coefficient : int64, int32, float64 arrays
        The same entries by atom.
    b, weight : float64 arrays, shape (n_rows,)
        Constant part of `ell`, and effective weight (0 on hard rows).
    kind : int8 array, shape (n_rows,)
        The row's `Relation`, or `SQUARED` for a hinge of power 2.
    field : float64 array, shape (n_atoms,)
        `unit @ weights`: what each atom gains by being true.
    block_of : int32 array, shape (n_atoms,)
        The block that an atom moves in, or -1. No atom is in two.
    block_ptr, block_atom, block_kind, block_id : int64, int32, int8, int64 arrays
        Members and `BlockKind` of those blocks, and each one's number in the network. All have one
        place left.
    fixed : int8 array, shape (n_atoms,)
        0 or 1 for an atom that can take only that value, -1 for the others.
    """

    atom_id: Int64
    row_id: Int64
    atom_start: Int64
    row_start: Int64
    row_ptr: Int64
    row_atom: Int32
    row_coefficient: Float
    atom_ptr: Int64
    atom_row: Int32
    atom_coefficient: Float
    b: Float
    weight: Float
    kind: Int8
    field: Float
    block_of: Int32
    block_ptr: Int64
    block_atom: Int32
    block_kind: Int8
    block_id: Int64
    fixed: Int8

    @property
    def n_atoms(self) -> int:
        return int(self.atom_id.size)

    @property
    def n_rows(self) -> int:
        return int(self.row_id.size)

    @property
    def n_components(self) -> int:
        return int(self.atom_start.size) - 1

    def lift(self, values: Array) -> Float:
        """Values in own order, shape (..., n_atoms), in the network's order."""
        result = np.empty(values.shape, np.float64)
        result[..., self.atom_id] = values
        return result

    def reduce(self, values: Array) -> Float:
        """Values in the network's order, shape (..., n_atoms), in own order."""
        return np.asarray(values, np.float64)[..., self.atom_id]


def lay_out(network: GroundNetwork, weights: Float, *, clauses: bool = False) -> Layout:
    """The network for kernels. Time and space linear in the stored entries, but for the sorts.

    Blocks that share an atom with an earlier block become rows, `sum = 1` or `sum <= 1`; with
    `clauses` a clause that one member is true and one for each pair that not both are. Blocks
    without a place left fix their members false.
    """
    parts = components(network)
    atom_id, atom_start = parts.atoms()
    position = np.empty(network.n_atoms, np.int32)
    position[atom_id] = np.arange(network.n_atoms, dtype=np.int32)

    fixed = np.full(network.n_atoms, -1, np.int8)
    moving, constraining = _split_blocks(network, fixed)
    as_rows = _as_clauses if clauses else _as_sums
    rows = _with_rows(network, weights, as_rows(network, constraining))
    component = np.concatenate((parts.of_row, parts.of_block[rows.owner]))
    order = np.argsort(component, kind="stable")
    order = order[component[order] >= 0]
    row_start = np.searchsorted(component[order], np.arange(parts.n + 1)).astype(np.int64)
    by_row = csr_array(rows.matrix[order][:, atom_id])
    by_row.sort_indices()
    by_atom = by_row.tocsc()

    block_ptr, block_atom, block_of = _placed(csr_array(network.blocks.members[moving]), position)
    return Layout(
        atom_id=atom_id,
        row_id=rows.number[order].astype(np.int64),
        atom_start=atom_start,
        row_start=row_start,
        row_ptr=by_row.indptr.astype(np.int64),
        row_atom=by_row.indices.astype(np.int32),
        row_coefficient=by_row.data,
        atom_ptr=by_atom.indptr.astype(np.int64),
        atom_row=by_atom.indices.astype(np.int32),
        atom_coefficient=by_atom.data,
        b=rows.b[order],
        weight=rows.weight[order],
        kind=rows.kind[order],
        field=np.asarray(network.unit @ weights, np.float64)[atom_id],
        block_of=block_of,
        block_ptr=block_ptr,
        block_atom=block_atom,
        block_kind=network.blocks.kind[moving].astype(np.int8),
        block_id=moving,
        fixed=fixed[atom_id],
    )


def _placed(members: csr_array, position: Int32) -> tuple[Int64, Int32, Int32]:
    """Blocks over atoms at their positions: where each starts, its atoms, and each atom's block."""
    block_atom = position[members.indices].astype(np.int32)
    block_of = np.full(position.size, -1, np.int32)
    numbers = np.arange(members.shape[0], dtype=np.int32)
    block_of[block_atom] = np.repeat(numbers, np.diff(members.indptr))
    return members.indptr.astype(np.int64), block_atom, block_of


class _AllRows(NamedTuple):
    """A network's rows and those for blocks: `number` as `Layout.row_id`, `owner` the block."""

    matrix: csr_array
    b: Float
    weight: Float
    kind: Int8
    number: Int64
    owner: Int64


def _with_rows(network: GroundNetwork, weights: Float, extra: Rows) -> _AllRows:
    matrix, b, relation, owner = extra
    soft = np.flatnonzero(network.template >= 0)
    kind = np.concatenate((network.relation, relation)).astype(np.int8)
    kind[soft[network.power[network.template[soft]] == 2]] = SQUARED
    return _AllRows(
        vstack((network.A.astype(np.float64), matrix), format="csr"),
        np.concatenate((network.b.astype(np.float64), b)),
        np.concatenate((network.effective_weights(weights), np.zeros(owner.size))),
        kind,
        np.concatenate((np.arange(network.n_rows), -2 - owner)),
        owner,
    )


def _split_blocks(network: GroundNetwork, fixed: Int8) -> tuple[Int64, Int64]:
    """Blocks to move within, and blocks that overlap those; `fixed` where a block has no place."""
    blocks = network.blocks
    taken = np.zeros(network.n_atoms, np.bool_)
    moving: list[int] = []
    constraining: list[int] = []
    for block in range(blocks.n_blocks):
        atoms = blocks.members.indices[
            blocks.members.indptr[block] : blocks.members.indptr[block + 1]
        ]
        if blocks.right[block] <= 0:
            fixed[atoms] = 0
        elif taken[atoms].any():
            constraining.append(block)
        elif atoms.size:
            taken[atoms] = True
            moving.append(block)
    return np.array(moving, np.int64), np.array(constraining, np.int64)


Rows = tuple[csr_array, Float, Int8, Int64]


def _as_sums(network: GroundNetwork, constraining: Int64) -> Rows:
    """One row for each of the blocks: matrix, b, relation, and the block it is for."""
    blocks = network.blocks
    exactly = blocks.kind[constraining] == BlockKind.EXACTLY_ONE
    relation = np.where(exactly, Relation.EQUAL, Relation.AT_MOST).astype(np.int8)
    members = csr_array(blocks.members[constraining].astype(np.float64))
    return members, -blocks.right[constraining].astype(np.float64), relation, constraining


def _as_clauses(network: GroundNetwork, constraining: Int64) -> Rows:
    """The blocks as clauses, in the same form."""
    members = network.blocks.members
    rows: list[Int64] = []
    columns: list[Int32] = []
    data: list[Float] = []
    b: list[float] = []
    owner: list[int] = []
    for block in constraining:
        atoms = members.indices[members.indptr[block] : members.indptr[block + 1]]
        first, second = np.triu_indices(atoms.size, 1)
        pair = len(b) + np.arange(first.size)
        rows += [pair, pair]
        columns += [atoms[first], atoms[second]]
        data.append(np.ones(2 * first.size))
        b += [-1.0] * first.size
        owner += [block] * first.size
        if network.blocks.kind[block] == BlockKind.EXACTLY_ONE:
            rows.append(np.full(atoms.size, len(b)))
            columns.append(atoms)
            data.append(-np.ones(atoms.size))
            b.append(1.0)
            owner.append(block)
    shape = (len(b), network.n_atoms)
    if not b:
        matrix = csr_array(shape, dtype=np.float64)
    else:
        matrix = csr_array(
            (np.concatenate(data), (np.concatenate(rows), np.concatenate(columns))), shape=shape
        )
    return (
        matrix,
        np.array(b),
        np.full(len(b), Relation.AT_MOST, np.int8),
        np.array(owner, np.int64),
    )
