"""Soft rows in parts that may lie in files, and the convex program over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Array, Float, Float32, Integer, Real
from workbench.inference.folding import fold
from workbench.mapped import ROWS_AT_ONCE, mapped, release
from workbench.network.compiled import compiled
from workbench.network.ground_network import GroundNetwork, Relation
from workbench.network.hinge_problem import SQUARED, HingeArrays, HingeProblem, RowKind
from workbench.network.relax import relax
from workbench.network.runs import row_runs


@compiled
def step_sizes(
    indptr: Integer, indices: Integer, values: Real, dual_step: Real, magnitudes: Float
) -> None:
    """Each row's dual step, the inverse of its summed absolute entries; these added up by atom."""
    for j in range(dual_step.size):
        total = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            entry = abs(float(values[p]))
            total += entry
            magnitudes[indices[p]] += entry
        dual_step[j] = 1.0 / total if total > 0.0 else 1.0


@compiled
def add_products(program: HingeArrays, multiplier: Real, slope: Real) -> None:
    """Add `A^T multiplier` to `slope`."""
    for j in range(multiplier.size):
        for p in range(program.indptr[j], program.indptr[j + 1]):
            slope[program.indices[p]] += program.values[p] * multiplier[j]


@compiled
def measure_energy(program: HingeArrays, x: Float) -> float:
    """What soft rows cost at `x`, in double precision."""
    total = 0.0
    for j in range(program.b.size):
        ell = float(program.b[j])
        for p in range(program.indptr[j], program.indptr[j + 1]):
            ell += program.values[p] * x[program.indices[p]]
        if ell > 0.0:
            total += program.weight[j] * (ell * ell if program.kind[j] == SQUARED else ell)
    return total


@compiled
def measure_bound(program: HingeArrays, multiplier: Real, slope: Float) -> float:
    """Soft rows' part of the dual bound at multipliers brought to where the conjugates are finite.

    `sum_j (l_j b_j - h_j*(l_j))`; `A^T l` is added to `slope`.
    """
    total = 0.0
    for j in range(program.b.size):
        chosen, weight = max(float(multiplier[j]), 0.0), float(program.weight[j])
        if program.kind[j] == SQUARED:
            total -= chosen * chosen / (4.0 * weight)
        else:
            chosen = min(chosen, weight)
        total += chosen * program.b[j]
        for p in range(program.indptr[j], program.indptr[j + 1]):
            slope[program.indices[p]] += program.values[p] * chosen
    return total


