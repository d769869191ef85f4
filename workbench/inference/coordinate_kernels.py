"""Compiled sweeps of block coordinate descent on squared hinges over a box and simplexes."""

from __future__ import annotations

from typing import NamedTuple

from workbench.arrays import Float, Int64, Real
from workbench.inference.admm_kernels import appraise
from workbench.inference.partition import Starts
from workbench.inference.simplex import project_to_simplex
from workbench.network.compiled import compiled
from workbench.network.hinge_problem import Columns, HingeArrays


class Descent(NamedTuple):
    """What a run keeps.

    Attributes
    ----------
    curvature, x, slope : float64 arrays, shape (n,)
        At least each atom's own curvature; the point; scratch.
    ell, multiplier : float64 arrays, shape (n_rows,)
    scratch : float64 array, shape (2, members of the largest block)
    figures : float64 array, shape (n_components, 4)
        Energy, dual bound of the potentials' own derivatives, largest hard violation, largest move
        of each component.
    """

    curvature: Float
    x: Float
    slope: Float
    ell: Float
    multiplier: Float
    scratch: Float
    figures: Float


@compiled
def _derivatives(
    atom: int, step: float, cost: float, weight: Real, columns: Columns, ell: Float
) -> tuple[float, float]:
    """The energy's first and second derivative in one atom once it has moved by `step`."""
    column, row_of, value_of = columns
    slope, curvature = cost, 0.0
    for p in range(column[atom], column[atom + 1]):
        j = row_of[p]
        reach = ell[j] + value_of[p] * step
        if reach > 0.0:
            scaled = 2.0 * weight[j] * value_of[p]
            slope += scaled * reach
            curvature += scaled * value_of[p]
    return slope, curvature


@compiled
def _atom_steps(
    program: HingeArrays, columns: Columns, starts: Starts, c: int, run: Descent
) -> float:
    """Minimise exactly over each atom outside blocks, updating `ell`; the largest move.

    The derivative is piecewise linear and increasing: Newton's method inside a shrinking bracket
    ends at its root.
    """
    weight, cost, x, ell = program.weight, program.cost, run.x, run.ell
    column, row_of, value_of = columns.indptr, columns.row, columns.values
    first, last = starts.atom[c], starts.atom[c + 1]
    moved = 0.0
    for k in range(2 * (last - first)):
        atom = first + k if first + k < last else 2 * last - first - 1 - k
        if program.block_of[atom] >= 0:
            continue
        low = program.lower[atom] - x[atom]
        high = program.upper[atom] - x[atom]
        low_seen = False
        high_seen = False
        step = 0.0
        for _ in range(50):
            slope, curvature = _derivatives(atom, step, cost[atom], weight, columns, ell)
            if abs(slope) <= 1e-14:
                break
            if slope > 0.0:
                high = step
                high_seen = True
            else:
                low = step
                low_seen = True
            end = low if slope > 0.0 else high
            proposed = step - slope / curvature if curvature > 0.0 else end
            # An end of the box is worth trying once, and is halved away from then.
            if proposed <= low:
                proposed = 0.5 * (low + high) if low_seen else low
            elif proposed >= high:
                proposed = 0.5 * (low + high) if high_seen else high
            if abs(proposed - step) <= 1e-12:
                break
            step = proposed
        if step != 0.0:
            moved = max(moved, abs(step))
            x[atom] += step
            for p in range(column[atom], column[atom + 1]):
                ell[row_of[p]] += value_of[p] * step
    return moved


@compiled
def _simplex_steps(
    program: HingeArrays, columns: Columns, starts: Starts, c: int, run: Descent
) -> float:
    """Minimise a quadratic above the energy over each simplex, updating `ell`; the largest move.

    With curvatures H that is the projection of `x - gradient / H` in the metric H.
    """
    weight, x, ell, target, curvature = program.weight, run.x, run.ell, run.scratch, run.curvature
    column, row_of, value_of = columns.indptr, columns.row, columns.values
    moved = 0.0
    for k in range(starts.block[c], starts.block[c + 1]):
        members = program.block_member[program.block_start[k] : program.block_start[k + 1]]
        for q in range(members.size):
            i = members[q]
            slope = program.cost[i]
            for p in range(column[i], column[i + 1]):
                j = row_of[p]
                if ell[j] > 0.0:
                    slope += 2.0 * weight[j] * value_of[p] * ell[j]
            target[0, q] = x[i] - slope / curvature[i]
            target[1, q] = curvature[i]
        project_to_simplex(
            target[0], target[1], members.size, program.block_right[k], program.block_exact[k]
        )
        for q in range(members.size):
            i = members[q]
            step = target[0, q] - x[i]
            if step != 0.0:
                moved = max(moved, abs(step))
                x[i] = target[0, q]
                for p in range(column[i], column[i + 1]):
                    ell[row_of[p]] += value_of[p] * step
    return moved


@compiled
def descend(
    program: HingeArrays,
    columns: Columns,
    starts: Starts,
    components: Int64,
    run: Descent,
    sweeps: int,
) -> None:
    """Sweep each of `components` there and back `sweeps` times, in place, then appraise it."""
    x, ell, figures = run.x, run.ell, run.figures
    for c in components:
        for _ in range(sweeps):
            moved = _simplex_steps(program, columns, starts, c, run)
            figures[c, 3] = max(moved, _atom_steps(program, columns, starts, c, run))
        for j in range(starts.row[c], starts.row[c + 1]):
            reach = program.b[j]
            for p in range(program.indptr[j], program.indptr[j + 1]):
                reach += program.values[p] * x[program.indices[p]]
            ell[j] = reach
            run.multiplier[j] = 2.0 * program.weight[j] * max(reach, 0.0)
        figures[c, 0], figures[c, 1], figures[c, 2] = appraise(
            program, starts, c, x, run.multiplier, run.slope
        )
