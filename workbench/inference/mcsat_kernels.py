"""One step of MC-SAT: choose clauses to keep, propagate, and draw a state that satisfies them."""

from __future__ import annotations

from workbench.arrays import Float, Int8, Int32, UInt64
from workbench.inference.gibbs_kernels import set_atom
from workbench.inference.local_search import columns_of
from workbench.inference.random_numbers import below, uniform
from workbench.inference.sample_sat import BlockState, Slice, newly_violated, sample_sat
from workbench.network.compiled import compiled
from workbench.network.ground_network import AT_MOST, AT_MOST_ONE, EXACTLY_ONE
from workbench.network.hinge_problem import Columns
from workbench.network.layout import Layout


@compiled
def _fix(atom: int, value: int, fixed: Int8, queue: Int32, tail: int) -> int:
    if fixed[atom] < 0:
        fixed[atom] = value
        queue[tail] = atom
        tail += 1
    return tail


@compiled
def _bind(layout: Layout, work: Slice, y: Int8, ell: Float, random: UInt64) -> int:
    """Mark the clauses that bind, and fix what single literals imply, as it is at present.

    Returns the number of atoms fixed.
    """
    fixed, queue, active = work.fixed, work.queue, work.active
    keep_row, keep_atom = work.keep_row, work.keep_atom
    row_ptr, row_atom = layout.row_ptr, layout.row_atom
    kind, weight, field = layout.kind, layout.weight, layout.field
    tail = 0
    for atom in range(y.size):
        fixed[atom] = layout.fixed[atom]
        if fixed[atom] >= 0:
            queue[tail] = atom
            tail += 1
        elif (
            keep_atom[atom] > 0
            and (field[atom] > 0) == (y[atom] == 1)
            and uniform(random) < keep_atom[atom]
        ):
            tail = _fix(atom, y[atom], fixed, queue, tail)
    for row in range(ell.size):
        work.open_literals[row] = row_ptr[row + 1] - row_ptr[row]
        active[row] = 0
        holds = ell[row] <= 0
        if kind[row] == AT_MOST:
            active[row] = 1
        elif weight[row] > 0 and holds:
            active[row] = uniform(random) < keep_row[row]
        elif weight[row] < 0 and not holds and uniform(random) < keep_row[row]:
            # What costs while it is satisfied is to stay violated, each literal of it.
            for k in range(row_ptr[row], row_ptr[row + 1]):
                tail = _fix(row_atom[k], y[row_atom[k]], fixed, queue, tail)
        if active[row] and work.open_literals[row] == 1:
            tail = _fix(row_atom[row_ptr[row]], y[row_atom[row_ptr[row]]], fixed, queue, tail)
    return tail


@compiled
def _propagate(layout: Layout, work: Slice, y: Int8, true: Int32 | None, tail: int) -> None:
    """Fix what the atoms fixed so far, `tail` in the queue, and the blocks imply in turn."""
    fixed, queue, active, open_literals = work.fixed, work.queue, work.active, work.open_literals
    row_ptr, row_atom = layout.row_ptr, layout.row_atom
    atom_ptr, atom_row, coefficient = layout.atom_ptr, layout.atom_row, layout.atom_coefficient
    block_of, block_ptr, block_atom = layout.block_of, layout.block_ptr, layout.block_atom
    head = 0
    while head < tail:
        atom = queue[head]
        head += 1
        for k in range(atom_ptr[atom], atom_ptr[atom + 1]):
            row = atom_row[k]
            if active[row] == 0:
                continue
            if (coefficient[k] < 0) == (y[atom] == 1):
                active[row] = 0  # satisfied for good
                continue
            open_literals[row] -= 1
            if open_literals[row] == 1:
                for i in range(row_ptr[row], row_ptr[row + 1]):
                    if fixed[row_atom[i]] < 0:
                        tail = _fix(row_atom[i], y[row_atom[i]], fixed, queue, tail)
        if true is None:
            continue
        block = block_of[atom]
        if block >= 0:
            left = 0
            for i in range(block_ptr[block], block_ptr[block + 1]):
                left += fixed[block_atom[i]] < 0
            if y[atom] == 1 or (left == 1 and layout.block_kind[block] == EXACTLY_ONE):
                for i in range(block_ptr[block], block_ptr[block + 1]):
                    tail = _fix(block_atom[i], y[block_atom[i]], fixed, queue, tail)


