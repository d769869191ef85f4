"""A hinge problem with bounds for hard rows of one variable, simplexes for disjoint sums."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from workbench.arrays import Int64, Integer
from workbench.network.hinge_problem import HingeProblem, RowKind


def fold(problem: HingeProblem) -> HingeProblem:
    """What first-order solvers take: simplexes recognised, bounds folded; the same energies.

    Hard rows over one atom become bounds of that atom; hard rows `x_1 + ... + x_k <= c` (or `= c`)
    become blocks where they are disjoint.
    """
    A = problem.A.copy()
    A.eliminate_zeros()
    return _recognise_blocks(_fold_single_atoms(replace(problem, A=A)))


def _fold_single_atoms(problem: HingeProblem) -> HingeProblem:
    """Turn hard rows over one atom into bounds of that atom."""
    single = (problem.kind >= RowKind.AT_MOST) & (np.diff(problem.A.indptr) == 1)
    rows = np.flatnonzero(single)
    if not rows.size:
        return problem
    first = problem.A.indptr[rows]
    atom, slope = problem.A.indices[first], problem.A.data[first]
    limit = -problem.b[rows] / slope
    equal = problem.kind[rows] == RowKind.EQUAL
    lower, upper = problem.lower.copy(), problem.upper.copy()
    above, below = equal | (slope < 0.0), equal | (slope > 0.0)
    np.maximum.at(lower, atom[above], limit[above])
    np.minimum.at(upper, atom[below], limit[below])
    return replace(problem.take_rows(np.flatnonzero(~single)), lower=lower, upper=upper)


def _recognise_blocks(problem: HingeProblem) -> HingeProblem:
    """Turn hard `a (x_1 + ... + x_k) <= c` (or `=`) into blocks, if no atom is in one already."""
    size = np.diff(problem.A.indptr)
    candidates = np.flatnonzero((problem.kind >= RowKind.AT_MOST) & (size > 1))
    if not candidates.size:
        return problem
    A = problem.A
    starts = A.indptr[candidates]
    entries = _ranges(starts, size[candidates])
    offsets = np.concatenate([[0], np.cumsum(size[candidates])[:-1]])
    low = np.minimum.reduceat(A.data[entries], offsets)
    high = np.maximum.reduceat(A.data[entries], offsets)
    right = -problem.b[candidates] / np.where(high == 0.0, 1.0, high)
    entry_atom = A.indices[entries]
    roof = np.minimum.reduceat(problem.upper[entry_atom], offsets)
    floor = np.maximum.reduceat(problem.lower[entry_atom], offsets)
    fits = (low == high) & (low > 0.0) & (right >= 0.0) & (right <= roof) & (floor == 0.0)
    # A row claims its atoms unless an earlier row did: the first claimant of each atom, row by row.
    owner = np.repeat(np.arange(candidates.size), size[candidates])
    eligible = np.repeat(fits, size[candidates])
    first_owner = np.full(problem.n, candidates.size)
    np.minimum.at(first_owner, entry_atom[eligible], owner[eligible])
    disjoint = np.minimum.reduceat(first_owner[entry_atom] == owner, offsets)
    chosen = np.flatnonzero(fits & disjoint)
    if not chosen.size:
        return problem
    rows = candidates[chosen]
    others = np.ones(problem.n_rows, np.bool_)
    others[rows] = False
    return replace(
        problem.take_rows(np.flatnonzero(others)),
        block_start=np.concatenate([[0], np.cumsum(size[rows])]).astype(np.int64),
        block_member=A.indices[_ranges(A.indptr[rows], size[rows])].astype(np.int64),
        block_right=right[chosen],
        block_exact=problem.kind[rows] == RowKind.EQUAL,
    )


def _ranges(starts: Integer, sizes: Integer) -> Int64:
    """`concatenate([arange(s, s + k) for s, k in zip(starts, sizes)])` without a loop."""
    ends = np.cumsum(sizes)
    within = np.arange(ends[-1] if ends.size else 0, dtype=np.int64)
    return np.asarray(within + np.repeat(starts - (ends - sizes), sizes))
