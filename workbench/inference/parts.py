"""A hinge problem in parts: without the variables that are settled, and by connected component."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int64
from workbench.network.components import connected
from workbench.network.hinge_problem import HingeProblem
from workbench.network.part import Part

SMALL = 400
"""Components are solved together up to so many variables: programs are costly to set up."""


def restrict(problem: HingeProblem, fixed: Bool, x: Float) -> Part[HingeProblem]:
    """The problem left when the variables where `fixed` stay at `x`; rows that they decide go."""
    left, known = np.flatnonzero(~fixed), np.where(fixed, x, 0.0)
    place = np.full(problem.n, -1)
    place[left] = np.arange(left.size)
    moved = replace(problem, b=problem.b + problem.A @ known)
    stays = np.zeros(problem.n_rows, np.bool_)
    stays[
        np.repeat(np.arange(problem.n_rows), np.diff(problem.A.indptr))[~fixed[problem.A.indices]]
    ] = True
    spent = moved.take_rows(np.flatnonzero(~stays)).energy(np.zeros(problem.n))
    rows = np.flatnonzero(stays)
    over = _over(moved.take_rows(rows), left, place)
    return Part(replace(over, constant=spent + float(problem.cost @ known)), left, rows)


def split(problem: HingeProblem) -> list[Part[HingeProblem]]:
    """Parts that share no row, the small ones grouped, largest first; offsets are left out."""
    label = connected(problem.n, problem.A)
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
    place = np.empty(problem.n, np.int64)
    parts = []
    for group, rows in zip(groups, _grouped_rows(problem.A, bin_of_variable, len(groups))):
        place[group] = np.arange(group.size)
        over = _over(problem.take_rows(rows), group, place)
        parts.append(Part(replace(over, constant=0.0), group, rows))
    return parts


def _over(problem: HingeProblem, variables: Int64, place: Int64) -> HingeProblem:
    """The problem over `variables`, numbered by `place`; a negative place takes entries away."""
    A = problem.A
    kept = place[A.indices] >= 0
    starts = np.concatenate([[0], np.cumsum(kept)])[A.indptr]
    return replace(
        problem,
        n_atoms=int(np.count_nonzero(variables < problem.n_atoms)),
        A=csr_array(
            (A.data[kept], place[A.indices[kept]], starts), shape=(problem.n_rows, variables.size)
        ),
        cost=problem.cost[variables],
        lower=problem.lower[variables],
        upper=problem.upper[variables],
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
