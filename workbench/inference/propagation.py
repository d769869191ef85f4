"""What hard rows and blocks alone force: bound propagation over 0/1 atoms, and why they clash."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.arrays import Bool, Int8, Int64
from workbench.network.compiled import compiled
from workbench.network.ground_network import (
    AT_MOST,
    EQUAL,
    EXACTLY_ONE,
    BlockKind,
    GroundNetwork,
    Relation,
)
from workbench.network.layout import Layout

_NO_REASON = -1
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Propagation:
    """The outcome.

    Attributes
    ----------
    fixed : int8 array, shape (n_atoms,)
        In the layout's order: the only value an atom can take, or -1.
    conflict : int64 array or None
        Rows of the network that contradict each other, together with the blocks below; None when
        nothing clashed.
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
    """Fix every atom that one hard row or block forces, until nothing changes. Linear in the hard
    rows' entries, times the atoms that a row sees fixed one after the other."""
    none = np.zeros(0, np.int64)
    blocks = network.blocks
    crowded = np.flatnonzero(blocks.right < 0)
    size = np.diff(blocks.members.indptr)
    starved = np.flatnonzero(
        (blocks.kind == BlockKind.EXACTLY_ONE) & (blocks.right > 0) & (size < blocks.right)
    )
    if crowded.size or starved.size:
        return Propagation(layout.fixed, none, np.concatenate((crowded, starved))[:1])
    hard = (layout.kind == Relation.AT_MOST) | (layout.kind == Relation.EQUAL)
    empty = np.flatnonzero((network.relation != Relation.HINGE) & (np.diff(network.A.indptr) == 0))
    offset = network.b[empty].astype(np.float64)
    broken = empty[
        (offset > 1e-9) | ((network.relation[empty] == Relation.EQUAL) & (offset < -1e-9))
    ]
    if broken.size:
        return Propagation(layout.fixed, broken[:1].astype(np.int64), none)
    if not hard.any() and not layout.block_kind.size:
        return Propagation(layout.fixed, None, none)
    fixed = layout.fixed.copy()
    reason = np.full(layout.n_atoms, _NO_REASON, np.int64)
    n_items = layout.n_rows + layout.block_kind.size
    room = np.empty(n_items, np.int64), np.zeros(n_items, np.bool_), np.empty(fixed.size, np.int64)
    clash = _propagate(layout, fixed, reason, *room)
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
    layout: Layout, fixed: Int8, reason: Int64, queue: Int64, queued: Bool, newly: Int64
) -> int:
    """Fill `fixed` and `reason`; return the row (or `-2 - block`) that nothing can meet, or -1.

    Rows are queued as themselves, block k as n_rows + k; none is at first.
    """
    n_rows = layout.row_ptr.size - 1
    head, length = 0, 0
    for item in range(queue.size):
        if item >= n_rows or layout.kind[item] == AT_MOST or layout.kind[item] == EQUAL:
            length = _enqueue(queue, queued, head, length, item)
    while length > 0:
        item = queue[head]
        head, length = (head + 1) % queue.size, length - 1
        queued[item] = False
        if item < n_rows:
            n_new, cause = _force_by_row(layout, item, fixed, newly), item
        else:
            n_new = _force_by_block(layout, item - n_rows, fixed, newly)
            cause = -2 - (item - n_rows)
        if n_new < 0:
            return int(cause)
        if n_new > 0 and item < n_rows and layout.kind[item] == EQUAL:
            length = _enqueue(queue, queued, head, length, item)
        for i in range(n_new):
            atom = newly[i]
            reason[atom] = cause
            for k in range(layout.atom_ptr[atom], layout.atom_ptr[atom + 1]):
                row = layout.atom_row[k]
                if layout.kind[row] == AT_MOST or layout.kind[row] == EQUAL:
                    length = _enqueue(queue, queued, head, length, row)
            if layout.block_of[atom] >= 0:
                length = _enqueue(queue, queued, head, length, n_rows + layout.block_of[atom])
    return -1


@compiled
def _enqueue(queue: Int64, queued: Bool, head: int, length: int, item: int) -> int:
    """Put an item at the end of the ring unless it waits there; the ring's length."""
    if queued[item]:
        return length
    queue[(head + length) % queue.size] = item
    queued[item] = True
    return length + 1


@compiled
def _force_by_row(layout: Layout, row: int, fixed: Int8, newly: Int64) -> int:
    """Fix what a hard row leaves one value (of `=` the first); how many, -1: none would do."""
    low, high = layout.b[row], layout.b[row]
    for k in range(layout.row_ptr[row], layout.row_ptr[row + 1]):
        a, value = layout.row_coefficient[k], fixed[layout.row_atom[k]]
        if value >= 0:
            low += a * value
            high += a * value
        elif a > 0:
            high += a
        else:
            low += a
    equal = layout.kind[row] == EQUAL
    if low > TOLERANCE or (equal and high < -TOLERANCE):
        return -1
    n_new = 0
    for k in range(layout.row_ptr[row], layout.row_ptr[row + 1]):
        atom, a = layout.row_atom[k], layout.row_coefficient[k]
        if fixed[atom] >= 0:
            continue
        if low + abs(a) > TOLERANCE:
            fixed[atom] = 0 if a > 0 else 1
        elif equal and high - abs(a) < -TOLERANCE:
            fixed[atom] = 1 if a > 0 else 0
        else:
            continue
        newly[n_new] = atom
        n_new += 1
        if equal:
            # Both bounds move with every fixing: the row is looked at again.
            break
    return n_new


@compiled
def _force_by_block(layout: Layout, block: int, fixed: Int8, newly: Int64) -> int:
    """Fix the atoms that a block leaves one value; how many, -1 where it cannot be met."""
    n_true, n_open, last = 0, 0, -1
    for k in range(layout.block_ptr[block], layout.block_ptr[block + 1]):
        atom = layout.block_atom[k]
        if fixed[atom] == 1:
            n_true += 1
        elif fixed[atom] < 0:
            n_open += 1
            last = atom
    one_wanted = layout.block_kind[block] == EXACTLY_ONE
    if n_true > 1 or (n_true == 0 and n_open == 0 and one_wanted):
        return -1
    n_new = 0
    if n_true == 1:
        for k in range(layout.block_ptr[block], layout.block_ptr[block + 1]):
            atom = layout.block_atom[k]
            if fixed[atom] < 0:
                fixed[atom] = 0
                newly[n_new] = atom
                n_new += 1
    elif n_open == 1 and one_wanted:
        fixed[last] = 1
        newly[0] = last
        n_new = 1
    return n_new
