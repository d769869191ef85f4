"""Exact coordinate steps that tighten a nearly optimal pair: one value or multiplier each."""

from __future__ import annotations

import numpy as np

from workbench.arrays import Float, Int32, Int64
from workbench.network.compiled import compiled
from workbench.network.hinge_problem import (
    EQUAL,
    LINEAR,
    SQUARED,
    Columns,
    HingeArrays,
    HingeProblem,
)

_MOST_ROWS = 256
"""Atoms of more rows are passed over."""


class Polish:
    """One sweep of exact coordinate steps over a convex program's atoms or multipliers.

    First-order iterates circle their limit; a sweep costs a few iterations and takes about a third
    off the gap.
    """

    def __init__(self, program: HingeProblem) -> None:
        self.program, self.arrays, self.columns = program, program.arrays(), program.columns()

    def bound(self, multipliers: Float) -> float:
        """The dual bound after a sweep that starts from `multipliers`, which are left alone."""
        moved = self.program.clip_multipliers(multipliers)
        _raise_bound(self.arrays, moved, self.program.cost + self.program.A.T @ moved)
        return self.program.dual_bound(moved)

    def point(self, x: Float) -> Float:
        """A point of no more energy, feasible where `x`, shape (n,), is."""
        moved, ell = x.copy(), self.program.b + self.program.A @ x
        _lower_energy(self.arrays, self.columns, moved, ell, np.empty((2, _MOST_ROWS)))
        return moved


@compiled
def _raise_bound(program: HingeArrays, multiplier: Float, slope: Float) -> None:
    """Maximise the dual bound over each row's multiplier in turn, in place; it never falls.

    The bound is concave and, but for the quadratic conjugate of a squared hinge, piecewise linear
    in one multiplier: its kinks are where the slope of one of the row's atoms passes zero, or the
    least slope of the atom's block. `slope` holds `cost + A^T multiplier`, shape (n,), on entry and
    exit. Rows over two atoms of one block are passed over. O(nonzeros x atoms a row).
    """
    indptr, indices, values = program.indptr, program.indices, program.values
    weight, kind = program.weight, program.kind
    for j in range(program.b.size):
        start, end = indptr[j], indptr[j + 1]
        if _shares_block(indices[start:end], program.block_of):
            continue
        least = -np.inf if kind[j] == EQUAL else -multiplier[j]
        most = weight[j] - multiplier[j] if kind[j] == LINEAR else np.inf
        moved = 0.0
        # Each turn moves to the next kink; a concave function has at most one kink an atom on the
        # way up.
        for _ in range(end - start + 2):
            rise, fall = program.b[j], program.b[j]
            above, below = most, least
            if kind[j] == SQUARED:
                rise -= (multiplier[j] + moved) / (2.0 * weight[j])
                fall = rise
            for p in range(start, end):
                value = values[p]
                left, right, distance = _beside_kink(program, indices[p], value * moved, slope)
                rise += value * (right if value > 0.0 else left)
                fall += value * (left if value > 0.0 else right)
                if abs(distance) > 1e-13:
                    crossing = moved - distance / value
                    if crossing > moved:
                        above = min(above, crossing)
                    else:
                        below = max(below, crossing)
            if kind[j] == SQUARED:
                # Between kinks the derivative falls by 1 / (2 w) a unit.
                stationary = moved + 2.0 * weight[j] * (rise if rise > 0.0 else fall)
                above, below = min(above, stationary), max(below, stationary)
            if rise > 1e-15 and moved < above < np.inf:
                moved = above
            elif fall < -1e-15 and moved > below > -np.inf:
                moved = below
            else:
                break
        if moved != 0.0:
            multiplier[j] += moved
            for p in range(start, end):
                slope[indices[p]] += values[p] * moved


