"""The relaxation of a network of clauses of at most two literals, as a maximum flow.

With two literals a row the linear relaxation is half-integral and equals the roof dual of a
quadratic pseudo-Boolean function: a minimum cut in a graph with one node per literal. No linear
program need be built, and atoms that come out at 0 or 1 keep that value in some state of least
energy (persistency).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from workbench.arrays import Bool, Float
from workbench.errors import Cancelled
from workbench.inference.linear_program import LinearAnswer
from workbench.inference.maximum_flow import Graph, contract, graph_of, maximum_flow
from workbench.inference.watched import stop_flag, watched
from workbench.network.compiled import interpreted
from workbench.network.ground_network import clauses
from workbench.network.hinge_problem import HingeProblem, RowKind
from workbench.progress import PLAIN, Conduct, remaining

PASSES = 100
"""Times that an arc is looked at, about, at most, in the graphs of small networks."""


def has_roof_dual(problem: HingeProblem) -> bool:
    """Whether all rows are clauses of at most two literals, and no auxiliary is needed."""
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

    Nodes 2i and 2i + 1 stand for the i-th atom in a clause of two and its negation; other atoms
    need no flow. A clause `l1 v l2` of weight w gives the arcs `!l1 -> l2` and `!l2 -> l1` of
    capacity w/2; a hard one, capacity beyond all soft ones. Dinic's algorithm.

    Parameters
    ----------
    problem : HingeProblem
        One that `has_roof_dual` accepts.

    Returns
    -------
    LinearAnswer
        `bound` is the value of the flow, a feasible point of the dual program; `iterations` counts
        its phases. Stopped before the flow is largest, the point is 1/2 throughout.

    References
    ----------
    Hammer, Hansen & Simeone 1984, Roof duality, complementation and persistency in quadratic 0-1
    optimization. Boros & Hammer 2002, Pseudo-Boolean optimization, section 5.1.6.
    """
    n = problem.n_atoms
    ceiling = float(np.abs(problem.cost).sum() + problem.weight.sum()) * 2 + 1.0
    asked = _asked_alone(problem)
    if np.any(asked.false & asked.true):
        return LinearAnswer("infeasible", np.full(n, 0.5), float("inf"), -float("inf"), 0)
    joined, graph = _implications(problem, ceiling)
    alone, paid = _alone(np.where(joined, 0.0, asked.cost), asked.false, asked.true)
    constant = asked.constant + float(np.minimum(asked.cost, 0.0).sum()) + paid
    source, sink = _terminals(asked, joined, ceiling)
    stop, contracted = stop_flag(), 0.0
    try:
        with interpreted(PASSES * graph.head.size, remaining(conduct.deadline)):
            contracted, side = watched(stop, conduct, contract, graph, source, sink)
            flow, reached, phases = watched(
                stop, conduct, maximum_flow, graph, source, sink, 1e-13 * ceiling, stop
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
    x = alone
    x[joined] = 0.5 * (reached[0::2] + 1.0 - reached[1::2]).astype(np.float64)
    if problem.violation(x) > 0.0:
        return LinearAnswer("infeasible", np.full(n, 0.5), float("inf"), -float("inf"), int(phases))
    return LinearAnswer("optimal", x, problem.energy(x), constant + flow, int(phases))


class _Asked(NamedTuple):
    """What clauses of one literal, and the costs, ask of each atom; and what is paid anyhow."""

    cost: Float
    false: Bool
    true: Bool
    constant: float


def _asked_alone(problem: HingeProblem) -> _Asked:
    A, hard = problem.A, problem.hard
    single = np.flatnonzero(np.diff(A.indptr) == 1)
    atoms, slopes = A.indices[A.indptr[single]], A.data[A.indptr[single]]
    cost = problem.cost.copy()
    np.add.at(cost, atoms, slopes * problem.weight[single])
    false, true = np.zeros(problem.n_atoms, np.bool_), np.zeros(problem.n_atoms, np.bool_)
    true[atoms[hard[single] & (slopes < 0)]] = True
    false[atoms[hard[single] & (slopes > 0)]] = True
    constant = problem.constant + float(problem.weight[single] @ problem.b[single])
    return _Asked(cost, false, true, constant)


def _implications(problem: HingeProblem, ceiling: float) -> tuple[Bool, Graph]:
    """The atoms in a clause of two, and the arcs between their literals."""
    A = problem.A
    pair = np.flatnonzero(np.diff(A.indptr) == 2)
    first, second = A.indptr[pair], A.indptr[pair] + 1
    joined = np.zeros(problem.n_atoms, np.bool_)
    joined[A.indices[first]] = joined[A.indices[second]] = True
    place = np.cumsum(joined) - 1
    literal_1 = 2 * place[A.indices[first]] + (A.data[first] > 0)
    literal_2 = 2 * place[A.indices[second]] + (A.data[second] > 0)
    capacity = np.where(problem.hard[pair], ceiling, problem.weight[pair] / 2)
    ends = np.concatenate([literal_1 ^ 1, literal_2 ^ 1]), np.concatenate([literal_2, literal_1])
    return joined, graph_of(2 * int(np.count_nonzero(joined)), *ends, np.tile(capacity, 2))


def _terminals(asked: _Asked, joined: Bool, ceiling: float) -> tuple[Float, Float]:
    """Capacities from the source to each literal, and from each to the sink."""
    costs_true = np.where(asked.false, ceiling, np.maximum(asked.cost, 0.0) / 2)[joined]
    costs_false = np.where(asked.true, ceiling, np.maximum(-asked.cost, 0.0) / 2)[joined]
    source, sink = np.zeros(2 * costs_true.size), np.zeros(2 * costs_true.size)
    source[1::2], sink[0::2] = costs_true, costs_true
    source[0::2], sink[1::2] = costs_false, costs_false
    return source, sink


def _alone(cost: Float, forced_false: Bool, forced_true: Bool) -> tuple[Float, float]:
    """Best values of atoms in no clause of two, and what those forced against their cost pay."""
    x = np.where(cost == 0.0, 0.5, (cost < 0.0).astype(np.float64))
    x[forced_false], x[forced_true] = 0.0, 1.0
    paid = np.maximum(cost[forced_true], 0.0).sum() + np.maximum(-cost[forced_false], 0.0).sum()
    return x, float(paid)