@dataclass(frozen=True)
class RowPart:
    """Consecutive soft rows and their multipliers.

    Attributes
    ----------
    rows : HingeArrays
        The arrays over rows are the part's; those over atoms are nobody's, and empty.
    dual_step, multiplier, anchor, mapped : float32 arrays, shape (n_rows,)
    """

    rows: HingeArrays
    dual_step: Float32
    multiplier: Float32
    anchor: Float32
    mapped: Float32

    @property
    def nbytes(self) -> int:
        """What the part takes on disk, or in memory while it is passed."""
        rows = self.rows
        by_row = (
            self.dual_step,
            self.multiplier,
            self.anchor,
            self.mapped,
            rows.b,
            rows.weight,
            rows.indptr,
        )
        entries = int(rows.indptr[-1] - rows.indptr[0])
        return sum(array.nbytes for array in by_row) + entries * (
            rows.indices.itemsize + rows.values.itemsize
        )

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Everything that may lie in files."""
        own = self.dual_step, self.multiplier, self.anchor, self.mapped
        return (
            *own,
            self.rows.indptr,
            self.rows.indices,
            self.rows.values,
            self.rows.b,
            self.rows.weight,
        )


@dataclass(frozen=True)
class StreamedProgram(HingeProblem):
    """A convex program whose own rows are the hard ones; the soft rows come in parts.

    Attributes
    ----------
    magnitudes : float64 array, shape (n,)
        Of each atom the summed absolute coefficients in the parts' rows.
    weight_square : float
        The summed squares of the parts' weights.
    spills : bool
        Whether a part leaves memory once it is passed.
    """

    parts: tuple[RowPart, ...] = ()
    magnitudes: Float | float = 0.0
    weight_square: float = 0.0
    spills: bool = False

    def passing(self, parts: Sequence[RowPart]) -> Iterator[RowPart]:
        """Parts one after the other, of which none stays in memory where they do not all fit."""
        for part in parts:
            yield part
            if self.spills:
                release(*part.arrays)

    def absolute_sums(self) -> tuple[Float, Float]:
        """Those of the hard rows, and of all rows by atom."""
        by_row, by_atom = super().absolute_sums()
        return by_row, by_atom + self.magnitudes

    def size(self) -> float:
        """The squared length of weights and costs."""
        return super().size() + self.weight_square

    def energy(self, x: Float) -> float:
        """Energy of `x`, shape (n,); one pass."""
        return super().energy(x) + sum(
            measure_energy(part.rows, x) for part in self.passing(self.parts)
        )

    def dual_bound(self, multipliers: Float) -> float:
        """The bound that the parts' multipliers and these of the hard rows prove; one pass."""
        clipped = self.clip_multipliers(multipliers)
        slope = self.cost + self.A.T @ clipped
        value = self.constant + float(clipped @ self.b)
        for part in self.passing(self.parts):
            value += measure_bound(part.rows, part.mapped, slope)
        return value + self._least_linear(slope)


def streamed_program(
    network: GroundNetwork,
    weights: Float,
    memory: int | None = None,
    rows_at_once: int = ROWS_AT_ONCE,
) -> StreamedProgram:
    """The program of a network, its soft rows in parts; two passes."""
    hard = np.flatnonzero(network.relation != Relation.HINGE)
    held = fold(relax(network.take_rows(hard), weights))
    magnitudes = np.zeros(held.n)
    parts, square, size = [], 0.0, 0
    for rows, run in row_runs(network, rows_at_once):
        weight = run.effective_weights(weights)
        soft = (run.relation == Relation.HINGE) & (weight > 0.0)
        if not soft.any():
            continue
        if soft.all():
            # The whole matrix from the run's own offsets on: these are a view, where the run's
            # would be a copy.
            part = _part(
                run, network.A, network.A.indptr[rows.start : rows.stop + 1], weight, magnitudes
            )
        else:
            chosen = run.take_rows(np.flatnonzero(soft))
            part = _part(chosen, chosen.A, chosen.A.indptr, weight[soft], magnitudes)
        parts.append(part)
        square += float(weight @ weight)
        size += part.nbytes
        if memory is not None:
            release(*part.arrays)
    given = {one.name: getattr(held, one.name) for one in fields(held)}
    spills = memory is not None and size > memory
    return StreamedProgram(
        **given, parts=tuple(parts), magnitudes=magnitudes, weight_square=square, spills=spills
    )


def _part(
    run: GroundNetwork, A: csr_array, indptr: Array, weight: Float, magnitudes: Float
) -> RowPart:
    """Soft rows with entries at `indptr` of `A`; atoms' summed coefficients go to `magnitudes`."""
    n = run.n_rows
    step, multiplier, anchor, image, heavy = (mapped(n, np.float32) for _ in range(5))
    heavy[:] = weight
    kind = np.where(run.power[run.template] == 2, RowKind.SQUARED, RowKind.LINEAR).astype(np.int8)
    step_sizes(indptr, A.indices, A.data, step, magnitudes)
    none: Any = np.zeros(0)
    blocks: Any = (
        np.zeros(0, np.int64),
        np.zeros(1, np.int64),
        np.zeros(0, np.int64),
        none,
        np.zeros(0, np.bool_),
    )
    rows = HingeArrays(indptr, A.indices, A.data, run.b, heavy, kind, none, none, none, *blocks)
    return RowPart(rows, step, multiplier, anchor, image)
