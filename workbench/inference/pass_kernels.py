"""Compiled steps of a pass over soft rows: what they cost, what they prove, their step sizes."""

from __future__ import annotations

from workbench.arrays import Float, Integer, Real
from workbench.network.compiled import compiled
from workbench.network.hinge_problem import SQUARED, HingeArrays


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
