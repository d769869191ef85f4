"""What hard rows and blocks alone force: bound propagation over 0/1 atoms, and a small reason when they clash."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Float, Int8, Int32, Int64
from workbench.network.compiled import compiled
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation
from workbench.network.layout import Layout

__all__ = ["Propagation", "propagate"]

_NO_REASON = -1


@dataclass(frozen=True)
class Propagation:
    """The outcome.

    Attributes
    ----------
    fixed : int8 array, shape (n_atoms,)
        In the layout's order: the only value an atom can take, or -1.
    conflict : int64 array or None
        Rows of the network that contradict each other, together with the blocks below; None when nothing clashed.
    conflict_blocks : int64 array
    """

    fixed: Int8
    conflict: Int64 | None
    conflict_blocks: Int64

    @property
    def feasible(self) -> bool:
        """False when the hard rows and blocks are proven to clash; True proves nothing."""
        return self.conflict is None


def propagate(layout: Layout, network: GroundNetwork) -> Propagation:
    """Fix every atom that one hard row or block forces, until nothing changes. Linear in the hard rows' entries,
    times the atoms that a row sees fixed one after the other."""
    none = np.zeros(0, np.int64)
    blocks = network.blocks
    crowded = np.flatnonzero(blocks.right < 0)
    size = np.diff(blocks.members.indptr)
    starved = np.flatnonzero((blocks.kind == BlockKind.EXACTLY_ONE) & (blocks.right > 0) & (size < blocks.right))
    if crowded.size or starved.size:
        return Propagation(layout.fixed, none, np.concatenate((crowded, starved))[:1])
    hard = (layout.kind == Relation.AT_MOST) | (layout.kind == Relation.EQUAL)
    empty = np.flatnonzero((network.relation != Relation.HINGE) & (np.diff(network.A.indptr) == 0))
    offset = network.b[empty].astype(np.float64)
    broken = empty[(offset > 1e-9) | ((network.relation[empty] == Relation.EQUAL) & (offset < -1e-9))]
    if broken.size:
        return Propagation(layout.fixed, broken[:1].astype(np.int64), none)
    if not hard.any() and not layout.block_kind.size:
        return Propagation(layout.fixed, None, none)
    fixed = layout.fixed.copy()
    reason = np.full(layout.n_atoms, _NO_REASON, np.int64)
    clash = _propagate(
        layout.row_ptr,
        layout.row_atom,
        layout.row_coefficient,
        layout.atom_ptr,
        layout.atom_row,
        layout.b,
        layout.kind,
        layout.block_of,
        layout.block_ptr,
        layout.block_atom,
        layout.block_kind,
        fixed,
        reason,
    )
    if clash == _NO_REASON:
        return Propagation(fixed, None, none)
    return _explain(layout, fixed, reason, int(clash))


def _explain(layout: Layout, fixed: Int8, reason: Int64, clash: int) -> Propagation:
    """Walk the reasons back from the row (or block, as `-2 - block`) that could not be met."""
    seen: set[int] = set()
    pending = [clash]
    while pending:
        cause = pending.pop()
        if cause in seen or cause == _NO_REASON:
            continue
        seen.add(cause)
        if cause >= 0:
            atoms = layout.row_atom[layout.row_ptr[cause] : layout.row_ptr[cause + 1]]
        else:
            block = -2 - cause
            atoms = layout.block_atom[layout.block_ptr[block] : layout.block_ptr[block + 1]]
        pending.extend(int(reason[atom]) for atom in atoms if fixed[atom] >= 0)
    rows = layout.row_id[[cause for cause in seen if cause >= 0]]
    moving = np.array([layout.block_id[-2 - cause] for cause in seen if cause < 0], np.int64)
    conflict_blocks = np.concatenate((moving, -2 - rows[rows < 0]))
    return Propagation(fixed, np.sort(rows[rows >= 0]), np.sort(conflict_blocks))


@compiled
def _propagate(
    row_ptr: Int64,
    row_atom: Int32,
    coefficient: Float,
    atom_ptr: Int64,
    atom_row: Int32,
    b: Float,
    kind: Int8,
    block_of: Int32,
    block_ptr: Int64,
    block_atom: Int32,
    block_kind: Int8,
    fixed: Int8,
    reason: Int64,
) -> int:
    """Fill `fixed` and `reason`; return the row (or `-2 - block`) that nothing can meet, or -1."""
    n_rows = row_ptr.size - 1
    n_blocks = block_kind.size
    # Rows are queued as themselves, block k as n_rows + k.
    queue = np.empty(n_rows + n_blocks, np.int64)
    queued = np.zeros(n_rows + n_blocks, np.int8)
    head = 0
    length = 0
    for row in range(n_rows):
        if kind[row] == 1 or kind[row] == 2:
            queue[length] = row
            queued[row] = 1
            length += 1
    for block in range(n_blocks):
        queue[length] = n_rows + block
        queued[n_rows + block] = 1
        length += 1
    capacity = queue.size
    newly = np.empty(fixed.size, np.int64)
    while length > 0:
        item = queue[head]
        head = (head + 1) % capacity
        length -= 1
        queued[item] = 0
        n_new = 0
        if item < n_rows:
            low = b[item]
            high = b[item]
            for k in range(row_ptr[item], row_ptr[item + 1]):
                a = coefficient[k]
                value = fixed[row_atom[k]]
                if value >= 0:
                    low += a * value
                    high += a * value
                elif a > 0:
                    high += a
                else:
                    low += a
            equal = kind[item] == 2
            if low > 1e-9 or (equal and high < -1e-9):
                return int(item)
            for k in range(row_ptr[item], row_ptr[item + 1]):
                atom = row_atom[k]
                if fixed[atom] >= 0:
                    continue
                a = coefficient[k]
                size = abs(a)
                if low + size > 1e-9:
                    fixed[atom] = 0 if a > 0 else 1
                elif equal and high - size < -1e-9:
                    fixed[atom] = 1 if a > 0 else 0
                else:
                    continue
                reason[atom] = item
                newly[n_new] = atom
                n_new += 1
                if equal:
                    # Both bounds move with every fixing: look at the row again.
                    break
            if equal and n_new > 0 and queued[item] == 0:
                queue[(head + length) % capacity] = item
                queued[item] = 1
                length += 1
        else:
            block = item - n_rows
            n_true = 0
            n_open = 0
            last = -1
            for k in range(block_ptr[block], block_ptr[block + 1]):
                atom = block_atom[k]
                if fixed[atom] == 1:
                    n_true += 1
                elif fixed[atom] < 0:
                    n_open += 1
                    last = atom
            if n_true > 1 or (n_true == 0 and n_open == 0 and block_kind[block] == 0):
                return int(-2 - block)
            if n_true == 1:
                for k in range(block_ptr[block], block_ptr[block + 1]):
                    atom = block_atom[k]
                    if fixed[atom] < 0:
                        fixed[atom] = 0
                        reason[atom] = -2 - block
                        newly[n_new] = atom
                        n_new += 1
            elif n_open == 1 and block_kind[block] == 0:
                fixed[last] = 1
                reason[last] = -2 - block
                newly[n_new] = last
                n_new += 1
        for i in range(n_new):
            atom = newly[i]
            for k in range(atom_ptr[atom], atom_ptr[atom + 1]):
                row = atom_row[k]
                if (kind[row] == 1 or kind[row] == 2) and queued[row] == 0:
                    queue[(head + length) % capacity] = row
                    queued[row] = 1
                    length += 1
            if block_of[atom] >= 0 and queued[n_rows + block_of[atom]] == 0:
                queue[(head + length) % capacity] = n_rows + block_of[atom]
                queued[n_rows + block_of[atom]] = 1
                length += 1
    return -1
