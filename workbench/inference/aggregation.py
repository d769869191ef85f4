"""Rows alike up to one literal merged into one that counts (RockIt: Noessner et al. 2013)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Int64
from workbench.network.ground_network import clauses
from workbench.network.hinge_problem import HingeProblem, RowKind


def alike(problem: HingeProblem) -> Int64:
    """A group number a row, (n_rows,): shared by hinges alike in weight and all literals but one.

    Clauses `l_i v c` of equal weight count `k - sum of l_i` violations where c is false and none
    where it holds, which at 0/1 atoms is `max(0, sum of their ell)`: one hinge. Each clause of two
    or three literals joins the group, among those of its parts, that is largest before any clause
    has chosen. Cost: a sort of the entries.
    """
    A, n = problem.A, problem.n
    sizes = np.diff(A.indptr)
    group = np.arange(problem.n_rows)
    fits = (sizes >= 2) & (sizes <= 3) & (problem.kind == RowKind.LINEAR) & clauses(A, problem.b)
    rows = np.flatnonzero(fits)
    if not rows.size:
        return group
    literals = np.full((rows.size, 3), 2 * n, np.int64)
    starts = A.indptr[rows].astype(np.int64)
    for place in range(3):
        there = sizes[rows] > place
        entry = starts[there] + place
        literals[there, place] = 2 * A.indices[entry] + (A.data[entry] > 0)
    weight = np.unique(problem.weight[rows], return_inverse=True)[1]
    # What is left of each clause without its first, second, third literal: (literal, literal or
    # none, weight).
    rest = np.stack([literals[:, [1, 2]], literals[:, [0, 2]], literals[:, [0, 1]]], axis=1)
    whole = np.column_stack([rest.reshape(-1, 2), np.repeat(weight, 3)])
    _, key, count = np.unique(whole, axis=0, return_inverse=True, return_counts=True)
    key = key.reshape(-1, 3)
    often = np.where(np.arange(3) < sizes[rows][:, None], count[key], 0)
    chosen = key[np.arange(rows.size), np.argmax(often, axis=1)]
    group[rows] = problem.n_rows + chosen
    return np.asarray(np.unique(group, return_inverse=True)[1], np.int64)


def aggregate(problem: HingeProblem) -> HingeProblem:
    """The problem with one hinge a group of `alike`: the same objective at 0/1 atoms, fewer rows.

    Between 0 and 1 it is smaller, so the linear relaxation bounds less well: a program for integer
    search only.
    """
    group = alike(problem)
    n = int(group.max(initial=-1)) + 1
    if n == problem.n_rows:
        return problem
    sums = csr_array((np.ones(group.size), (group, np.arange(group.size))), shape=(n, group.size))
    first = np.unique(group, return_index=True)[1]
    A = csr_array(sums @ problem.A)
    A.eliminate_zeros()
    return replace(problem.take_rows(first), A=A, b=np.asarray(sums @ problem.b))
