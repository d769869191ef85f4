"""The relaxation of a network whose clauses have at most two literals, solved exactly as a maximum
flow.

With two literals a row the linear relaxation is half-integral and equals the roof dual of a
quadratic pseudo-Boolean function: a minimum cut in a graph with one node per literal. No linear
program need be built, and atoms that come out at 0 or 1 keep that value in some state of least
energy (persistency).
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float, Int8, Int32, Int64
from workbench.errors import Cancelled
from workbench.inference.linear_program import LinearAnswer
from workbench.inference.watched import stop_flag, watched
from workbench.network.compiled import compiled, interpreted
from workbench.network.ground_network import clauses
from workbench.network.hinge_problem import HingeProblem, RowKind
from workbench.progress import PLAIN, Conduct, remaining

__all__ = ["has_roof_dual", "solve_roof_dual"]

PASSES = 100
"""Times that an arc is looked at, about, at most, in the graphs of small networks."""


def has_roof_dual(problem: HingeProblem) -> bool:
    """Whether every hinge and every hard row is a clause of at most two literals,
    and no auxiliary is needed.
    """
    return (
        problem.n == problem.n_atoms
        and not np.any((problem.kind == RowKind.SQUARED) | (problem.kind == RowKind.EQUAL))
        and _short_clauses(problem.A, problem.b)
    )


def _short_clauses(A: csr_array, b: Float) -> bool:
    sizes = np.diff(A.indptr)
    return not sizes.size or bool(sizes.min() >= 1 and sizes.max() <= 2 and clauses(A, b).all())


def solve_roof_dual(problem: HingeProblem, conduct: Conduct = PLAIN) -> LinearAnswer:
    """Minimise the relaxation; values are 0, 1/2 or 1.

    Parameters
    ----------
    problem : HingeProblem
        One that `has_roof_dual` accepts.

    Returns
    -------
    LinearAnswer
        `bound` is the value of the flow, a feasible point of the dual program; `iterations` counts
        its phases. Stopped before the flow is largest, the point is 1/2 throughout.

    Notes
    -----
    Nodes 2i and 2i + 1 stand for atom i and its negation. A clause `l1 v l2` of weight w gives the
    arcs `!l1 -> l2` and `!l2 -> l1` of capacity w/2; a hard one, capacity beyond all soft ones.
    Dinic's algorithm.

    References
    ----------
    Hammer, Hansen & Simeone 1984, Roof duality, complementation and persistency in quadratic 0-1
    optimization. Boros & Hammer 2002, Pseudo-Boolean optimization, section 5.1.6.
    """
    n = problem.n_atoms
    cost, constant = problem.cost.copy(), problem.constant
    A, sizes, hard = problem.A, np.diff(problem.A.indptr), problem.hard
    ceiling = float(np.abs(problem.cost).sum() + problem.weight.sum()) * 2 + 1.0
    single, pair = np.flatnonzero(sizes == 1), np.flatnonzero(sizes == 2)
    atoms, slopes = A.indices[A.indptr[single]], A.data[A.indptr[single]]
    np.add.at(cost, atoms, slopes * problem.weight[single])
    constant += float(problem.weight[single] @ problem.b[single])
    forced_false, forced_true = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
    forced_true[atoms[hard[single] & (slopes < 0)]] = True
    forced_false[atoms[hard[single] & (slopes > 0)]] = True
    first, second = A.indptr[pair], A.indptr[pair] + 1
    literal_1 = 2 * A.indices[first].astype(np.int64) + (A.data[first] > 0)
    literal_2 = 2 * A.indices[second].astype(np.int64) + (A.data[second] > 0)
    capacity = np.where(hard[pair], ceiling, problem.weight[pair] / 2)
    if np.any(forced_false & forced_true):
        return LinearAnswer("infeasible", np.full(n, 0.5), float("inf"), -float("inf"), 0)
    constant += float(np.minimum(cost, 0.0).sum())
    costs_true = np.where(forced_false, ceiling, np.maximum(cost, 0.0) / 2)
    costs_false = np.where(forced_true, ceiling, np.maximum(-cost, 0.0) / 2)
    source, sink = np.zeros(2 * n), np.zeros(2 * n)
    source[1::2], sink[0::2] = costs_true, costs_true
    source[0::2], sink[1::2] = costs_false, costs_false

    ends = np.concatenate([literal_1 ^ 1, literal_2 ^ 1]), np.concatenate([literal_2, literal_1])
    graph = _graph(2 * n, *ends, np.tile(capacity, 2))
    stop, contracted = stop_flag(), 0.0
    try:
        with interpreted(PASSES * graph[1].size, remaining(conduct.deadline)):
            contracted, side = watched(stop, conduct, _contract, *graph, source, sink)
            flow, reached, phases = watched(
                stop, conduct, _maximum_flow, *graph, source, sink, 1e-13 * ceiling, stop
            )
    except Cancelled:
        # No flow at all is feasible too; `watched` leaves the flag set.
        flow, phases = 0.0, 0
    flow += contracted
    if stop[0]:
        middle = np.full(n, 0.5)
        return LinearAnswer("limit", middle, problem.energy(middle), constant + flow, int(phases))
    reached |= side > 0
    reached &= side >= 0
    x = 0.5 * (reached[0::2] + 1.0 - reached[1::2]).astype(np.float64)
    if problem.violation(x) > 0.0:
        return LinearAnswer("infeasible", np.full(n, 0.5), float("inf"), -float("inf"), int(phases))
    return LinearAnswer("optimal", x, problem.energy(x), constant + flow, int(phases))


def _graph(n: int, tail: Int64, head: Int64, capacity: Float) -> tuple[Int32, Int32, Int32, Float]:
    """Arcs as CSR with each arc's reverse: `start, head, reverse, capacity`;
    parallel arcs merged.
    """
    zero = np.zeros(capacity.size)
    ends = (np.concatenate([tail, head]), np.concatenate([head, tail]))
    both_ways = csr_array((np.concatenate([capacity, zero]), ends), shape=(n, n))
    both_ways.sum_duplicates()
    places = csr_array(
        (np.arange(both_ways.nnz, dtype=np.int32), both_ways.indices, both_ways.indptr), (n, n)
    )
    reverse = csr_array(places.T.tocsr()).data
    return (
        both_ways.indptr.astype(np.int32),
        both_ways.indices.astype(np.int32),
        reverse,
        both_ways.data,
    )


@compiled
def _contract(
    start: Int32, head: Int32, reverse: Int32, capacity: Float, source: Float, sink: Float
) -> tuple[float, Int8]:
    """Join to the source each node whose supply exceeds all it can pass on, to the sink the mirror
    of each.

    Such a node is on the source's side of some minimum cut (its literal is persistent whatever its
    neighbours do), so its arcs become supply and demand of its neighbours. Returns the flow spent
    and 1 for source, -1 for sink, 0.
    """
    n = source.size
    side = np.zeros(n, np.int8)
    out = np.zeros(n)
    queue = np.empty(n, np.int32)
    waiting = np.ones(n, np.bool_)
    flow = 0.0
    for v in range(n):
        for e in range(start[v], start[v + 1]):
            out[v] += capacity[e]
        queue[v] = v
    first, last, size = 0, 0, n
    while size > 0:
        v = queue[first]
        first = first + 1 if first + 1 < n else 0
        size -= 1
        waiting[v] = False
        if side[v] != 0 or source[v] - sink[v] < out[v] or source[v] <= sink[v]:
            continue
        mate = v ^ 1
        if side[mate] != 0:
            continue
        side[v], side[mate] = 1, -1
        flow += sink[v] + source[mate]
        for e in range(start[v], start[v + 1]):
            u = head[e]
            source[u] += capacity[e]
            out[u] -= capacity[reverse[e]]
            if u == mate:
                flow += capacity[e]
            capacity[e] = 0.0
            capacity[reverse[e]] = 0.0
            if side[u] == 0 and not waiting[u]:
                waiting[u] = True
                queue[last] = u
                last = last + 1 if last + 1 < n else 0
                size += 1
        for e in range(start[mate], start[mate + 1]):
            u = head[e]
            sink[u] += capacity[reverse[e]]
            out[u] -= capacity[reverse[e]]
            capacity[e] = 0.0
            capacity[reverse[e]] = 0.0
            if side[u] == 0 and not waiting[u]:
                waiting[u] = True
                queue[last] = u
                last = last + 1 if last + 1 < n else 0
                size += 1
        source[v] = sink[v] = source[mate] = sink[mate] = 0.0
    return flow, side


@compiled
def _maximum_flow(
    start: Int32,
    head: Int32,
    reverse: Int32,
    capacity: Float,
    source: Float,
    sink: Float,
    tolerance: float,
    stop: Int8,
) -> tuple[float, Bool, int]:
    """Dinic's algorithm; the arrays of capacities are used up. Returns the flow, the source side,
    and the phases.
    """
    n = source.size
    flow = 0.0
    for v in range(n):
        through = min(source[v], sink[v])
        flow += through
        source[v] -= through
        sink[v] -= through
    distance = np.empty(n, np.int32)
    arc = np.empty(n, np.int32)
    queue = np.empty(n, np.int32)
    path = np.empty(n, np.int32)
    phases = 0
    while True:
        # distances to the sink, breadth first against the arcs
        distance[:] = -1
        first = last = 0
        for v in range(n):
            if sink[v] > tolerance:
                distance[v] = 0
                queue[last] = v
                last += 1
        found = False
        while first < last:
            v = queue[first]
            first += 1
            if source[v] > tolerance:
                found = True
            for e in range(start[v], start[v + 1]):
                u = head[e]
                if distance[u] < 0 and capacity[reverse[e]] > tolerance:
                    distance[u] = distance[v] + 1
                    queue[last] = u
                    last += 1
        if not found or stop[0] != 0:
            break
        phases += 1
        arc[:] = start[:n]
        for s in range(n):
            if distance[s] < 0:
                continue
            while source[s] > tolerance and stop[0] == 0:
                # one augmenting path from s by current arcs
                depth = 0
                v = s
                while distance[v] > 0 or sink[v] <= tolerance:
                    if distance[v] > 0 and arc[v] < start[v + 1]:
                        e = arc[v]
                        u = head[e]
                        if capacity[e] > tolerance and distance[u] == distance[v] - 1:
                            path[depth] = e
                            depth += 1
                            v = u
                        else:
                            arc[v] += 1
                    else:
                        distance[v] = -1
                        if depth == 0:
                            break
                        depth -= 1
                        v = head[reverse[path[depth]]]
                        arc[v] += 1
                if distance[s] < 0:
                    break
                amount = min(source[s], sink[v])
                for i in range(depth):
                    amount = min(amount, capacity[path[i]])
                for i in range(depth):
                    capacity[path[i]] -= amount
                    capacity[reverse[path[i]]] += amount
                source[s] -= amount
                sink[v] -= amount
                flow += amount
    # what the source still reaches
    reached = np.zeros(n, np.bool_)
    first = last = 0
    for v in range(n):
        if source[v] > tolerance:
            reached[v] = True
            queue[last] = v
            last += 1
    while first < last:
        v = queue[first]
        first += 1
        for e in range(start[v], start[v + 1]):
            u = head[e]
            if not reached[u] and capacity[e] > tolerance:
                reached[u] = True
                queue[last] = u
                last += 1
    return flow, reached, phases
