"""Convex MAP on [0, 1] as plain arrays: hinges, hard rows, simplexes, boxes; its energy and its dual bound."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from workbench.arrays import Bool, Float, Int8, Int32, Int64, Integer, Real
from workbench.network.relax import HingeProblem

__all__ = ["Columns", "ConvexArrays", "ConvexProgram", "RowKind", "convex_program"]


class RowKind(IntEnum):
    """What a row contributes: `w max(0, ell)`, `w max(0, ell)^2`, or the constraint `ell <= 0`, `ell = 0`."""

    LINEAR = 0
    SQUARED = 1
    AT_MOST = 2
    EQUAL = 3


class ConvexArrays(NamedTuple):
    """A `ConvexProgram` as kernels take it; `block_of` is -1 for atoms of no block."""

    indptr: Int32
    indices: Int32
    values: Real
    b: Real
    weight: Real
    kind: Int8
    cost: Real
    lower: Real
    upper: Real
    block_of: Int64
    block_start: Int64
    block_member: Int64
    block_right: Float
    block_exact: Bool


class Columns(NamedTuple):
    """The rows of each atom, and the atom's coefficient in them."""

    indptr: Int32
    row: Int32
    values: Float


@dataclass(frozen=True)
class ConvexProgram:
    """Minimise `constant + cost . x + sum of row potentials` over a box, hard rows and disjoint simplexes.

    Attributes
    ----------
    A : csr_array, float64, shape (n_rows, n)
        `ell = b + A x`.
    b, weight : float64 arrays, shape (n_rows,)
        Weights are positive; 0 on hard rows.
    kind : int8 array, shape (n_rows,)
        A `RowKind` each.
    cost, lower, upper : float64 arrays, shape (n,)
    constant : float
    block_start : int64 array, shape (n_blocks + 1,)
    block_member : int64 array
        Members of block k are `block_member[block_start[k] : block_start[k + 1]]`; blocks are disjoint.
    block_right : float64 array, shape (n_blocks,)
        What the members of a block sum to, or stay below; never more than any member's upper bound, so that the
        block is a scaled simplex.
    block_exact : bool array, shape (n_blocks,)
        Whether the sum is reached exactly.
    """

    A: csr_array
    b: Float
    weight: Float
    kind: Int8
    cost: Float
    lower: Float
    upper: Float
    constant: float
    block_start: Int64 = field(default_factory=lambda: np.zeros(1, np.int64))
    block_member: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    block_right: Float = field(default_factory=lambda: np.zeros(0))
    block_exact: Bool = field(default_factory=lambda: np.zeros(0, np.bool_))

    @property
    def n(self) -> int:
        return int(self.cost.size)

    @property
    def n_rows(self) -> int:
        return int(self.b.size)

    @property
    def n_blocks(self) -> int:
        return int(self.block_right.size)

    @property
    def widest_block(self) -> int:
        """Members of the largest block."""
        return int(np.diff(self.block_start).max(initial=0))

    @property
    def members(self) -> csr_array:
        """The blocks as rows of ones, shape (n_blocks, n)."""
        ones = np.ones(self.block_member.size)
        return csr_array((ones, self.block_member, self.block_start), shape=(self.n_blocks, self.n))

    def take_rows(self, rows: Int64) -> ConvexProgram:
        """The program with these rows only, in this order."""
        return replace(self, A=csr_array(self.A[rows]), b=self.b[rows], weight=self.weight[rows], kind=self.kind[rows])

    def arrays(self, precision: type[np.floating] = np.float64) -> ConvexArrays:
        """The program for kernels; numbers but those of the blocks in the given precision."""
        block_of = np.full(self.n, -1, np.int64)
        block_of[self.block_member] = np.repeat(np.arange(self.n_blocks), np.diff(self.block_start))
        numbers = (self.A.data, self.b, self.weight, self.cost, self.lower, self.upper)
        values, b, weight, cost, lower, upper = (array.astype(precision) for array in numbers)
        return ConvexArrays(
            self.A.indptr.astype(np.int32),
            self.A.indices.astype(np.int32),
            values,
            b,
            weight,
            self.kind,
            cost,
            lower,
            upper,
            block_of,
            self.block_start,
            self.block_member,
            self.block_right,
            self.block_exact,
        )

    def absolute_sums(self) -> tuple[Float, Float]:
        """The summed absolute coefficients of each row and of each atom."""
        magnitude = abs(self.A)
        return np.asarray(magnitude.sum(axis=1), np.float64), np.asarray(magnitude.sum(axis=0), np.float64)

    def size(self) -> float:
        """The squared length of weights and costs."""
        return float(self.weight @ self.weight + self.cost @ self.cost)

    def columns(self) -> Columns:
        """The entries by atom."""
        columns = csc_array(self.A)
        return Columns(columns.indptr.astype(np.int32), columns.indices.astype(np.int32), columns.data)

    def energy(self, x: Float) -> float:
        """Energy of `x`, shape (n,); hard rows and blocks do not enter. One sparse product."""
        ell = np.maximum(self.b + self.A @ x, 0.0)
        squared = self.kind == RowKind.SQUARED
        return float(self.constant + self.cost @ x + self.weight @ np.where(squared, ell * ell, ell))

    def violation(self, x: Float) -> float:
        """Largest violation of a hard row or of a block at `x`."""
        hard = np.flatnonzero(self.kind >= RowKind.AT_MOST)
        worst = 0.0
        if hard.size:
            ell = self.b[hard] + self.A[hard] @ x
            worst = float(np.max(np.where(self.kind[hard] == RowKind.EQUAL, np.abs(ell), ell), initial=0.0))
        if self.n_blocks:
            excess = np.add.reduceat(x[self.block_member], self.block_start[:-1]) - self.block_right
            worst = max(worst, float(np.max(np.where(self.block_exact, np.abs(excess), excess), initial=0.0)))
        return worst

    def dual_bound(self, multipliers: Float) -> float:
        """A lower bound on the least energy from any row multipliers, by weak duality.

        Parameters
        ----------
        multipliers : float64 array, shape (n_rows,)
            Clipped to where the potentials' conjugates are finite: [0, w] for linear hinges, non-negative for
            squared hinges and `<=` rows.

        Notes
        -----
        With `h*` the conjugate of a potential, `min_x f(x) >= sum_j (l_j b_j - h_j*(l_j)) + min over boxes and
        blocks of (cost + A^T l) . x`; the inner minimum is separable and exact.
        """
        clipped = self.clip_multipliers(multipliers)
        squared = self.kind == RowKind.SQUARED
        value = self.constant + float(clipped @ self.b)
        value -= float(np.sum(clipped[squared] ** 2 / (4.0 * self.weight[squared])))
        return value + self._least_linear(self.cost + self.A.T @ clipped)

    def clip_multipliers(self, multipliers: Float) -> Float:
        """The nearest multipliers that the potentials' conjugates allow, shape (n_rows,)."""
        clipped = np.where(self.kind == RowKind.EQUAL, multipliers, np.maximum(multipliers, 0.0))
        return np.asarray(np.where(self.kind == RowKind.LINEAR, np.minimum(clipped, self.weight), clipped))

    def _least_linear(self, slope: Float) -> float:
        """The least of `slope . x` over the box and the blocks."""
        lone = np.ones(self.n, dtype=np.bool_)
        lone[self.block_member] = False
        total = float(np.sum(np.minimum(slope * self.lower, slope * self.upper)[lone]))
        if self.n_blocks:
            least = np.minimum.reduceat(slope[self.block_member], self.block_start[:-1])
            total += float(np.sum(self.block_right * np.where(self.block_exact, least, np.minimum(least, 0.0))))
        return total

    def blocks_as_rows(self) -> ConvexProgram:
        """The same problem with every block written as one hard row, after the other rows."""
        if not self.n_blocks:
            return self
        kinds = np.where(self.block_exact, np.int8(RowKind.EQUAL), np.int8(RowKind.AT_MOST)).astype(np.int8)
        return ConvexProgram(
            csr_array(vstack([self.A, self.members], format="csr")),
            np.concatenate([self.b, -self.block_right]),
            np.concatenate([self.weight, np.zeros(self.n_blocks)]),
            np.concatenate([self.kind, kinds]),
            self.cost,
            self.lower,
            self.upper,
            self.constant,
        )