@compiled
def _mix(
    columns: Columns,
    work: Slice,
    y: Int8,
    ell: Float,
    blocks: BlockState | None,
    n_free: int,
    random: UInt64,
) -> None:
    """One sweep of uniform redraws that keep every active row; the distribution stays."""
    active, fixed, free = work.active, work.fixed, work.free
    for i in range(n_free):
        atom = free[i]
        if blocks is None or blocks.of[atom] < 0:
            if uniform(random) < 0.5 and newly_violated(atom, y, ell, columns, active) == 0:
                set_atom(atom, 1 - y[atom], y, ell, columns)
            continue
        # Propose a member at random, or none where the block allows that: symmetric, so legal
        # proposals are taken.
        block = blocks.of[atom]
        old = blocks.true[block]
        first = blocks.ptr[block]
        size = blocks.ptr[block + 1] - first
        option = below(random, size + blocks.kind[block])
        new = blocks.atom[first + option] if option < size else -1
        if new == old or (old >= 0 and fixed[old] >= 0) or (new >= 0 and fixed[new] >= 0):
            continue
        if old >= 0:
            set_atom(old, 0, y, ell, columns)
        if new >= 0:
            set_atom(new, 1, y, ell, columns)
        legal = True
        for turn in range(2):
            changed = old if turn == 0 else new
            if changed >= 0 and legal:
                for k in range(columns.indptr[changed], columns.indptr[changed + 1]):
                    row = columns.row[k]
                    if active[row] and ell[row] > 0:
                        legal = False
                        break
        if legal:
            blocks.true[block] = new
        else:
            if new >= 0:
                set_atom(new, 0, y, ell, columns)
            if old >= 0:
                set_atom(old, 1, y, ell, columns)


@compiled
def _scatter(
    columns: Columns,
    work: Slice,
    y: Int8,
    ell: Float,
    blocks: BlockState | None,
    n_free: int,
    random: UInt64,
) -> None:
    """Give free atoms random values, and blocks without a fixed true member a random free one."""
    fixed, free = work.fixed, work.free
    for i in range(n_free):
        if blocks is None or blocks.of[free[i]] < 0:
            set_atom(free[i], 1 if uniform(random) < 0.5 else 0, y, ell, columns)
    if blocks is None:
        return
    for block in range(blocks.true.size):
        before = blocks.true[block]
        if before >= 0 and fixed[before] >= 0:
            continue
        # Each of those seen so far with equal probability; none is one of them where it may be.
        seen, new = int(blocks.kind[block] == AT_MOST_ONE), -1
        for k in range(blocks.ptr[block], blocks.ptr[block + 1]):
            if fixed[blocks.atom[k]] < 0:
                seen += 1
                if below(random, seen) == 0:
                    new = blocks.atom[k]
        if seen > 0 and new != before:
            if before >= 0:
                set_atom(before, 0, y, ell, columns)
            if new >= 0:
                set_atom(new, 1, y, ell, columns)
            blocks.true[block] = new


@compiled
def _list_violated(work: Slice, ell: Float) -> int:
    """List the rows that bind and are violated; how many."""
    n = 0
    for row in range(ell.size):
        work.place[row] = -1
        if work.active[row] and ell[row] > 0:
            work.violated[n] = row
            work.place[row] = n
            n += 1
    return n


@compiled
def _restore(
    columns: Columns, work: Slice, y: Int8, ell: Float, blocks: BlockState | None, n_free: int
) -> None:
    """Give free atoms and their blocks the values from before the step."""
    free, old = work.free, work.old
    for i in range(n_free):
        atom = free[i]
        set_atom(atom, old[atom], y, ell, columns)
        if blocks is None:
            continue
        block = blocks.of[atom]
        if block >= 0 and old[atom] == 1:
            blocks.true[block] = atom
        elif block >= 0 and blocks.true[block] == atom:
            blocks.true[block] = -1


@compiled
def slice_step(
    layout: Layout,
    work: Slice,
    y: Int8,
    ell: Float,
    true: Int32 | None,
    random: UInt64,
    steps: int,
    sweeps: int,
) -> None:
    """One MC-SAT step from the state `y` to the next, in place.

    Atoms that no kept clause holds are redrawn freely; the others by SampleSAT from a random state
    of all of them, or from the present state where that fails within `steps`; then `sweeps` sweeps
    of redraws among solutions.
    """
    _propagate(layout, work, y, true, _bind(layout, work, y, ell, random))
    columns, blocks = columns_of(layout), None
    if true is not None:
        members = layout.block_ptr, layout.block_atom, layout.block_kind
        blocks = BlockState(layout.block_of, *members, true, work.fixed)
    work.figures[0] += 1
    n_free = 0
    for atom in range(y.size):
        work.old[atom] = y[atom]
        if work.fixed[atom] < 0:
            work.free[n_free] = atom
            n_free += 1
    if steps > 0:
        _scatter(columns, work, y, ell, blocks, n_free, random)
        n = _list_violated(work, ell)
        rows = layout.row_ptr, layout.row_atom, layout.row_coefficient
        if n > 0 and not sample_sat(rows, columns, work, y, ell, blocks, n_free, n, steps, random):
            work.figures[1] += 1
            _restore(columns, work, y, ell, blocks, n_free)
    for _ in range(sweeps):
        _mix(columns, work, y, ell, blocks, n_free, random)
