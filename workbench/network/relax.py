"""A network at given weights: its units priced, and its convex relaxation, Huynh & Mooney's
Problem 3 as hinges.

At weights of either sign an MLN's energy is not convex on [0, 1]^n. A clause of positive weight
costs `w max(0, ell)`, which is convex already. One of negative weight costs |w| while satisfied,
which relaxes to |w| times the largest of its literals: linear for one literal, `l1 + max(0, l2 -
l1)` for two, an auxiliary variable above them all for more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import block_array, csr_array, vstack

from workbench.arrays import Float, Int8, Int64
from workbench.errors import UsageError
from workbench.network.energy import unit_offset
from workbench.network.ground_network import BlockKind, GroundNetwork, Relation
from workbench.network.growth import with_template
from workbench.network.hinge_problem import HingeProblem, RowKind


def why_not_relaxable(network: GroundNetwork, weights: Float) -> str | None:
    """Why the network has no convex relaxation at these weights, in a sentence; else None."""
    negative = network.effective_weights(weights) < 0
    if not negative.any():
        return None
    if np.any(network.power[network.template[negative]] != 1):
        return "a squared potential has a negative weight"
    if not network.clausal[negative].all():
        return "a row of negative weight is not a clause"
    return None


def relax(network: GroundNetwork, weights: Float) -> HingeProblem:
    """The convex relaxation at `weights`: below the reported energy of every 0/1 state.

    Exact at 0/1 states; for weights >= 0 it is the hinge-loss problem of the same rows. Unit
    groundings go straight into `linear`; rows of effective weight zero are dropped; rows of
    negative weight with three or more literals take one auxiliary variable each; hard rows and
    blocks become constraints.

    Raises E0405, where a row of negative weight is no clause or is squared.

    References
    ----------
    Huynh & Mooney 2009, section 3.2, Optimization Problem 3 (with `1 - z` for the paper's `z`).
    """
    reason = why_not_relaxable(network, weights)
    if reason is not None:
        raise UsageError.of("E0405", f"the network has no convex relaxation: {reason}")
    effective = network.effective_weights(weights)
    positive, negative = np.flatnonzero(effective > 0), np.flatnonzero(effective < 0)
    sizes = np.diff(network.A.indptr)[negative]
    single, pair, wide = negative[sizes == 1], negative[sizes == 2], negative[sizes > 2]
    parts = (
        _Part.of_costs(network, *unit_costs(network, weights)),
        _single_literals(network, single, -effective[single]),
        _hinges(network, positive, effective[positive]),
        _pairs_of_literals(network, pair, -effective[pair]),
        _constraints(network),
    )
    problem = HingeProblem(
        n_atoms=network.n_atoms,
        A=csr_array(vstack([part.A for part in parts], format="csr")),
        b=np.concatenate([part.b for part in parts]),
        weight=np.concatenate([part.weight for part in parts]),
        kind=np.concatenate([part.kind for part in parts]),
        cost=np.sum([part.cost for part in parts if part.cost is not None], axis=0),
        lower=np.zeros(network.n_atoms),
        upper=np.ones(network.n_atoms),
        constant=sum(part.constant for part in parts),
    )
    return (
        _with_largest_literals(problem, network, wide, -effective[wide]) if wide.size else problem
    )


@dataclass(frozen=True)
class _Part:
    """What some of the network's rows are in the relaxation: rows, and costs of the atoms."""

    A: csr_array
    b: Float
    weight: Float
    kind: Int8
    cost: Float | None = None
    constant: float = 0.0

    @staticmethod
    def of_costs(network: GroundNetwork, cost: Float, constant: float) -> _Part:
        """No row at all."""
        none = np.empty(0)
        empty = csr_array((0, network.n_atoms), dtype=np.float64)
        return _Part(empty, none, none, np.empty(0, np.int8), cost, constant)


def unit_costs(network: GroundNetwork, weights: Float) -> tuple[Float, float]:
    """What the unit groundings, whose potentials are affine, cost: by atom, and in any state."""
    signs = np.column_stack([np.maximum(-weights, 0.0), np.maximum(weights, 0.0)])
    constant = float(weights @ network.constant + np.sum(signs * network.unit_scale))
    return -np.asarray(network.unit @ weights, np.float64), constant


def _hinges(network: GroundNetwork, rows: Int64, weight: Float) -> _Part:
    """Rows of positive weight, which are convex as they are."""
    kind = np.full(rows.size, RowKind.LINEAR, np.int8)
    if network.n_templates:
        kind[network.power[np.maximum(network.template[rows], 0)] == 2] = RowKind.SQUARED
    return _Part(network.A[rows].astype(np.float64), network.b[rows].astype(float), weight, kind)


def _single_literals(network: GroundNetwork, rows: Int64, weight: Float) -> _Part:
    """Clauses of one literal, each counted while it is true: a cost of its atom."""
    literal, start = _literal_rows(network, rows)
    return _Part.of_costs(network, literal.T @ weight, float(start @ weight))


def _pairs_of_literals(network: GroundNetwork, rows: Int64, weight: Float) -> _Part:
    """Clauses of two literals: the larger is the first, and what the second is more than it."""
    literal, start = _literal_rows(network, rows)
    first, second = literal[0::2], literal[1::2]
    return _Part(
        second - first,
        start[1::2] - start[0::2],
        weight,
        np.full(rows.size, RowKind.LINEAR, np.int8),
        first.T @ weight,
        float(start[0::2] @ weight),
    )


def _constraints(network: GroundNetwork) -> _Part:
    """Hard rows and blocks, at most or exactly 0."""
    rows, blocks = np.flatnonzero(network.hard), network.blocks
    equal = np.concatenate(
        [network.relation[rows] == Relation.EQUAL, blocks.kind == BlockKind.EXACTLY_ONE]
    )
    return _Part(
        csr_array(vstack([network.A[rows], blocks.members], format="csr", dtype=np.float64)),
        np.concatenate([network.b[rows], -blocks.right]).astype(np.float64),
        np.zeros(equal.size),
        np.where(equal, RowKind.EQUAL, RowKind.AT_MOST).astype(np.int8),
    )


def _with_largest_literals(
    problem: HingeProblem, network: GroundNetwork, rows: Int64, weight: Float
) -> HingeProblem:
    """The problem with an auxiliary variable above all literals of each clause of `rows`."""
    literal, start = _literal_rows(network, rows)
    owner = np.repeat(np.arange(rows.size), np.diff(network.A.indptr)[rows])
    above = csr_array(
        (-np.ones(owner.size), (np.arange(owner.size), owner)), (owner.size, rows.size)
    )
    at_most = np.full(start.size, RowKind.AT_MOST, np.int8)
    return replace(
        problem,
        A=csr_array(block_array([[problem.A, None], [literal, above]], format="csr")),
        b=np.concatenate([problem.b, start]),
        weight=np.concatenate([problem.weight, np.zeros(start.size)]),
        kind=np.concatenate([problem.kind, at_most]),
        cost=np.concatenate([problem.cost, weight]),
        lower=np.zeros(problem.cost.size + rows.size),
        upper=np.ones(problem.cost.size + rows.size),
    )


def _literal_rows(network: GroundNetwork, rows: Int64) -> tuple[csr_array, Float]:
    """Literals as affine functions `slope * y + start`: a row a literal of the clauses `rows`."""
    part = network.A[rows]
    slope = -part.data.astype(np.float64)
    matrix = csr_array((slope, part.indices, np.arange(part.nnz + 1)), (part.nnz, network.n_atoms))
    return matrix, (part.data > 0).astype(np.float64)


def relaxed_potentials(network: GroundNetwork, weights: Float, values: Float) -> Float:
    """What each row counts as violated in the relaxation at `values` in [0, 1]; shape (n_rows,).

    `max(0, ell)` where the effective weight is >= 0, `1 - largest literal` where it is negative
    (the paper's z): equal at 0/1 values. Powers are not applied; hard rows get `max(0, ell)`.
    """
    violated: Float = np.maximum(network.A @ values + network.b, 0.0)
    negative = np.flatnonzero(network.effective_weights(weights) < 0)
    if negative.size:
        literal, start = _literal_rows(network, negative)
        starts = np.concatenate([[0], np.cumsum(np.diff(network.A.indptr)[negative])[:-1]])
        violated[negative] = 1.0 - np.maximum.reduceat(literal @ values + start, starts)
    return violated


def priced(network: GroundNetwork, weights: Float) -> tuple[GroundNetwork, Float]:
    """The network with all units under one more template of weight 1, and such weights.

    Energies, reported energies and hard violations of every state are what they were; counts by
    template are not. An engine evaluates many states at the same weights: each then costs
    O(n_atoms) for the units instead of O(nnz of unit), which for a model of words is a thousand
    times as much. Networks with few units are returned as they are.
    """
    if network.unit.nnz <= 2 * network.n_atoms:
        return network, weights
    weights = np.asarray(weights, np.float64)
    n = network.n_templates
    bare = replace(
        network,
        unit=csr_array((network.n_atoms, n)),
        constant=np.zeros(n),
        unit_scale=np.zeros((n, 2)),
    )
    gain = np.asarray(network.unit @ weights, np.float64)
    reduced = with_template(
        bare, gain, float(weights @ network.constant), (0.0, unit_offset(network, weights))
    )
    return reduced, np.append(weights, 1.0)