@compiled
def _shares_block(atoms: Int32, block_of: Int64) -> bool:
    """Whether two atoms of a row are of one block: their slopes move together, and a kink may be
    where neither is least.
    """
    shared = False
    for p in range(atoms.size):
        for q in range(p):
            block = block_of[atoms[p]]
            shared = shared or (block >= 0 and block == block_of[atoms[q]])
    return shared


@compiled
def _beside_kink(
    program: HingeArrays, i: int, moved: float, slope: Float
) -> tuple[float, float, float]:
    """An atom's value just below its slope, once that has moved, and just above; the slope's
    distance from its kink.
    """
    block = program.block_of[i]
    at_negative, at_positive, kink = program.upper[i], program.lower[i], 0.0
    if block >= 0:
        at_negative, at_positive = program.block_right[block], 0.0
        kink = np.inf if program.block_exact[block] else 0.0
        for q in range(program.block_start[block], program.block_start[block + 1]):
            if program.block_member[q] != i:
                kink = min(kink, slope[program.block_member[q]])
    distance = slope[i] + moved - kink
    if abs(distance) <= 1e-13:
        return at_negative, at_positive, distance
    chosen = at_negative if distance < 0.0 else at_positive
    return chosen, chosen, distance


@compiled
def _lower_energy(
    program: HingeArrays, columns: Columns, x: Float, ell: Float, scratch: Float
) -> None:
    """Minimise the energy over each atom in turn, in place; hard constraints go on holding.

    In one atom the energy of linear hinges is convex and piecewise linear, with a kink a row; the
    least is found by sorting them. Atoms of squared hinges, of hard rows, of blocks with an exact
    sum, or of more rows than `scratch`, shape (2, most rows), holds are passed over. `ell` holds `A
    x + b` on entry and exit. O(nonzeros).
    """
    weight, kind, block_start = program.weight, program.kind, program.block_start
    column_ptr, column_row, column_value = columns.indptr, columns.row, columns.values
    for i in range(x.size):
        first, end = column_ptr[i], column_ptr[i + 1]
        block = program.block_of[i]
        if end - first > scratch.shape[1] or (block >= 0 and program.block_exact[block]):
            continue
        floor, roof = program.lower[i], program.upper[i]
        if block >= 0:
            room = program.block_right[block] + x[i]
            for q in range(block_start[block], block_start[block + 1]):
                room -= x[program.block_member[q]]
            roof = min(roof, max(room, x[i]))
        linear = True
        rate = program.cost[i]
        for p in range(first, end):
            j, value = column_row[p], column_value[p]
            linear = kind[j] == LINEAR
            if not linear:
                break
            if value < 0.0:
                rate += weight[j] * value
            _insert(scratch, p - first, x[i] - ell[j] / value, weight[j] * abs(value))
        if not linear:
            continue
        left, right = _least_of(scratch, end - first, rate, floor, roof)
        best = min(max(min(max(x[i], left), right), floor), roof)
        change = best - x[i]
        if change != 0.0:
            x[i] = best
            for p in range(first, end):
                ell[column_row[p]] += column_value[p] * change


@compiled
def _insert(kinks: Float, count: int, kink: float, rise: float) -> None:
    """Put a kink, and by how much the rate of change rises there, among `count` in order."""
    q = count
    while q > 0 and kinks[0, q - 1] > kink:
        kinks[0, q], kinks[1, q] = kinks[0, q - 1], kinks[1, q - 1]
        q -= 1
    kinks[0, q], kinks[1, q] = kink, rise


@compiled
def _least_of(
    kinks: Float, count: int, rate: float, floor: float, roof: float
) -> tuple[float, float]:
    """Where the least lies: from where the rate of change reaches zero to where it leaves it."""
    left = floor
    q = 0
    while q < count and rate < -1e-12:
        left = kinks[0, q]
        rate += kinks[1, q]
        q += 1
    if rate < -1e-12:
        return roof, roof
    if rate > 1e-12:
        return left, left
    return left, kinks[0, q] if q < count else roof
