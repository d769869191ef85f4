"""A hinge problem in parts: without the variables that are settled, and by connected component."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.network.components import connected
from workbench.network.part import Part
from workbench.network.relax import HingeProblem

__all__ = ["restrict", "split"]

SMALL = 400
"""Components are solved together up to about this many variables: a program costs milliseconds to set up."""


def restrict(problem: HingeProblem, fixed: Bool, x: Float) -> Part[HingeProblem]:
    """The problem left when the variables where `fixed` stay at `x`; rows that they decide go."""
    open_variables = np.flatnonzero(~fixed)
    known = np.where(fixed, x, 0.0)

    def fold(A: csr_array, b: Float) -> tuple[csr_array, Float, Int64]:
        b = b + A @ known
        A = csr_array(A[:, open_variables])
        rows = np.flatnonzero(np.diff(A.indptr) > 0)
        return A[rows], b[rows], rows

    A, b, rows = fold(problem.A, problem.b)
    H, h, hard = fold(problem.H, problem.h)
    decided = np.ones(problem.n_hinges, np.bool_)
    decided[rows] = False
    spent = np.maximum(problem.A[np.flatnonzero(decided)] @ known + problem.b[decided], 0.0) ** problem.power[decided]
    part = HingeProblem(
        n_atoms=int(np.count_nonzero(~fixed[: problem.n_atoms])),
        linear=problem.linear[open_variables],
        offset=problem.offset + float(problem.linear @ known + problem.weight[decided] @ spent),
        A=A,
        b=b,
        weight=problem.weight[rows],
        power=problem.power[rows],
        H=H,
        h=h,
        equality=problem.equality[hard],
    )
    return Part(part, open_variables, rows)


def split(problem: HingeProblem) -> list[Part[HingeProblem]]:
    """Parts that share no row, the small ones grouped, largest first; offsets are left out of them."""
    label = connected(problem.n_variables, problem.A, problem.H)
    sizes = np.bincount(label)
    n = sizes.size
    order = np.argsort(-sizes, kind="stable")
    # Large components stand alone; small ones fill bins in order of size.
    alone = sizes[order] > SMALL
    filled = np.cumsum(np.where(alone, 0, sizes[order])) // SMALL
    bins = np.where(alone, np.cumsum(alone) - 1, int(alone.sum()) + filled)
    bin_of_component = np.empty(n, np.int64)
    bin_of_component[order] = np.unique(bins, return_inverse=True)[1]
    bin_of_variable = bin_of_component[label]
    groups = _grouped(bin_of_variable)
    hinges = _grouped_rows(problem.A, bin_of_variable, len(groups))
    hard = _grouped_rows(problem.H, bin_of_variable, len(groups))
    place = np.empty(problem.n_variables, np.int64)
    parts = []
    for group, soft_rows, hard_rows in zip(groups, hinges, hard):
        place[group] = np.arange(group.size)
        parts.append(Part(_part(problem, group, soft_rows, hard_rows, place), group, soft_rows))
    return parts


def _part(problem: HingeProblem, group: Int64, soft_rows: Int64, hard_rows: Int64, place: Int64) -> HingeProblem:
    def take(A: csr_array, rows: Int64) -> csr_array:
        A = A[rows]
        return csr_array((A.data, place[A.indices], A.indptr), shape=(rows.size, group.size))

    return HingeProblem(
        n_atoms=int(np.count_nonzero(group < problem.n_atoms)),
        linear=problem.linear[group],
        offset=0.0,
        A=take(problem.A, soft_rows),
        b=problem.b[soft_rows],
        weight=problem.weight[soft_rows],
        power=problem.power[soft_rows],
        H=take(problem.H, hard_rows),
        h=problem.h[hard_rows],
        equality=problem.equality[hard_rows],
    )


def _grouped(label: Int64) -> list[Int64]:
    order = np.argsort(label, kind="stable")
    return np.split(order, np.cumsum(np.bincount(label))[:-1]) if label.size else []


def _grouped_rows(A: csr_array, bin_of_variable: Int64, n: int) -> list[Int64]:
    """Rows by the bin of their first variable; rows without variables are in none."""
    rows = np.flatnonzero(np.diff(A.indptr) > 0)
    label = bin_of_variable[A.indices[A.indptr[rows]]]
    order = rows[np.argsort(label, kind="stable")]
    return np.split(order, np.cumsum(np.bincount(label, minlength=n))[:-1])
