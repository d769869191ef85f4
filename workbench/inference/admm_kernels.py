"""Compiled sweeps of consensus ADMM; local states `s = z + u` are all that they keep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from workbench.arrays import Float, Int64
from workbench.inference.partition import Starts
from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled
from workbench.network.hinge_problem import AT_MOST, LINEAR, SQUARED, HingeArrays


class AdmmState(NamedTuple):
    """What a run of ADMM keeps.

    Attributes
    ----------
    norm : float64 array, shape (n_rows,)
        Squared length of each row.
    degree : float64 array, shape (n,)
        Rows of each atom.
    penalty : float64 array, shape (n_components,)
    state : float64 array, shape (nonzeros,)
    x, total, before : float64 arrays, shape (n,)
        The consensus, and scratch.
    multiplier : float64 array, shape (n_rows,)
    scratch : float64 array, shape (2, members of the largest block)
    figures : float64 array, shape (n_components, 5)
        Energy, bound, hard violation, primal residual and dual residual of each component.
    """

    norm: Float
    degree: Float
    penalty: Float
    state: Float
    x: Float
    total: Float
    before: Float
    multiplier: Float
    scratch: Float
    figures: Float


class Balance(NamedTuple):
    """By what factor at most a penalty moves towards equal residuals, and its limits."""

    adapt: float
    least: float
    greatest: float


@compiled
def _sweep(
    program: HingeArrays, starts: Starts, c: int, run: AdmmState, sweeps: int, relaxation: float
) -> float:
    """Run `sweeps` ADMM iterations on component `c`, in place.

    Each reflects every local state about the consensus, applies the row's closed-form proximal
    step, moves the state and scatters it into `total`; the consensus is then the average, clipped
    to the box or projected onto its simplex. `multiplier` gets each row's dual. Returns the summed
    squared distance between the local copies and the consensus in the last sweep.
    """
    inverse = 1.0 / run.penalty[c]
    first, last = starts.row[c], starts.row[c + 1]
    residual = 0.0
    for _ in range(sweeps):
        for i in range(starts.atom[c], starts.atom[c + 1]):
            run.total[i] = -program.cost[i] * inverse
        residual = sweep_rows(program, first, last, run, run.total, run.penalty[c], relaxation)
        average(program, starts, c, run)
    return residual


@compiled
def sweep_rows(
    program: HingeArrays,
    first: int,
    last: int,
    run: AdmmState,
    total: Float,
    penalty: float,
    relaxation: float,
) -> float:
    """Move the local states of rows `first` to `last`, and add them to `total`; see `_sweep`."""
    indptr, indices, values = program.indptr, program.indices, program.values
    b, weight, kind = program.b, program.weight, program.kind
    norm, state, x, multiplier = run.norm, run.state, run.x, run.multiplier
    residual = 0.0
    inverse = 1.0 / penalty
    for j in range(first, last):
        start = indptr[j]
        end = indptr[j + 1]
        ell = b[j]
        for p in range(start, end):
            ell += values[p] * (2.0 * x[indices[p]] - state[p])
        # How far along the row's coefficients its proximal step goes: at most to where ell is 0.
        code = kind[j]
        if code == LINEAR:
            step = min(max(ell / norm[j], 0.0), weight[j] * inverse)
        elif code == SQUARED:
            step = max(2.0 * weight[j] * ell / (penalty + 2.0 * weight[j] * norm[j]), 0.0)
        elif code == AT_MOST:
            step = max(ell / norm[j], 0.0)
        else:
            step = ell / norm[j]
        multiplier[j] = step * penalty
        # Over-relaxed: the state moves past where the local copy would put it.
        for p in range(start, end):
            i = indices[p]
            moved = x[i] - state[p] - step * values[p]
            residual += moved * moved
            moved = state[p] + relaxation * moved
            state[p] = moved
            total[i] += moved
    return residual


@compiled
def average(program: HingeArrays, starts: Starts, c: int, run: AdmmState) -> None:
    """The consensus of component `c`: averages of `total`, in the box or on their simplex."""
    lower, upper, block_of = program.lower, program.upper, program.block_of
    degree, x, total, scratch = run.degree, run.x, run.total, run.scratch
    for i in range(starts.atom[c], starts.atom[c + 1]):
        if block_of[i] >= 0:
            total[i] = total[i] / degree[i] if degree[i] > 0.0 else x[i] + total[i]
        elif degree[i] > 0.0:
            x[i] = min(max(total[i] / degree[i], lower[i]), upper[i])
    # On a simplex, atoms weigh by their rows: the projection is in the metric of the degrees.
    for k in range(starts.block[c], starts.block[c + 1]):
        first = program.block_start[k]
        size = program.block_start[k + 1] - first
        for q in range(size):
            i = program.block_member[first + q]
            scratch[0, q] = total[i]
            scratch[1, q] = max(degree[i], 1.0)
        project_to_simplex(
            scratch[0], scratch[1], size, program.block_right[k], program.block_exact[k]
        )
        for q in range(size):
            x[program.block_member[first + q]] = scratch[0, q]


@compiled
def appraise(
    program: HingeArrays, starts: Starts, c: int, x: Float, multiplier: Float, slope: Float
) -> tuple[float, float, float]:
    """Component `c`: energy of `x`, dual bound of `multiplier`, largest hard violation.

    `slope` is scratch of shape (n,); multipliers are read as clipped to where the conjugates are
    finite.
    """
    indptr, indices, values = program.indptr, program.indices, program.values
    b, weight, kind, cost = program.b, program.weight, program.kind, program.cost
    energy = 0.0
    bound = 0.0
    violation = 0.0
    for i in range(starts.atom[c], starts.atom[c + 1]):
        slope[i] = cost[i]
        energy += cost[i] * x[i]
    for j in range(starts.row[c], starts.row[c + 1]):
        ell = b[j]
        for p in range(indptr[j], indptr[j + 1]):
            ell += values[p] * x[indices[p]]
        # A multiplier is brought to where its conjugate is finite: any such point proves a bound.
        code = kind[j]
        dual = multiplier[j]
        if code == LINEAR:
            energy += weight[j] * max(ell, 0.0)
            dual = min(max(dual, 0.0), weight[j])
        elif code == SQUARED:
            energy += weight[j] * max(ell, 0.0) ** 2
            dual = max(dual, 0.0)
            bound -= dual * dual / (4.0 * weight[j])
        elif code == AT_MOST:
            violation = max(violation, ell)
            dual = max(dual, 0.0)
        else:
            violation = max(violation, abs(ell))
        bound += dual * b[j]
        if dual != 0.0:
            for p in range(indptr[j], indptr[j + 1]):
                slope[indices[p]] += dual * values[p]
    for k in range(starts.block[c], starts.block[c + 1]):
        part, broken = _appraise_block(program, k, x, slope)
        bound += part
        violation = max(violation, broken)
    # What is left is linear in each atom, and least at an end of its box.
    for i in range(starts.atom[c], starts.atom[c + 1]):
        if program.block_of[i] < 0:
            bound += min(slope[i] * program.lower[i], slope[i] * program.upper[i])
    return energy, bound, violation


@compiled
def _appraise_block(program: HingeArrays, k: int, x: Float, slope: Float) -> tuple[float, float]:
    """What a block adds to the dual bound, and by how much `x` breaks it."""
    least = np.inf
    reached = 0.0
    for q in range(program.block_start[k], program.block_start[k + 1]):
        i = program.block_member[q]
        least = min(least, slope[i])
        reached += x[i]
    right, exact = program.block_right[k], program.block_exact[k]
    broken = abs(reached - right) if exact else reached - right
    return right * (least if exact else min(least, 0.0)), broken


@compiled
def advance(
    program: HingeArrays,
    starts: Starts,
    components: Int64,
    run: AdmmState,
    sweeps: int,
    relaxation: float,
    balance: Balance,
) -> None:
    """Run `sweeps` iterations on each of `components`, and `conclude` them."""
    for c in components:
        _sweep(program, starts, c, run, sweeps - 1, relaxation)
        for i in range(starts.atom[c], starts.atom[c + 1]):  # slices compile an error message, too
            run.before[i] = run.x[i]
        primal = _sweep(program, starts, c, run, 1, relaxation)
        conclude(program, starts, c, run, primal, balance)


@compiled
def conclude(
    program: HingeArrays,
    starts: Starts,
    c: int,
    run: AdmmState,
    primal: float,
    balance: Balance,
) -> None:
    """Appraise component `c` after a sweep from `before`, and balance its penalty.

    Local states are rescaled so that the multipliers stay as they are.
    """
    adapt, least_penalty, greatest_penalty = balance
    x, before, penalty, figures = run.x, run.before, run.penalty, run.figures
    dual = 0.0
    for i in range(starts.atom[c], starts.atom[c + 1]):
        dual += run.degree[i] * (x[i] - before[i]) ** 2
    figures[c, 3] = np.sqrt(primal)
    figures[c, 4] = np.sqrt(dual) * penalty[c]
    figures[c, 0], figures[c, 1], figures[c, 2] = appraise(
        program, starts, c, x, run.multiplier, run.total
    )
    if adapt > 1.0 and primal > 0.0 and dual > 0.0:
        # In units where the penalty is 1, the primal residual over the dual one says by how much
        # to scale it.
        factor = min(max(np.sqrt(np.sqrt(primal / dual)), 1.0 / adapt), adapt)
        factor = min(max(factor, least_penalty / penalty[c]), greatest_penalty / penalty[c])
        if factor > 1.05 or factor < 0.95:
            penalty[c] *= factor
            for p in range(program.indptr[starts.row[c]], program.indptr[starts.row[c + 1]]):
                i = program.indices[p]
                run.state[p] = x[i] + (run.state[p] - x[i]) / factor
