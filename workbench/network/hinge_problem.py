"""Convex MAP on [0, 1] as arrays: hinges, hard rows, simplexes, boxes; energy and dual bound."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from workbench.arrays import Bool, Float, Int8, Int32, Int64, Integer, Real


class RowKind(IntEnum):
    """What a row is: `w max(0, ell)`, `w max(0, ell)^2`, or `ell <= 0`, `ell = 0`."""

    LINEAR = 0
    SQUARED = 1
    AT_MOST = 2
    EQUAL = 3


# Numba takes integers for constants, not members of an enumeration.
LINEAR, SQUARED, AT_MOST, EQUAL = (int(kind) for kind in RowKind)


class HingeArrays(NamedTuple):
    """A `HingeProblem` as kernels take it; `block_of` is -1 for atoms of no block."""

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

    indptr: Integer
    row: Int32
    values: Float

    @classmethod
    def of(cls, matrix: csr_array) -> Columns:
        """Of the rows of a matrix."""
        by_atom = csc_array(matrix)
        return cls(by_atom.indptr.astype(np.int32), by_atom.indices.astype(np.int32), by_atom.data)


@dataclass(frozen=True)
class HingeProblem:
    """Minimise `constant + cost . x + potentials` over a box, hard rows and disjoint simplexes.

    The first `n_atoms` variables are a network's atoms; the rest stand for literals of clauses (see
    `relax`). At 0/1 atoms, and best auxiliaries, the objective is the network's reported energy.

    Attributes
    ----------
    A : csr_array, float64, shape (n_rows, n)
        `ell = b + A x`.
    b, weight : float64 arrays, shape (n_rows,)
        Weights are positive; 0 on hard rows.
    kind : int8 array, shape (n_rows,)
        A `RowKind` each.
    cost, lower, upper : float64 arrays, shape (n,)
    block_start : int64 array, shape (n_blocks + 1,)
    block_member : int64 array
        Members of block k are `block_member[block_start[k] : block_start[k + 1]]`; blocks are
        disjoint.
    block_right : float64 array, shape (n_blocks,)
        What the members of a block sum to, or stay below; never more than any member's upper bound,
        so that the block is a scaled simplex.
    block_exact : bool array, shape (n_blocks,)
        Whether the sum is reached exactly.
    """

    n_atoms: int
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
    def hard(self) -> Bool:
        """Whether each row is a constraint."""
        return np.asarray(self.kind >= RowKind.AT_MOST)

    @property
    def n_hinges(self) -> int:
        return int(np.count_nonzero(~self.hard))

    @property
    def is_linear(self) -> bool:
        """Whether no hinge is squared."""
        return not np.any(self.kind == RowKind.SQUARED)

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

    def take_rows(self, rows: Int64) -> HingeProblem:
        """The program with these rows only, in this order."""
        return replace(
            self,
            A=csr_array(self.A[rows]),
            b=self.b[rows],
            weight=self.weight[rows],
            kind=self.kind[rows],
        )

    def lift(self, values: Float) -> Float:
        """The atoms of a state of all variables."""
        return values[: self.n_atoms]

    def reduce(self, values: Float) -> Float:
        """All variables at given atoms: each auxiliary at the largest literal below it."""
        x = np.concatenate([values, np.zeros(self.n - self.n_atoms)])
        if x.size > self.n_atoms:
            rows = self.take_rows(np.flatnonzero(self.hard))
            literals = np.flatnonzero(rows.A.indices >= self.n_atoms)
            of_row = np.searchsorted(rows.A.indptr, literals, side="right") - 1
            np.maximum.at(x, rows.A.indices[literals], (rows.A @ x + rows.b)[of_row])
        return x

    def arrays(self, precision: type[np.floating] = np.float64) -> HingeArrays:
        """The program for kernels; numbers but those of the blocks in the given precision."""
        block_of = np.full(self.n, -1, np.int64)
        block_of[self.block_member] = np.repeat(np.arange(self.n_blocks), np.diff(self.block_start))
        numbers = (self.A.data, self.b, self.weight, self.cost, self.lower, self.upper)
        values, b, weight, cost, lower, upper = (array.astype(precision) for array in numbers)
        return HingeArrays(
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
        return np.asarray(magnitude.sum(axis=1), np.float64), np.asarray(
            magnitude.sum(axis=0), np.float64
        )

    def size(self) -> float:
        """The squared length of weights and costs."""
        return float(self.weight @ self.weight + self.cost @ self.cost)

    def columns(self) -> Columns:
        """The entries by atom."""
        return Columns.of(self.A)

    def energy(self, x: Float) -> float:
        """Energy of `x`, shape (n,); hard rows and blocks do not enter. One sparse product."""
        ell = np.maximum(self.b + self.A @ x, 0.0)
        squared = self.kind == RowKind.SQUARED
        return float(
            self.constant + self.cost @ x + self.weight @ np.where(squared, ell * ell, ell)
        )

    def violation(self, x: Float) -> float:
        """Largest violation of a hard row or of a block at `x`."""
        hard = np.flatnonzero(self.kind >= RowKind.AT_MOST)
        worst = 0.0
        if hard.size:
            ell = self.b[hard] + self.A[hard] @ x
            worst = float(
                np.max(np.where(self.kind[hard] == RowKind.EQUAL, np.abs(ell), ell), initial=0.0)
            )
        if self.n_blocks:
            excess = np.add.reduceat(x[self.block_member], self.block_start[:-1]) - self.block_right
            worst = max(
                worst,
                float(np.max(np.where(self.block_exact, np.abs(excess), excess), initial=0.0)),
            )
        return worst

    def dual_bound(self, multipliers: Float) -> float:
        """A lower bound on the least energy from any row multipliers, by weak duality.

        With `h*` the conjugate of a potential, `min_x f(x) >= sum_j (l_j b_j - h_j*(l_j)) + min
        over boxes and blocks of (cost + A^T l) . x`; the inner minimum is separable and exact.

        Parameters
        ----------
        multipliers : float64 array, shape (n_rows,)
            Clipped to where the potentials' conjugates are finite: [0, w] for linear hinges,
            non-negative for squared hinges and `<=` rows.
        """
        clipped = self.clip_multipliers(multipliers)
        squared = self.kind == RowKind.SQUARED
        value = self.constant + float(clipped @ self.b)
        value -= float(np.sum(clipped[squared] ** 2 / (4.0 * self.weight[squared])))
        return value + self._least_linear(self.cost + self.A.T @ clipped)

    def clip_multipliers(self, multipliers: Float) -> Float:
        """The nearest multipliers that the potentials' conjugates allow, shape (n_rows,)."""
        clipped = np.where(self.kind == RowKind.EQUAL, multipliers, np.maximum(multipliers, 0.0))
        return np.asarray(
            np.where(self.kind == RowKind.LINEAR, np.minimum(clipped, self.weight), clipped)
        )

    def _least_linear(self, slope: Float) -> float:
        """The least of `slope . x` over the box and the blocks."""
        lone = np.ones(self.n, dtype=np.bool_)
        lone[self.block_member] = False
        total = float(np.sum(np.minimum(slope * self.lower, slope * self.upper)[lone]))
        if self.n_blocks:
            least = np.minimum.reduceat(slope[self.block_member], self.block_start[:-1])
            total += float(
                np.sum(self.block_right * np.where(self.block_exact, least, np.minimum(least, 0.0)))
            )
        return total

    def blocks_as_rows(self) -> HingeProblem:
        """The same problem with every block written as one hard row, after the other rows."""
        if not self.n_blocks:
            return self
        kinds = np.where(self.block_exact, np.int8(RowKind.EQUAL), np.int8(RowKind.AT_MOST)).astype(
            np.int8
        )
        return HingeProblem(
            self.n_atoms,
            csr_array(vstack([self.A, self.members], format="csr")),
            np.concatenate([self.b, -self.block_right]),
            np.concatenate([self.weight, np.zeros(self.n_blocks)]),
            np.concatenate([self.kind, kinds]),
            self.cost,
            self.lower,
            self.upper,
            self.constant,
        )
