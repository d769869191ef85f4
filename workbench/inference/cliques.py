"""Pairs of equal weight that form cliques, counted: a tighter relaxation with fewer rows.

`w !P(x, y) v !P(x, z)` over all y and z says that of n atoms as few as possible are true. Its n (n
- 1) / 2 pairs let every atom stay at 1/2 for nothing. What they cost at 0/1 atoms is `w k (k - 1) /
2` where k are true, a convex function of the sum, so that it can be charged at fractional states as
well: a clique's pairs become one sum and n - 1 steps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import block_array, csr_array

from workbench.arrays import Float, Int32, Int64
from workbench.errors import Cancelled
from workbench.inference.watched import stop_flag, watched
from workbench.network.compiled import allocating, interpreted
from workbench.network.hinge_problem import HingeProblem, RowKind
from workbench.progress import PLAIN, Conduct, remaining

LEAST = 4
"""Members of the smallest clique counted: three pairs cost less than a sum and its steps."""
SHARE = 0.25
"""Of a problem's hinges, the least in cliques: below, other solvers of pairs are faster."""


class _Pairs(NamedTuple):
    """Clauses of two literals by weight: `first` and `second` must not both hold.

    Literal 2i is atom i true, 2i + 1 atom i false.
    """

    row: Int64
    first: Int64
    second: Int64
    weight: Float


def count_cliques(problem: HingeProblem, conduct: Conduct = PLAIN) -> HingeProblem:
    """The problem with cliques of pairs of one weight as hinges of how many literals hold; its
    further variables come after the given ones.

    Equal to the given one at 0/1 atoms, and at least as large between, so that its bound is as good
    or better. A clique's sum, divided by its size, is an auxiliary variable. Where there is no
    clique, or time is up, the problem is returned as it is. Cliques are found greedily. Cost: a
    sort of the pairs, and their number times the size of the cliques at worst.
    """
    pairs = _pairs(problem)
    if pairs.row.size < max(1.0, SHARE * problem.n_hinges):
        return problem
    try:
        with interpreted(LEAST * pairs.row.size, remaining(conduct.deadline)):
            clique = watched(stop_flag(), conduct, _cliques, pairs)
    except Cancelled:
        return problem
    counted = clique >= 0
    if np.count_nonzero(counted) < max(1.0, SHARE * problem.n_hinges):
        return problem
    pairs = _Pairs(
        pairs.row[counted], pairs.first[counted], pairs.second[counted], pairs.weight[counted]
    )
    return _with_sums(problem, pairs, clique[counted])