def convex_program(problem: HingeProblem) -> ConvexProgram:
    """The solver's form of a relaxed network (`workbench.network.relax`): simplexes recognised, bounds folded.

    Hard rows over one atom become bounds of that atom; hard rows `x_1 + ... + x_k <= c` (or `= c`) become blocks
    where they are disjoint. The energy is the network's reported energy wherever the relaxation is exact.
    """
    soft = np.where(problem.power == 2, RowKind.SQUARED, RowKind.LINEAR)
    hard = np.where(problem.equality, RowKind.EQUAL, RowKind.AT_MOST)
    n = problem.n_variables
    A = csr_array(vstack([problem.A, problem.H], format="csr"))
    A.eliminate_zeros()
    program = ConvexProgram(
        A=A,
        b=np.concatenate([problem.b, problem.h]),
        weight=np.concatenate([problem.weight, np.zeros(problem.n_hard)]),
        kind=np.concatenate([soft, hard]).astype(np.int8),
        cost=problem.linear,
        lower=np.zeros(n),
        upper=np.ones(n),
        constant=problem.offset,
    )
    return _recognise_blocks(_fold_single_atoms(program))


def _fold_single_atoms(problem: ConvexProgram) -> ConvexProgram:
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


def _recognise_blocks(problem: ConvexProgram) -> ConvexProgram:
    """Turn hard rows `a (x_1 + ... + x_k) <= c` (or `= c`) over atoms of no earlier such row into blocks."""
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