def _with_sums(problem: HingeProblem, pairs: _Pairs, clique: Int64) -> HingeProblem:
    """The problem with each clique's pairs replaced by its sum and the sum's steps."""
    n = int(clique.max()) + 1
    ends = np.column_stack([np.tile(clique, 2), np.concatenate([pairs.first, pairs.second])])
    owner, literal = np.unique(ends, axis=0).T
    size = np.bincount(owner, minlength=n)
    weight = np.zeros(n)
    weight[clique] = pairs.weight

    # sum of the literals / size - u = 0, so that `complete` finds u as it finds other auxiliaries.
    sign, share = 1.0 - 2.0 * (literal % 2), 1.0 / size[owner]
    sums = csr_array((sign * share, (owner, literal // 2)), shape=(n, problem.n))
    start = np.bincount(owner, (literal % 2) * share, n)
    own = csr_array((-np.ones(n), (np.arange(n), np.arange(n))), shape=(n, n))

    which, threshold, steps = _steps(size)
    stays = ~problem.hard
    stays[pairs.row] = False
    soft, hard = (problem.take_rows(np.flatnonzero(rows)) for rows in (stays, problem.hard))
    linear, equal = np.full(which.size, RowKind.LINEAR, np.int8), np.full(n, RowKind.EQUAL, np.int8)
    return replace(
        problem,
        A=csr_array(
            block_array([[soft.A, None], [None, steps], [hard.A, None], [sums, own]], format="csr")
        ),
        b=np.concatenate([soft.b, -threshold, hard.b, start]),
        weight=np.concatenate([soft.weight, weight[which], hard.weight, np.zeros(n)]),
        kind=np.concatenate([soft.kind, linear, hard.kind, equal]),
        cost=np.concatenate([problem.cost, np.zeros(n)]),
        lower=np.concatenate([problem.lower, np.zeros(n)]),
        upper=np.concatenate([problem.upper, np.ones(n)]),
    )


def _steps(size: Int64) -> tuple[Int64, Float, csr_array]:
    """Each step's clique, threshold, and row over the cliques' means, given the cliques' sizes.

    w k (k - 1) / 2 = sum over t from 1 to size - 1 of w max(0, k - t), with k = size u.
    """
    which = np.repeat(np.arange(size.size, dtype=np.int64), size - 1)
    before = np.repeat(np.cumsum(size - 1) - (size - 1), size - 1)
    threshold = np.arange(1.0, which.size + 1) - before
    steps = csr_array(
        (size[which].astype(np.float64), (np.arange(which.size), which)),
        shape=(which.size, size.size),
    )
    return which, threshold, steps


def _pairs(problem: HingeProblem) -> _Pairs:
    """The linear hinges that are clauses of two literals over atoms."""
    A = problem.A
    rows = np.flatnonzero((np.diff(A.indptr) == 2) & (problem.kind == RowKind.LINEAR))
    entry = A.indptr[rows].astype(np.int64)
    slopes = np.column_stack([A.data[entry], A.data[entry + 1]])
    atoms = np.column_stack([A.indices[entry], A.indices[entry + 1]]).astype(np.int64)
    clause = (np.abs(slopes) == 1).all(axis=1) & (problem.b[rows] == 1.0 - (slopes > 0).sum(axis=1))
    clause &= (atoms < problem.n_atoms).all(axis=1) & (atoms[:, 0] != atoms[:, 1])
    literals = 2 * atoms + (slopes < 0)
    return _Pairs(
        rows[clause], literals[clause, 0], literals[clause, 1], problem.weight[rows[clause]]
    )


def _cliques(pairs: _Pairs) -> Int64:
    """The clique that each pair is counted in, or -1; never pairs of different weights."""
    clique = np.full(pairs.row.size, -1, np.int64)
    found = 0
    _, group, count = np.unique(pairs.weight, return_inverse=True, return_counts=True)
    for members in np.split(np.argsort(group, kind="stable"), np.cumsum(count)[:-1]):
        if members.size < LEAST * (LEAST - 1) // 2:
            continue
        ends, places = np.unique(
            np.column_stack([pairs.first, pairs.second])[members], return_inverse=True
        )
        places = np.sort(places.reshape(-1, 2), axis=1)
        # A pair that two rules list is counted once and stays once.
        once = np.unique(places[:, 0] * ends.size + places[:, 1], return_index=True)[1]
        members, (first, second) = members[once], places[once].T
        edge = np.arange(members.size)
        both = (np.concatenate([first, second]), np.concatenate([second, first]))
        graph = csr_array((np.tile(edge, 2), both), shape=(ends.size, ends.size))
        order = np.argsort(-np.diff(graph.indptr), kind="stable")
        own = np.full(members.size, -1, np.int64)
        found = _grow(
            graph.indptr.astype(np.int64),
            graph.indices.astype(np.int32),
            graph.data,
            order,
            own,
            found,
        )
        clique[members] = own
    return clique


@allocating
def _grow(
    start: Int64, neighbour: Int32, edge: Int64, order: Int64, clique: Int64, found: int
) -> int:
    """Take literals in `order`; each gathers cliques of its uncounted pairs. How many cliques."""
    n = start.size - 1
    # `seen[v]` is how many members of the clique being grown v is joined to, if the first is among
    # them.
    seen = np.zeros(n, np.int32)
    members = np.empty(n, np.int64)
    for root in order:
        while True:
            members[0] = root
            size = 1
            for e in range(start[root], start[root + 1]):
                if clique[edge[e]] < 0:
                    seen[neighbour[e]] = 1
            for e in range(start[root], start[root + 1]):
                candidate = neighbour[e]
                if clique[edge[e]] >= 0 or seen[candidate] != size:
                    continue
                for f in range(start[candidate], start[candidate + 1]):
                    if clique[edge[f]] < 0 and seen[neighbour[f]] == size:
                        seen[neighbour[f]] = size + 1
                members[size] = candidate
                size += 1
            for e in range(start[root], start[root + 1]):
                seen[neighbour[e]] = 0
            if size < LEAST:
                break
            for m in range(size):
                seen[members[m]] = -1
            for m in range(size):
                for f in range(start[members[m]], start[members[m] + 1]):
                    if seen[neighbour[f]] == -1 and clique[edge[f]] < 0:
                        clique[edge[f]] = found
            for m in range(size):
                seen[members[m]] = 0
            found += 1
    return found
